/* query.c - Query: the items of one partition key, in the order of their sort keys. */
#include "model/key.h"
#include "ops/legacy/legacy.h"
#include "ops/permission/permission.h"
#include "ops/read/index_read.h"
#include "ops/read/query_keys.h"
#include "ops/read/read_request.h"

struct query_request {
    struct read_request read;         /* first: the rows of its members are those of read_request */
    struct field_list key_conditions; /* struct condition */
    struct field_bool scan_index_forward; /* absent: true */
    struct slice key_condition_expression;
};

/* The service's current validation layer. */
static const struct field query_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(read_request),
    TABLE_NAME_FIELD(read_request),
    {NAMED("IndexName"), AT(struct read_request, index_name), .type = FIELD_STRING,
     .flags = FIELD_NEW_FORM, .resource = RESOURCE_INDEX, LENGTH(3, 255), .pattern = NAME_PATTERN},
    CONDITIONAL_OPERATOR_FIELD(read_request, FIELD_BARE),
    SELECT_FIELD(read_request),
    {NAMED("Limit"), AT(struct read_request, limit), .type = FIELD_INTEGER, .flags = FIELD_NEW_FORM,
     AT_LEAST(1)},
    ATTRIBUTES_TO_GET_FIELD(read_request),
    CONSISTENT_READ_FIELD(read_request),
    {NAMED("ScanIndexForward"), AT(struct query_request, scan_index_forward),
     .type = FIELD_BOOLEAN},
    {NAMED("ExclusiveStartKey"), AT(struct read_request, exclusive_start_key), .type = FIELD_ITEM},
    EXPRESSION_FIELD(query_request, key_condition_expression, "KeyConditionExpression"),
    EXPRESSION_FIELD(read_request, filter_expression, "FilterExpression"),
    EXPRESSION_FIELD(read_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(read_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(read_request),
    LEGACY_FIELD(query_request, key_conditions, "KeyConditions", condition_shape),
    LEGACY_FIELD(read_request, filter, "QueryFilter", condition_shape),
    FIELDS_END,
};
static const struct shape query_shape = {"QueryInput", sizeof(struct query_request), query_fields};

static struct error *validate(struct op_call *call) {
    const struct query_request *request = call->request;
    struct read_page *page = read_request_page(call);
    bool expression = slice_present(request->key_condition_expression);
    page->expressions.values_alone_suffix =
        ": FilterExpression and KeyConditionExpression are null";
    expressions_add(&page->expressions, EXPR_KEY_CONDITION, "KeyConditionExpression",
                    request->key_condition_expression);
    /* KeyConditions go with any other expression. */
    TRY(read_request_check_members(call, "QueryFilter",
                                   request->key_conditions.present && expression));
    TRY(read_request_bind_filter(call));
    TRY(projection_check_names(call->arena, &request->read.attributes_to_get));
    TRY(read_request_check_start(call));
    if (!expression && !request->key_conditions.present)
        return error_validation(call->arena, "Either the KeyConditions or KeyConditionExpression "
                                             "parameter must be specified in the request.");
    TRY(read_request_bind(call, "1 validation error detected: "));
    const struct expr *keys = expressions_get(&page->expressions, EXPR_KEY_CONDITION);
    return keys != NULL ? expr_check_key_conditions(call->arena, keys)
                        : legacy_check_key_conditions(call->arena, &request->key_conditions,
                                                      page->has_index ? QUERY_CONDITIONS_MAX
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

static void add_key_value(const struct permission_check *check, struct permission *permission,
                          const struct key_condition *condition) {
    const struct key_schema *keys = permission->keys;
    for (size_t part = 0; keys != NULL && part < keys->hash_count; part++)
        if (slice_equal(condition->name, keys->hash[part].name))
            permission_add_key_value(check, permission, part, condition->value);
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct read_request *request = call->request;
    struct permission permission;
    const struct key_condition *conditions;
    size_t count = key_conditions(call, &conditions);
    permission_init(&permission, call, call->op->action, request->table_name, request->index_name);
    for (size_t i = 0; i < count; i++) {
        permission_add_name(check, &permission, conditions[i].name);
        if (conditions[i].op == KEY_EQ)
            add_key_value(check, &permission, &conditions[i]);
    }
    return read_request_ask(call, check, &permission);
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
    const struct read_request *request = call->request;
    const struct expr *filter = expressions_get(&page->expressions, EXPR_FILTER);
    struct filter_check check = {
        .arena = call->arena,
        .keys = query_keys_schema(&page->range),
        .member = request->filter.present ? "QueryFilter" : "Filter Expression",
    };
    return filter == NULL ? NULL : expr_visit_paths(filter, check_filter_path, &check);
}

static struct error *prepare(struct op_call *call, struct read_page *page) {
    const struct query_request *request = call->request;
    page->range.reverse = request->scan_index_forward.present && !request->scan_index_forward.value;
    if (page->has_index)
        TRY(index_read_find(call, page, request->read.index_name));
    TRY(query_keys_check_start(call->arena, &page->range));
    TRY(match_conditions(call, page));
    TRY(index_read_check_table_start(call->arena, &page->range));
    TRY(query_keys_check_bounds(call->arena, &page->range));
    TRY(query_keys_check_restart(call->arena, &page->range));
    TRY(check_filter(call, page));
    TRY(index_read_check_attributes(call, page));
    return index_read_check_filter(call, page);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    return read_request_run(call, prepare, ret_state);
}

const struct op op_query = {
    .name = "Query",
    .action = "dynamodb:Query",
    .flags = OP_READS,
    .input = &query_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .release = read_request_release,
};
