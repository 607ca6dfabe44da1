/* read_request.c - from a request to its page. Memory: the call's arena. */
#include "ops/read/read_request.h"

#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"
#include "ops/permission/permission.h"

struct read_page *read_request_page(struct op_call *call) {
    const struct read_request *request = call->request;
    struct read_page *page = ARENA_NEW(call->arena, struct read_page);
    call->work = page;
    page->table_name = request->table_name;
    page->return_consumed_capacity = request->return_consumed_capacity;
    page->projection.names = &request->attributes_to_get;
    page->select = request->select;
    page->has_index = slice_present(request->index_name);
    page->count_only = slice_is(request->select, "COUNT");
    page->consistent = request->consistent_read.value;
    page->limit = request->limit.value;
    page->expressions.names = &request->expression_attribute_names;
    page->expressions.values = &request->expression_attribute_values;
    expressions_add(&page->expressions, EXPR_FILTER, "FilterExpression",
                    request->filter_expression);
    expressions_add(&page->expressions, EXPR_PROJECTION, "ProjectionExpression",
                    request->projection_expression);
    return page;
}

/* ---- validation ---- */

struct error *read_request_check_members(struct op_call *call, const char *filter,
                                         bool key_conditions) {
    const struct read_request *request = call->request;
    const struct read_page *page = call->work;
    const struct legacy_parameter legacy[] = {
        {"AttributesToGet", request->attributes_to_get.present},
        {filter, request->filter.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
        {"KeyConditions", key_conditions},
    };
    TRY(expressions_check_mixing(call->arena, &page->expressions, 4, legacy));
    return expressions_check_presence(call->arena, &page->expressions);
}

struct error *read_request_bind_filter(struct op_call *call) {
    const struct read_request *request = call->request;
    struct read_page *page = call->work;
    return legacy_bind_filter(call, &page->expressions, &request->filter,
                              request->conditional_operator);
}

/* What is wrong with a number or a set of them comes as it is; all else is said of the key. */
struct error *read_request_check_start(struct op_call *call) {
    const struct read_request *request = call->request;
    const struct field_item *start_key = &request->exclusive_start_key;
    struct error *fault = start_key->fault;
    if (fault == NULL || start_key->fault_kind == VALUE_FAULT_NUMBER ||
        start_key->fault_kind == VALUE_FAULT_DUPLICATE)
        return fault;
    return error_validation(call->arena, "The provided starting key is invalid: %.*s",
                            SLICE_ARGS(fault->message));
}

static struct error *cannot_specify(struct arena *arena, const struct read_page *page,
                                    const char *prefix) {
    bool count = slice_is(page->select, "COUNT");
    bool by_expression = page->projection.expr != NULL;
    return error_validation(arena, "%sCannot specify the %s when choosing to get %.*s", prefix,
                            by_expression ? "ProjectionExpression" : "AttributesToGet",
                            SLICE_ARGS(count ? SLICE_LITERAL("only the Count") : page->select));
}

static struct error *check_select(struct arena *arena, const struct read_page *page,
                                  const char *prefix) {
    if (!slice_present(page->select))
        return NULL;
    bool chosen = page->projection.expr != NULL || page->projection.names->present;
    if (slice_is(page->select, "SPECIFIC_ATTRIBUTES")) {
        if (!chosen)
            return error_validation(arena,
                                    "%sMust specify the AttributesToGet or ProjectionExpression "
                                    "when choosing to get SPECIFIC_ATTRIBUTES",
                                    prefix);
        return NULL;
    }
    if (chosen)
        return cannot_specify(arena, page, prefix);
    if (slice_is(page->select, "ALL_PROJECTED_ATTRIBUTES") && !page->has_index)
        return error_validation(arena,
                                "%sALL_PROJECTED_ATTRIBUTES can be used only when Querying using "
                                "an IndexName",
                                prefix);
    return NULL;
}

struct error *read_request_bind(struct op_call *call, const char *prefix) {
    struct read_page *page = call->work;
    TRY(expressions_bind(call, &page->expressions));
    page->projection.expr = expressions_get(&page->expressions, EXPR_PROJECTION);
    return check_select(call->arena, page, prefix);
}

/* ---- the rest ---- */

struct error *read_request_ask(struct op_call *call, const struct permission_check *check,
                               struct permission *permission) {
    const struct read_request *request = call->request;
    const struct read_page *page = call->work;
    const struct field_list *names = page->projection.names;
    permission_add_parameters(check, permission);
    permission_add_select(permission, page->select, page->projection.expr != NULL || names->present,
                          page->has_index);
    permission_add_item(check, permission, request->exclusive_start_key.value);
    permission_add_expressions(check, permission, &page->expressions);
    permission_add_names(check, permission, names);
    return check->ask(check, permission);
}

static struct error *find_table(struct op_call *call, read_request_prepare *prepare) {
    const struct read_request *request = call->request;
    struct read_page *page = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    page->range.table = table;
    page->range.start_key = request->exclusive_start_key.value;
    TRY(prepare(call, page));
    TRY(expressions_check_key_paths(call->arena, &page->expressions, &table->definition));
    page->table = table_ref(table);
    return NULL;
}

struct error *read_request_run(struct op_call *call, read_request_prepare *prepare,
                               enum op_state *ret_state) {
    struct read_page *page = call->work;
    if (page->table == NULL)
        TRY(find_table(call, prepare));
    return read_page_run(call, page, ret_state);
}

void read_request_release(struct op_call *call) {
    read_page_release(call->work);
}
