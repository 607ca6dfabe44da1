/* projection.c - whole items go straight to JSON; selected paths are gathered first. */
#include "ops/read/projection.h"

#include <stdlib.h>

#include "base/check.h"
#include "model/limits.h"
#include "model/value_fault.h"
#include "ops/request/name_set.h"

/* ---- AttributesToGet ---- */

static struct name_set names_of(const struct field_list *names) {
    CHECK(names->count == 0 || names->sorted != NULL);
    return (struct name_set){names->sorted, names->count, names->count};
}

/* By name; equal ones in the order of the request. */
static int compare_places(const void *a, const void *b) {
    const struct slice *x = *(const struct slice *const *)a, *y = *(const struct slice *const *)b;
    int order = slice_compare(*x, *y);
    return order != 0 ? order : x < y ? -1 : x > y;
}

/* The first name that repeats an earlier one; there is one. */
static struct slice first_repeated(struct arena *arena, const struct field_list *names) {
    const struct slice *list = names->items;
    const struct slice **places = ARENA_ARRAY(arena, const struct slice *, names->count);
    for (size_t i = 0; i < names->count; i++)
        places[i] = &list[i];
    qsort(places, names->count, sizeof(*places), compare_places);
    const struct slice *first = list + names->count;
    for (size_t i = 1; i < names->count; i++)
        if (places[i] < first && slice_equal(*places[i - 1], *places[i]))
            first = places[i];
    CHECK(first < list + names->count);
    return *first;
}

struct error *projection_check_names(struct arena *arena, const struct field_list *names) {
    const struct slice *list = names->items;
    for (size_t i = 0; i < names->count; i++)
        TRY(attribute_name_check(arena, list[i]));
    if (names->count < 2)
        return NULL;
    struct name_set set = names_of(names);
    if (!slice_present(name_set_duplicate(&set)))
        return NULL;
    return error_request(arena, PVI "Duplicate value in attribute name: %.*s",
                         SLICE_ARGS(first_repeated(arena, names)));
}

static void write_listed(const struct field_list *names, struct json_writer *json,
                         struct value item) {
    struct name_set set = names_of(names);
    json_object_begin(json);
    struct value_iter iter;
    value_iter_init(&iter, item);
    while (value_iter_next(&iter)) {
        if (!name_set_has(&set, iter.name))
            continue;
        json_name(json, iter.name);
        value_write_json(json, iter.value);
    }
    json_object_end(json);
}

/* `member`: as a member "Item", left out when nothing was selected. */
static void write_selected(const struct expr *expr, struct arena *scratch, struct json_writer *json,
                           struct value item, bool member) {
    struct arena_mark mark = arena_mark(scratch);
    struct buffer bytes;
    buffer_init(&bytes, 2 * LIMIT_BODY_BYTES);
    struct value_builder builder;
    value_builder_init(&builder, &bytes, scratch);
    expr_project(expr, item, &builder);
    struct value selected = value_from_slice(buffer_slice(&bytes));
    if (member && value_count(selected) > 0)
        JSON_NAME_LITERAL(json, "Item");
    if (!member || value_count(selected) > 0)
        item_write_json(json, selected);
    buffer_release(&bytes);
    arena_rewind(scratch, mark);
}

bool projection_write(const struct projection *projection, struct arena *scratch,
                      struct json_writer *json, struct value item) {
    if (projection_is_whole(projection))
        return item_write_json(json, item);
    if (projection->expr != NULL)
        write_selected(projection->expr, scratch, json, item, false);
    else
        write_listed(projection->names, json, item);
    return true;
}

void projection_write_member(const struct projection *projection, struct arena *scratch,
                             struct json_writer *json, struct value item) {
    if (projection->expr != NULL) {
        write_selected(projection->expr, scratch, json, item, true);
        return;
    }
    JSON_NAME_LITERAL(json, "Item");
    projection_write(projection, scratch, json, item);
}
