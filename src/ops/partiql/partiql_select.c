/* partiql_select.c - SELECT on top of read_page: the ranges are read one after another into one
 * page.
 *
 * The whole WHERE clause is the filter of every range, so a range need not be as narrow as the
 * clause. */
#include "ops/partiql/partiql_select.h"

#include "json/member.h"
#include "model/key.h"
#include "ops/account/consumed.h"
#include "ops/read/index_read.h"
#include "ops/read/query_keys.h"
#include "ops/request/name_order.h"

/* ---- what read_page leaves to its caller ---- */

static void write_item(struct op_call *call, struct read_page *page, struct value item) {
    const struct partiql_select *select = page->context;
    struct arena_mark mark = arena_mark(call->arena);
    item_write_json(&page->json,
                    partiql_call_selected(call->arena, &select->statement->partiql, item));
    arena_rewind(call->arena, mark);
}

static bool next_range(struct read_page *page) {
    struct partiql_select *select = page->context;
    if (select->range_at + 1 >= select->range_count)
        return false;
    page->range = select->ranges[++select->range_at];
    return true;
}

/* A range that is one key of the table holds nothing after its item. */
static bool is_one_item(const struct read_range *range) {
    const struct key_schema *keys = &range->table->definition.keys;
    if (range->index != NULL || !value_present(range->hash[0]))
        return false;
    return keys->range_count == 0 || (range->sort_count == 1 && range->sort[0].op == KEY_EQ);
}

static void write_members(struct op_call *call, struct read_page *page) {
    struct partiql_select *select = page->context;
    if (select->range_at + 1 == select->range_count && is_one_item(&page->range))
        page->last_key = VALUE_ABSENT;
    if (!value_present(page->last_key))
        return;
    select->token.range = (uint32_t)select->range_at;
    select->token.last_key = page->last_key;
    member_text(&page->json, "NextToken", partiql_token_encode(call->arena, &select->token));
}

static const struct read_page_hooks hooks = {
    .write_item = write_item,
    .next_range = next_range,
    .write_members = write_members,
};

/* ---- indexes ---- */

static struct error *find_index(struct op_call *call, struct partiql_select *select) {
    struct read_page *page = &select->page;
    struct slice name = select->statement->partiql.index_name;
    if (!slice_present(name))
        return NULL;
    const struct table_index *index = table_find_index(&page->range.table->definition, name);
    if (index == NULL)
        return error_validation(call->arena, "The table does not have the specified index");
    if (page->consistent && index->global)
        return error_validation(
            call->arena, "Strongly consistent read is not supported on Global Secondary Indexes");
    TRY(index_read_find(call, page, name));
    return partiql_call_check_index(call->arena, select->statement);
}

/* The attributes that the columns need of an index. */
static void name_attributes(struct op_call *call, struct partiql_select *select) {
    const struct partiql *partiql = &select->statement->partiql;
    if (partiql->column_count == 0)
        return;
    struct field_list *list = ARENA_NEW(call->arena, struct field_list);
    struct slice *names = ARENA_ARRAY(call->arena, struct slice, partiql->column_count);
    for (size_t i = 0; i < partiql->column_count; i++)
        names[i] = partiql->columns[i].path.elements[0].name;
    *list = (struct field_list){.present = true, .items = names, .count = partiql->column_count};
    select->page.projection.names = list;
}

/* Which branch of WHERE the service holds against what the index projects: recorded answers agree
 * with the first in the order of a Java hash table, and none when one branch is a key alone. */
static const struct node *checked_branch(struct op_call *call,
                                         const struct partiql_select *select) {
    struct partiql_branch branches[PARTIQL_RANGES_MAX];
    struct slice hashes[PARTIQL_RANGES_MAX], *ordered;
    const struct key_schema *keys = query_keys_schema(&select->page.range);
    size_t count = partiql_branches(&select->statement->partiql, keys, branches);
    if (count == 1)
        return branches[0].node;
    for (size_t i = 0; i < count; i++) {
        if (!branches[i].more || !value_present(branches[i].hash))
            return NULL;
        hashes[i] = value_scalar(branches[i].hash);
    }
    name_order(call->arena, hashes, count, NAME_BUCKETS_DEFAULT, &ordered);
    for (size_t i = 0; i < count; i++)
        if (slice_equal(hashes[i], ordered[0]))
            return branches[i].node;
    return NULL;
}

/* Recursion is bounded by the depth that the parser allows. */
static size_t collect_names(const struct node *node, struct slice *names, size_t count) {
    if (node->kind == NODE_PATH)
        names[count++] = node->path.first->name;
    for (const struct node *child = node->first; child != NULL; child = child->next)
        count = collect_names(child, names, count);
    return count;
}

