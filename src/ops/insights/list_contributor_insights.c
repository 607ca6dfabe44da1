/* list_contributor_insights.c - ListContributorInsights: where they are on, a page at a time.
 *
 * By the names of the tables; of a table it comes first, then its indexes by their names. A token
 * is the last entry of its page, "table" or "table/index", so that a page goes on at the right
 * place whatever has come and gone meanwhile. The service has pages that are empty and have a
 * token; here there is none. */
#include "engine/catalog.h"
#include "ops/insights/contributor_insights.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

struct list_insights_request {
    struct slice table_name; /* or ARN */
    struct slice next_token;
    struct field_int max_results;
};

static const struct field list_insights_fields[] = {
    {NAMED("TableName"), AT(struct list_insights_request, table_name), .type = FIELD_STRING,
     .flags = FIELD_TABLE_NAME, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_ARN_CHARS)},
    {NAMED("NextToken"), AT(struct list_insights_request, next_token), .type = FIELD_STRING},
    {NAMED("MaxResults"), AT(struct list_insights_request, max_results), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_LIST_INSIGHTS)},
    FIELDS_END,
};
static const struct shape list_insights_shape = {
    "ListContributorInsightsInput", sizeof(struct list_insights_request), list_insights_fields};

/* A place in the list: the table, then the index; absent: before all tables, before all indexes. */
struct place {
    struct slice table;
    struct slice index;
};

/* ---- tokens ---- */

static struct error *parse_token(struct arena *arena, struct slice token, struct place *ret_place) {
    const uint8_t *slash = token.len == 0 ? NULL : memchr(token.data, '/', token.len);
    *ret_place = (struct place){.table = token};
    if (slash != NULL) {
        size_t table_len = (size_t)(slash - token.data);
        ret_place->table.len = table_len;
        ret_place->index = (struct slice){slash + 1, token.len - table_len - 1};
    }
    if (field_name_matches(ret_place->table) &&
        (slash == NULL || field_name_matches(ret_place->index)))
        return NULL;
    return error_validation(arena, "Invalid Request: Provided nextToken is invalid: %.*s",
                            SLICE_ARGS(token));
}

static struct slice print_token(struct arena *arena, const struct insights_target *last) {
    if (last->index == NULL)
        return last->table->name;
    return arena_printf(arena, "%.*s/%.*s", SLICE_ARGS(last->table->name),
                        SLICE_ARGS(last->index->name));
}

/* ---- the list ---- */

struct list {
    struct table *const *tables; /* sorted by name */
    size_t count;
    struct place after;
};

/* The index whose name comes next and that has it on; NULL: no more. */
static const struct table_index *next_index(const struct table_definition *table,
                                            struct slice after) {
    const struct table_index *found = NULL;
    for (size_t i = 0; i < table->index_count; i++) {
        const struct table_index *index = &table->indexes[i];
        if (index->insights.enabled &&
            (!slice_present(after) || slice_compare(index->name, after) > 0) &&
            (found == NULL || slice_compare(index->name, found->name) < 0))
            found = index;
    }
    return found;
}

/* False when there is no more. */
static bool list_next(struct list *list, struct insights_target *ret_target) {
    for (; list->count > 0; list->tables++, list->count--) {
        const struct table_definition *table = &list->tables[0]->definition;
        int order =
            slice_present(list->after.table) ? slice_compare(table->name, list->after.table) : 1;
        if (order < 0)
            continue;
        *ret_target = (struct insights_target){.table = table};
        if (order > 0) {
            list->after = (struct place){.table = table->name};
            if (table->insights.enabled)
                return true;
        }
        ret_target->index = next_index(table, list->after.index);
        if (ret_target->index != NULL) {
            list->after.index = ret_target->index->name;
            return true;
        }
    }
    return false;
}

static void write_summary(struct json_writer *json, const struct insights_target *target) {
    const struct contributor_insights *insights = insights_of(target);
    json_object_begin(json);
    insights_write_names(json, target);
    insights_write_status(json, insights_status(insights));
    insights_write_mode(json, insights);
    json_object_end(json);
}

static void write_page(struct op_call *call, struct list *list) {
    const struct list_insights_request *request = call->request;
    int64_t room = request->max_results.present ? request->max_results.value : LIMIT_LIST_INSIGHTS;
    struct insights_target target;
    struct slice token = SLICE_NONE;
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "ContributorInsightsSummaries");
    bool more = list_next(list, &target);
    for (; more && room > 0; room--) {
        write_summary(&json, &target);
        if (room == 1)
            token = print_token(call->arena, &target);
        more = list_next(list, &target);
    }
    json_array_end(&json);
    if (more && slice_present(token))
        member_text(&json, "NextToken", token);
    json_object_end(&json);
}

/* Only the table of this name, or ARN. */
static struct error *narrow(const struct op_call *call, struct slice given, struct list *list) {
    struct slice name;
    TRY(table_name_resolve(call, given, &name));
    for (; list->count > 0; list->tables++, list->count--) {
        if (slice_equal(list->tables[0]->definition.name, name)) {
            list->count = 1;
            return NULL;
        }
    }
    return table_not_found(call->arena, name);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct list_insights_request *request = call->request;
    struct list list = {.after = {SLICE_NONE, SLICE_NONE}};
    if (slice_present(request->next_token))
        TRY(parse_token(call->arena, request->next_token, &list.after));
    list.count = catalog_tables(call->context->catalog, &list.tables);
    if (slice_present(request->table_name))
        TRY(narrow(call, request->table_name, &list));
    write_page(call, &list);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_list_contributor_insights = {
    .name = "ListContributorInsights",
    .action = "dynamodb:ListContributorInsights",
    .flags = OP_CONTROL | OP_NO_RESOURCE,
    .input = &list_insights_shape,
    .run = run,
};
