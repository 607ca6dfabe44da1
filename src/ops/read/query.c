/* query.c - Query: the items of one partition key, in the order of their sort keys. */
#include "model/key.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"
#include "ops/permission/permission.h"
#include "ops/read/index_read.h"
#include "ops/read/query_keys.h"
#include "ops/read/read_page.h"

struct query_request {
    struct slice table_name;
    struct slice index_name;
    struct slice select;
    struct field_list attributes_to_get; /* struct slice */
    struct field_int limit;
    struct field_bool consistent_read;
    struct field_list key_conditions; /* struct condition */
    struct field_list query_filter;   /* struct condition */
    struct slice conditional_operator;
    struct field_bool scan_index_forward; /* absent: true */
    struct field_item exclusive_start_key;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct slice filter_expression;
    struct slice key_condition_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

/* The service's current validation layer. */
static const struct field query_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(query_request),
    TABLE_NAME_FIELD(query_request),
    {NAMED("IndexName"), AT(struct query_request, index_name), .type = FIELD_STRING,
     .flags = FIELD_NEW_FORM, .resource = RESOURCE_INDEX, LENGTH(3, 255), .pattern = NAME_PATTERN},
    CONDITIONAL_OPERATOR_FIELD(query_request, FIELD_BARE),
    SELECT_FIELD(query_request),
    {NAMED("Limit"), AT(struct query_request, limit), .type = FIELD_INTEGER,
     .flags = FIELD_NEW_FORM, AT_LEAST(1)},
    ATTRIBUTES_TO_GET_FIELD(query_request),
    CONSISTENT_READ_FIELD(query_request),
    {NAMED("ScanIndexForward"), AT(struct query_request, scan_index_forward),
     .type = FIELD_BOOLEAN},
    {NAMED("ExclusiveStartKey"), AT(struct query_request, exclusive_start_key), .type = FIELD_ITEM},
    EXPRESSION_FIELD(query_request, key_condition_expression, "KeyConditionExpression"),
    EXPRESSION_FIELD(query_request, filter_expression, "FilterExpression"),
    EXPRESSION_FIELD(query_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(query_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(query_request),
    LEGACY_FIELD(query_request, key_conditions, "KeyConditions", condition_shape),
    LEGACY_FIELD(query_request, query_filter, "QueryFilter", condition_shape),
    FIELDS_END,
};
static const struct shape query_shape = {"QueryInput", sizeof(struct query_request), query_fields};

static struct error *validate(struct op_call *call) {
    const struct query_request *request = call->request;
    const struct read_page_input input = READ_PAGE_INPUT(request);
    struct read_page *page = read_page_new(call, &input);
    page->expressions.values_alone_suffix =
        ": FilterExpression and KeyConditionExpression are null";
    expressions_add(&page->expressions, EXPR_KEY_CONDITION, "KeyConditionExpression",
                    request->key_condition_expression);
    struct arena *arena = call->arena;
    const struct legacy_parameter legacy[] = {
        {"AttributesToGet", request->attributes_to_get.present},
        {"QueryFilter", request->query_filter.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
        /* It goes with any other expression. */
        {"KeyConditions",
         request->key_conditions.present && slice_present(request->key_condition_expression)},
    };
    TRY(expressions_check_mixing(arena, &page->expressions, 4, legacy));
    TRY(expressions_check_presence(arena, &page->expressions));
    TRY(legacy_bind_filter(call, &page->expressions, &request->query_filter,
                           request->conditional_operator));
    TRY(projection_check_names(arena, &request->attributes_to_get));
    TRY(read_page_start_key_fault(arena, &request->exclusive_start_key));
    if (!slice_present(request->key_condition_expression) && !request->key_conditions.present)
        return error_validation(arena, "Either the KeyConditions or KeyConditionExpression "
                                       "parameter must be specified in the request.");
    TRY(expressions_bind(call, &page->expressions));
    page->projection.expr = expressions_get(&page->expressions, EXPR_PROJECTION);
    TRY(read_page_check_select(arena, page, "1 validation error detected: "));
    const struct expr *keys = expressions_get(&page->expressions, EXPR_KEY_CONDITION);
    return keys != NULL ? expr_check_key_conditions(arena, keys)
                        : legacy_check_key_conditions(arena, &request->key_conditions,
                                                      slice_present(request->index_name)
                                                          ? QUERY_CONDITIONS_MAX
                                                          : QUERY_CONDITIONS_PLAIN_MAX);
}

/* From KeyConditionExpression or KeyConditions. */
static size_t key_conditions(struct op_call *call, const struct key_condition **ret_conditions) {
    const struct query_request *request = call->request;
    const struct read_page *page = call->work;
    const struct expr *expression = expressions_get(&page->expressions, EXPR_KEY_CONDITION);
    return expression != NULL
               ? expr_key_conditions(expression, ret_conditions)
               : legacy_key_conditions(call->arena, &request->key_conditions, ret_conditions);
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct query_request *request = call->request;
    struct permission permission;
    const struct key_condition *conditions;
    size_t count = key_conditions(call, &conditions);
    permission_init(&permission, call, call->op->action, request->table_name, request->index_name);
    for (size_t i = 0; i < count; i++) {
        permission_add_name(check, &permission, conditions[i].name);
        if (permission.keys != NULL && conditions[i].op == KEY_EQ &&
            slice_equal(conditions[i].name, permission.keys->hash[0].name))
            permission_add_key_value(check, &permission, conditions[i].value);
    }
    return read_page_ask(call->work, check, &permission, request->exclusive_start_key.value);
}

/* ---- the checks that need the table, in the service's order ---- */

static struct error *match_conditions(struct op_call *call, struct read_page *page) {
    const struct expr *expression = expressions_get(&page->expressions, EXPR_KEY_CONDITION);
    const struct key_schema *keys = query_keys_schema(&page->range);
    const struct key_condition *conditions;
    size_t count = key_conditions(call, &conditions);
    if (expression != NULL)
        TRY(expr_check_key_conditions_once(call->arena, expression));
    else if (!query_keys_are_many(keys))
        TRY(legacy_check_key_count(call->arena, count, QUERY_CONDITIONS_PLAIN_MAX));
    TRY(query_keys_check_count(call->arena, keys, count));
    return query_keys_match(call->arena, conditions, count, &page->range);
}

struct filter_check {
    struct arena *arena;
    const struct key_schema *keys;
    const char *member; /* as the error calls the filter */
};

static struct error *check_filter_path(void *context, const struct expr_path_visit *visit) {
    const struct filter_check *check = context;
    if (key_schema_has(check->keys, visit->name))
        return error_validation(check->arena,
                                "%s can only contain non-primary key attributes: Primary key "
                                "attribute: %.*s",
                                check->member, SLICE_ARGS(visit->name));
    return NULL;
}

static struct error *check_filter(struct op_call *call, const struct read_page *page) {
    const struct query_request *request = call->request;
    const struct expr *filter = expressions_get(&page->expressions, EXPR_FILTER);
    struct filter_check check = {
        .arena = call->arena,
        .keys = query_keys_schema(&page->range),
        .member = request->query_filter.present ? "QueryFilter" : "Filter Expression",
    };
    return filter == NULL ? NULL : expr_visit_paths(filter, check_filter_path, &check);
}

static struct error *prepare(struct op_call *call) {
    const struct query_request *request = call->request;
    struct read_page *page = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    page->range = (struct read_range){
        .table = table,
        .reverse = request->scan_index_forward.present && !request->scan_index_forward.value,
        .start_key = request->exclusive_start_key.value,
    };
    if (slice_present(request->index_name))
        TRY(index_read_find(call, page, request->index_name));
    TRY(query_keys_check_start(call->arena, &page->range));
    TRY(match_conditions(call, page));
    TRY(index_read_check_table_start(call->arena, &page->range));
    TRY(query_keys_check_bounds(call->arena, &page->range));
    TRY(query_keys_check_restart(call->arena, &page->range));
    TRY(check_filter(call, page));
    TRY(index_read_check_attributes(call, page));
    TRY(index_read_check_filter(call, page));
    TRY(expressions_check_key_paths(call->arena, &page->expressions, &table->definition));
    page->table = table_ref(table);
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct read_page *page = call->work;
    if (page->table == NULL)
        TRY(prepare(call));
    return read_page_run(call, page, ret_state);
}

static void release(struct op_call *call) {
    read_page_release(call->work);
}

const struct op op_query = {
    .name = "Query",
    .action = "dynamodb:Query",
    .flags = OP_READS,
    .input = &query_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .release = release,
};