/* An attribute that the index does not have is just missing where the read is not keyed. */
static struct error *check_index_filter(struct op_call *call, const struct partiql_select *select,
                                        bool keyed) {
    if (!keyed || select->page.range.index == NULL)
        return NULL;
    const struct node *branch = checked_branch(call, select);
    if (branch == NULL)
        return NULL;
    size_t node_count = select->statement->partiql.statement->node_count;
    struct slice *names = ARENA_ARRAY(call->arena, struct slice, node_count), *ordered;
    size_t count = collect_names(branch, names, 0);
    count = name_order(call->arena, names, count, NAME_BUCKETS_DEFAULT, &ordered);
    return index_read_check_names(call, &select->page, ordered, count);
}

/* ---- ranges ---- */

static struct error *make_range(struct op_call *call, const struct partiql_range *from,
                                struct read_range *range) {
    const struct key_condition conditions[2] = {from->hash, from->sort};
    return query_keys_match(call->arena, conditions, from->has_sort ? 2 : 1, range);
}

static struct error *make_ranges(struct op_call *call, struct partiql_select *select,
                                 const struct partiql_ranges *found) {
    const struct read_range base = {.table = select->page.range.table,
                                    .index = select->page.range.index,
                                    .reverse = found->reverse};
    select->range_count = found->keyed ? found->count : 1;
    select->ranges = ARENA_ARRAY(call->arena, struct read_range, select->range_count + 1);
    select->ranges[0] = base;
    for (size_t i = 0; found->keyed && i < found->count; i++) {
        select->ranges[i] = base;
        TRY(make_range(call, &found->list[i], &select->ranges[i]));
    }
    return NULL;
}

static struct error *check_start(struct arena *arena, const struct read_range *range) {
    TRY(query_keys_check_start(arena, range));
    if (range->index != NULL)
        TRY(index_read_check_table_start(arena, range));
    return value_present(range->hash[0]) ? query_keys_check_bounds(arena, range) : NULL;
}

/* Where the token says. */
static struct error *start_ranges(struct op_call *call, struct partiql_select *select,
                                  struct slice token) {
    partiql_fingerprint(select->statement, select->token.fingerprint);
    if (slice_present(token)) {
        TRY(partiql_token_decode(call->arena, token, &select->token));
        if (select->token.range >= select->range_count)
            return partiql_token_invalid(call->arena);
        select->range_at = select->token.range;
        struct read_range *range = &select->ranges[select->range_at];
        range->start_key = select->token.last_key;
        if (check_start(call->arena, range) != NULL)
            return partiql_token_invalid(call->arena);
    }
    select->page.range = select->ranges[select->range_at];
    return NULL;
}

/* ---- the whole ---- */

/* Those of other operations are an expression. A statement of a batch or transaction shows nothing
 * of such a column. */
static struct error *check_columns(struct arena *arena, const struct partiql_call *statement) {
    for (size_t i = 0; i < statement->partiql.column_count; i++) {
        struct path path = statement->partiql.columns[i].path;
        if (path.count > 1)
            TRY(key_path_check(arena, &statement->table->definition, path.elements[0].name));
    }
    return NULL;
}

static struct error *check_table(struct op_call *call, struct partiql_select *select,
                                 struct slice token) {
    struct read_page *page = &select->page;
    struct partiql_call *statement = select->statement;
    page->range.table = statement->table;
    TRY(find_index(call, select));
    struct partiql_ranges *found = ARENA_NEW(call->arena, struct partiql_ranges);
    TRY(partiql_ranges(call->arena, &statement->partiql, query_keys_schema(&page->range), found));
    TRY(index_read_check_attributes(call, page));
    TRY(check_index_filter(call, select, found->keyed));
    TRY(partiql_call_check_paths(call->arena, statement));
    TRY(check_columns(call->arena, statement));
    TRY(make_ranges(call, select, found));
    return start_ranges(call, select, token);
}

struct error *partiql_select_prepare(struct op_call *call, struct partiql_call *statement,
                                     const struct partiql_select_input *input,
                                     struct partiql_select *select) {
    struct read_page *page = &select->page;
    select->statement = statement;
    page->table_name = statement->partiql.table_name;
    page->return_consumed_capacity = input->return_consumed_capacity;
    page->consistent = input->consistent;
    page->limit = input->limit;
    page->hooks = &hooks;
    page->context = select;
    page->expressions.list[0] =
        (struct expression){.kind = EXPR_FILTER, .bound = statement->partiql.where};
    page->expressions.count = 1;
    name_attributes(call, select);
    TRY(check_table(call, select, input->next_token));
    page->table = table_ref(statement->table);
    return NULL;
}

/* A clause that no key can meet: x IN []. */
static void write_nothing(struct op_call *call, const struct read_page *page) {
    struct json_writer json;
    account_table(call, page->table_name, page->table);
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Items");
    json_array_end(&json);
    consumed_write(&json, &call->account, page->return_consumed_capacity);
    json_object_end(&json);
}

struct error *partiql_select_run(struct op_call *call, struct partiql_select *select,
                                 enum op_state *ret_state) {
    if (select->range_count > 0)
        return read_page_run(call, &select->page, ret_state);
    write_nothing(call, &select->page);
    *ret_state = OP_DONE;
    return NULL;
}

void partiql_select_release(struct partiql_select *select) {
    read_page_release(&select->page);
}
