/* fuzz_partiql.c - any text as a statement, parsed, bound and run on a fixed item.
 *
 * Nothing may crash, whatever is refused is refused with a text, ranges do not overlap, and an item
 * for which WHERE holds lies in one of them. There are as many parameters as the statement wants,
 * of all types in turn. */
#include <stdlib.h>

#include "fuzz.h"
#include "model/limits.h"
#include "partiql/parser.h"
#include "partiql/partiql.h"
#include "support/read_item.h"

static const char item_json[] =
    "{\"pk\":{\"S\":\"a\"},\"sk\":{\"S\":\"b\"},\"a\":{\"N\":\"5\"},\"c\":{\"B\":\"AQI=\"},"
    "\"d\":{\"BOOL\":true},\"e\":{\"NULL\":true},\"f\":{\"SS\":[\"x\",\"y\"]},"
    "\"g\":{\"NS\":[\"1\",\"2\"]},\"l\":{\"L\":[{\"N\":\"1\"},{\"L\":[{\"S\":\"x\"}]},{\"M\":{}}]},"
    "\"m\":{\"M\":{\"a\":{\"N\":\"1\"},\"l\":{\"L\":[]},\"m\":{\"M\":{\"x\":{\"S\":\"y\"}}}}}}";
static const char values_json[] =
    "{\"0\":{\"S\":\"a\"},\"1\":{\"S\":\"b\"},\"2\":{\"N\":\"2\"},\"3\":{\"L\":[{\"S\":\"a\"}]},"
    "\"4\":{\"M\":{\"pk\":{\"S\":\"a\"}}},\"5\":{\"SS\":[\"y\"]},\"6\":{\"NS\":[\"2\"]},"
    "\"7\":{\"B\":\"AQ==\"},\"8\":{\"BOOL\":true},\"9\":{\"NULL\":true}}";

enum { VALUES = 10 };

struct subject {
    struct arena arena; /* of what is fixed */
    struct value item;
    struct value values[VALUES];
    struct value parameters[LIMIT_STATEMENT_CHARS];
};

static struct subject *subject_new(void) {
    struct subject *s = calloc(1, sizeof(*s));
    CHECK(s != NULL);
    arena_init(&s->arena);
    s->item = read_item(&s->arena, item_json);
    struct value_iter iter;
    value_iter_init(&iter, read_item(&s->arena, values_json));
    for (size_t i = 0; value_iter_next(&iter); i++) {
        CHECK(i < VALUES);
        s->values[i] = iter.value;
    }
    for (size_t i = 0; i < LIMIT_STATEMENT_CHARS; i++)
        s->parameters[i] = s->values[i % VALUES];
    return s;
}

static bool refused(const struct error *error) {
    if (error == NULL)
        return false;
    CHECK(strcmp(error_kind(error->code)->type, "ValidationException") == 0);
    CHECK(error->message.len > 0);
    return true;
}

static size_t count_ranges_with(const struct partiql_ranges *ranges, struct value pk,
                                struct value sk) {
    size_t count = 0;
    for (size_t i = 0; i < ranges->count; i++)
        count += key_condition_holds(&ranges->list[i].hash, pk) &&
                 (!ranges->list[i].has_sort || key_condition_holds(&ranges->list[i].sort, sk));
    return count;
}

static void run_select(struct arena *arena, const struct partiql *partiql,
                       const struct key_schema *keys, struct value item) {
    struct partiql_ranges *ranges = ARENA_NEW(arena, struct partiql_ranges);
    for (size_t i = 0; i < partiql->column_count; i++)
        path_find(partiql->columns[i].path, item);
    if (refused(partiql_ranges(arena, partiql, keys, ranges)) || !ranges->keyed)
        return;
    size_t count = count_ranges_with(ranges, value_map_find(item, SLICE_LITERAL("pk")),
                                     value_map_find(item, SLICE_LITERAL("sk")));
    CHECK(count <= 1);
    CHECK(count == 1 || !expr_holds(partiql->where, item));
}

static void run_change(struct arena *arena, struct partiql *partiql, const struct key_schema *keys,
                       struct value item) {
    enum partiql_key_fit fit;
    struct value key, updated;
    struct expr *condition;
    if (refused(partiql_key(arena, partiql, keys, &key, &fit)))
        return;
    if (partiql->update != NULL && !refused(expr_update(arena, partiql->update, item, &updated)))
        CHECK(value_type(updated) == VALUE_M &&
              value_check(value_slice(updated), 2 * LIMIT_NESTING + 2));
    if (partiql->statement->verb == VERB_DELETE && fit == PARTIQL_KEY_AND_MORE &&
        !refused(partiql_delete_condition(partiql, SLICE_LITERAL("pk"), &condition)))
        CHECK(expr_holds(condition, VALUE_ABSENT));
}

static void run(struct arena *arena, struct partiql *partiql, struct value item) {
    const struct key_schema keys = {.hash_count = 1,
                                    .range_count = 1,
                                    .hash = {{SLICE_LITERAL("pk"), VALUE_S}},
                                    .range = {{SLICE_LITERAL("sk"), VALUE_S}}};
    if (partiql->where != NULL)
        expr_holds(partiql->where, item);
    if (partiql_reads(partiql))
        run_select(arena, partiql, &keys, item);
    else if (partiql->statement->verb == VERB_INSERT)
        CHECK(value_check(value_slice(partiql->item), LIMIT_NESTING + 1));
    else
        run_change(arena, partiql, &keys, item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct subject *subject;
    if (subject == NULL)
        subject = subject_new();
    if (size > LIMIT_STATEMENT_CHARS)
        return 0;
    struct arena arena;
    arena_init(&arena);
    /* A copy of its own, so that reading past the end is seen. */
    uint8_t *copy = malloc(size + (size == 0));
    CHECK(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    struct statement *statement;
    struct partiql partiql;
    if (!refused(statement_parse(&arena, slice_of(copy, size), &statement)) &&
        !refused(partiql_bind(&arena, statement, subject->parameters, statement->parameter_count,
                              &partiql))) {
        run(&arena, &partiql, subject->item);
        partiql_release(&partiql);
    }
    free(copy);
    arena_release(&arena);
    return 0;
}
