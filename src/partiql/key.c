/* key.c - the key of the one item that a statement is about.
 *
 * It is found among the parts that AND joins, however they are grouped by parentheses. Recursion is
 * bounded by the depth that the parser allows. */
#include "partiql/partiql.h"

#include "model/key.h"
#include "model/limits.h"
#include "model/value_builder.h"
#include "partiql/terms.h"

struct search {
    const struct key_schema *keys;
    bool by_list; /* a list of one value, `pk IN ['a']`, says the key as well */
    struct key_condition parts[2 * KEY_PARTS_MAX];
    bool found[2 * KEY_PARTS_MAX];
    const struct key_attribute *twice; /* a second value was given for it; NULL: none */
    bool more;                         /* something else is said, too */
};

/* True when the node says what the attribute is. */
static bool equality(const struct search *s, const struct node *node, struct slice name,
                     struct key_condition *ret_condition) {
    if (term_condition(node, name, ret_condition))
        return ret_condition->op == KEY_EQ;
    return s->by_list && term_in_one(node, name, ret_condition);
}

static void note_part(struct search *s, const struct node *node) {
    for (size_t i = 0; i < key_part_count(s->keys); i++) {
        struct key_condition one;
        if (!equality(s, node, key_part(s->keys, i)->name, &one))
            continue;
        if (s->found[i] && !value_equal(s->parts[i].value, one.value))
            s->twice = key_part(s->keys, i);
        if (!s->found[i])
            s->parts[i] = one;
        s->found[i] = true;
        return;
    }
    s->more = true;
}

static void note_parts(struct search *s, const struct node *node) {
    if (node->kind != NODE_OPERATOR || node->op != SIGN_AND) {
        note_part(s, node);
        return;
    }
    for (const struct node *part = node->first; part != NULL; part = part->next)
        note_parts(s, part);
}

static struct value make_key(struct arena *arena, const struct key_condition *parts, size_t count) {
    struct buffer bytes;
    buffer_init(&bytes, LIMIT_BODY_BYTES);
    struct value_builder builder;
    value_builder_init(&builder, &bytes, arena);
    value_builder_open(&builder, VALUE_M);
    for (size_t i = 0; i < count; i++) {
        value_builder_name(&builder, parts[i].name);
        value_builder_value(&builder, parts[i].value);
    }
    value_builder_close(&builder);
    struct value key = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return key;
}

static bool is_complete(const struct search *s) {
    for (size_t i = 0; i < key_part_count(s->keys); i++)
        if (!s->found[i])
            return false;
    return true;
}

struct error *partiql_key(struct arena *arena, const struct partiql *partiql,
                          const struct key_schema *keys, struct value *ret_key,
                          enum partiql_key_fit *ret_fit) {
    const struct statement *statement = partiql->statement;
    struct search s = {.keys = keys, .by_list = statement->verb == VERB_SELECT};
    *ret_fit = PARTIQL_KEY_INCOMPLETE;
    if (statement->where != NULL)
        note_parts(&s, statement->where);
    if (!is_complete(&s))
        return NULL;
    if (s.twice != NULL && !partiql_reads(partiql))
        return error_validation(arena,
                                "Multiple conditions on same key %.*s. Only single item "
                                "Update/Insert/Delete are supported",
                                SLICE_ARGS(s.twice->name));
    *ret_key = make_key(arena, s.parts, key_part_count(keys));
    *ret_fit = s.more || s.twice != NULL ? PARTIQL_KEY_AND_MORE : PARTIQL_KEY_ONLY;
    return NULL;
}

struct error *partiql_key_check_types(struct arena *arena, const struct key_schema *keys,
                                      struct value key) {
    for (size_t i = 0; i < key_part_count(keys); i++)
        TRY(term_check_value(arena, key_part(keys, i),
                             value_map_find(key, key_part(keys, i)->name)));
    return NULL;
}
