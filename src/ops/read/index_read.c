/* index_read.c - the rules of reading an index, in the service's order. */
#include "ops/read/index_read.h"

#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"

/* ---- what the index does not project ---- */

/* Names of attributes, each once, in the order they were met: "a, b". */
enum { TEXT_BYTES_MAX = 256 * 1024 };

struct unprojected {
    const struct table_definition *table;
    const struct table_index *index;
    struct arena *arena;
    struct slice names[LIMIT_EXPRESSION_OPERATORS];
    size_t count;
};

static void note(struct unprojected *list, struct slice name) {
    if (index_projects(list->table, list->index, name))
        return;
    for (size_t i = 0; i < list->count; i++)
        if (slice_equal(list->names[i], name))
            return;
    if (list->count < LIMIT_EXPRESSION_OPERATORS)
        list->names[list->count++] = name;
}

static struct error *note_path(void *context, const struct expr_path_visit *visit) {
    note(context, visit->name);
    return NULL;
}

/* What does not fit into the text's maximum is left out: a name may be 64 KB long. */
static struct slice joined(const struct unprojected *list) {
    struct buffer text;
    buffer_init(&text, TEXT_BYTES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            buffer_append_text(&text, ", ");
        buffer_append_slice(&text, list->names[i]);
    }
    struct slice joined = arena_slice(list->arena, buffer_slice(&text));
    buffer_release(&text);
    return joined;
}

static struct unprojected *unprojected_new(struct arena *arena,
                                           const struct table_definition *table,
                                           const struct table_index *index) {
    struct unprojected *list = ARENA_NEW(arena, struct unprojected);
    list->table = table;
    list->index = index;
    list->arena = arena;
    return list;
}

/* The attributes that ProjectionExpression or AttributesToGet ask for. */
static struct error *note_projection(struct unprojected *list, const struct projection *wanted) {
    const struct slice *names = wanted->names == NULL ? NULL : wanted->names->items;
    for (size_t i = 0; names != NULL && i < wanted->names->count; i++)
        note(list, names[i]);
    return wanted->expr == NULL ? NULL : expr_visit_paths(wanted->expr, note_path, list);
}

/* ---- the checks ---- */

struct error *index_read_find(struct op_call *call, struct read_page *page,
                              struct slice index_name) {
    const struct table_index *index = table_find_index(&page->range.table->definition, index_name);
    if (index == NULL)
        return error_validation(call->arena, "The table does not have the specified index: %.*s",
                                SLICE_ARGS(index_name));
    if (index->status == TABLE_CREATING)
        return error_validation(call->arena,
                                "Cannot read from backfilling global secondary index: %.*s",
                                SLICE_ARGS(index->name));
    if (index->global && page->consistent)
        return error_validation(call->arena,
                                "Consistent reads are not supported on global secondary indexes");
    page->range.index = index;
    return NULL;
}

static struct error *check_global(struct arena *arena, const struct read_page *page,
                                  const struct unprojected *list) {
    const struct table_index *index = page->range.index;
    if (slice_is(page->select, "ALL_ATTRIBUTES") && index->projection != PROJECT_ALL)
        return error_validation(arena,
                                PVI "Select type ALL_ATTRIBUTES is not supported for global "
                                    "secondary index %.*s because its projection type is not ALL",
                                SLICE_ARGS(index->name));
    if (list->count > 0)
        return error_validation(arena, PVI "Global secondary index %.*s does not project [%.*s]",
                                SLICE_ARGS(index->name), SLICE_ARGS(joined(list)));
    return NULL;
}

struct error *index_read_check_attributes(struct op_call *call, struct read_page *page) {
    const struct table_index *index = page->range.index;
    if (index == NULL || index->projection == PROJECT_ALL)
        return NULL;
    struct unprojected *list = unprojected_new(call->arena, &page->range.table->definition, index);
    TRY(note_projection(list, &page->projection));
    if (index->global)
        return check_global(call->arena, page, list);
    page->fetch = list->count > 0 || slice_is(page->select, "ALL_ATTRIBUTES");
    return NULL;
}

static struct error *refuse_filter(const struct unprojected *list) {
    if (list->count == 0)
        return NULL;
    return error_validation(
        list->arena,
        PVI "Secondary index %.*s does not project one or more filter attributes: [%.*s]",
        SLICE_ARGS(list->index->name), SLICE_ARGS(joined(list)));
}

struct error *index_read_check_filter(struct op_call *call, const struct read_page *page) {
    const struct expr *filter = expressions_get(&page->expressions, EXPR_FILTER);
    const struct table_index *index = page->range.index;
    if (filter == NULL || index == NULL || index->projection == PROJECT_ALL)
        return NULL;
    struct unprojected *list = unprojected_new(call->arena, &page->range.table->definition, index);
    TRY(expr_visit_paths(filter, note_path, list));
    return refuse_filter(list);
}

struct error *index_read_check_names(struct op_call *call, const struct read_page *page,
                                     const struct slice *names, size_t count) {
    const struct table_index *index = page->range.index;
    if (index == NULL || index->projection == PROJECT_ALL)
        return NULL;
    struct unprojected *list = unprojected_new(call->arena, &page->range.table->definition, index);
    for (size_t i = 0; i < count; i++)
        note(list, names[i]);
    return refuse_filter(list);
}

/* ---- start keys ---- */

static struct error *invalid_start(struct arena *arena) {
    return error_validation(arena, "The provided starting key is invalid");
}

static size_t attributes_of_both(const struct key_schema *a, const struct key_schema *b) {
    size_t count = key_part_count(a);
    for (size_t i = 0; i < key_part_count(b); i++)
        count += !key_schema_has(a, key_part(b, i)->name);
    return count;
}

struct error *index_read_check_start(struct arena *arena, const struct read_range *range) {
    const struct key_schema *keys = &range->index->keys;
    struct value start = range->start_key;
    if (!value_present(start))
        return NULL;
    if (value_count(start) != attributes_of_both(&range->table->definition.keys, keys))
        return invalid_start(arena);
    for (size_t i = 0; i < key_part_count(keys); i++)
        if (!value_present(value_map_find(start, key_part(keys, i)->name)))
            return invalid_start(arena);
    TRY(key_check_batch_item(arena, keys, start));
    return index_check_key_bytes(arena, keys, start);
}

struct error *index_read_check_table_start(struct arena *arena, const struct read_range *range) {
    if (range->index == NULL || !value_present(range->start_key))
        return NULL;
    struct error *error =
        key_check_batch_item(arena, &range->table->definition.keys, range->start_key);
    if (error == NULL)
        return NULL;
    return error_validation(arena, "The provided starting key is invalid: %.*s",
                            SLICE_ARGS(error->message));
}
