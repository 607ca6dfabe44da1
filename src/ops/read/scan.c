/* scan.c - Scan: all items of a table, or of one segment of it. */
#include "model/key.h"
#include "ops/item/item_fields.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"
#include "ops/permission/permission.h"
#include "ops/read/index_read.h"
#include "ops/read/read_page.h"

struct scan_request {
    struct slice table_name;
    struct slice index_name;
    struct slice select;
    struct field_list attributes_to_get; /* struct slice */
    struct field_int limit;
    struct field_int segment;
    struct field_int total_segments;
    struct field_bool consistent_read;
    struct field_list scan_filter; /* struct condition */
    struct slice conditional_operator;
    struct field_item exclusive_start_key;
    struct slice return_consumed_capacity;
    struct slice projection_expression;
    struct slice filter_expression;
    struct field_list expression_attribute_names;  /* struct field_pair */
    struct field_list expression_attribute_values; /* struct field_value */
};

/* The older validation layer, hence other forms than Query's. */
static const struct field scan_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(scan_request),
    TABLE_NAME_FIELD_OLDER(scan_request),
    {NAMED("IndexName"), AT(struct scan_request, index_name), .type = FIELD_STRING,
     .resource = RESOURCE_INDEX, LENGTH(3, 255), .pattern = NAME_PATTERN},
    SELECT_FIELD(scan_request),
    {NAMED("ConditionalOperator"), AT(struct scan_request, conditional_operator),
     .type = FIELD_STRING, .enum_text = "[OR, AND]"},
    {NAMED("Limit"), AT(struct scan_request, limit), .type = FIELD_INTEGER, AT_LEAST(1)},
    {NAMED("TotalSegments"), AT(struct scan_request, total_segments), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_SEGMENTS)},
    {NAMED("Segment"), AT(struct scan_request, segment), .type = FIELD_INTEGER,
     LENGTH(0, LIMIT_SEGMENTS - 1)},
    ATTRIBUTES_TO_GET_FIELD(scan_request),
    CONSISTENT_READ_FIELD(scan_request),
    {NAMED("ExclusiveStartKey"), AT(struct scan_request, exclusive_start_key), .type = FIELD_ITEM},
    EXPRESSION_FIELD(scan_request, filter_expression, "FilterExpression"),
    EXPRESSION_FIELD(scan_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(scan_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(scan_request),
    LEGACY_FIELD(scan_request, scan_filter, "ScanFilter", condition_shape),
    FIELDS_END,
};
static const struct shape scan_shape = {"ScanInput", sizeof(struct scan_request), scan_fields};

static struct error *check_segments(struct arena *arena, const struct scan_request *request) {
    const struct field_int *segment = &request->segment, *total = &request->total_segments;
    if (segment->present && !total->present)
        return error_validation(arena, "The TotalSegments parameter is required but was not "
                                       "present in the request when Segment parameter is present");
    if (total->present && !segment->present)
        return error_validation(arena,
                                "The Segment parameter is required but was not present in the "
                                "request when parameter TotalSegments is present");
    if (segment->present && segment->value >= total->value)
        return error_validation(arena,
                                "The Segment parameter is zero-based and must be less than "
                                "parameter TotalSegments: Segment: %lld is not less than "
                                "TotalSegments: %lld",
                                (long long)segment->value, (long long)total->value);
    return NULL;
}

static struct error *validate(struct op_call *call) {
    const struct scan_request *request = call->request;
    const struct read_page_input input = READ_PAGE_INPUT(request);
    struct read_page *page = read_page_new(call, &input);
    page->expressions.values_alone_suffix = ": FilterExpression is null";
    struct arena *arena = call->arena;
    const struct legacy_parameter legacy[] = {
        {"AttributesToGet", request->attributes_to_get.present},
        {"ScanFilter", request->scan_filter.present},
        {"ConditionalOperator", slice_present(request->conditional_operator)},
    };
    TRY(expressions_check_mixing(arena, &page->expressions, 3, legacy));
    TRY(expressions_check_presence(arena, &page->expressions));
    TRY(projection_check_names(arena, &request->attributes_to_get));
    TRY(legacy_bind_filter(call, &page->expressions, &request->scan_filter,
                           request->conditional_operator));
    TRY(read_page_start_key_fault(arena, &request->exclusive_start_key));
    TRY(check_segments(arena, request));
    TRY(expressions_bind(call, &page->expressions));
    page->projection.expr = expressions_get(&page->expressions, EXPR_PROJECTION);
    return read_page_check_select(arena, page, "");
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct scan_request *request = call->request;
    struct permission permission;
    permission_init(&permission, call, call->op->action, request->table_name, request->index_name);
    return read_page_ask(call->work, check, &permission, request->exclusive_start_key.value);
}

static struct error *check_table_start(struct arena *arena, const struct read_range *range) {
    struct error *error = key_check(arena, &range->table->definition.keys, range->start_key);
    if (error == NULL)
        return NULL;
    return error_validation(arena, "The provided starting key is invalid: %.*s",
                            SLICE_ARGS(error->message));
}

static struct error *check_segment_start(struct op_call *call, const struct read_range *range) {
    const struct scan_request *request = call->request;
    if (!request->total_segments.present ||
        read_segment_holds(call->context->engine, call->arena, range))
        return NULL;
    return error_validation(
        call->arena,
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
        "ExclusiveStartKey with correct Segment. TotalSegments: %lld Segment: %lld",
        (long long)request->total_segments.value, (long long)request->segment.value);
}

static struct error *check_index(struct op_call *call, struct read_page *page) {
    const struct scan_request *request = call->request;
    /* A start key cannot be one of an index that is not there, and that is what is said. */
    if (value_present(page->range.start_key) &&
        table_find_index(&page->range.table->definition, request->index_name) == NULL)
        return error_validation(call->arena, "The provided starting key is invalid");
    TRY(index_read_find(call, page, request->index_name));
    TRY(index_read_check_start(call->arena, &page->range));
    TRY(index_read_check_attributes(call, page));
    return index_read_check_table_start(call->arena, &page->range);
}

static struct error *prepare(struct op_call *call) {
    const struct scan_request *request = call->request;
    struct read_page *page = call->work;
    struct table *table;
    TRY(table_lookup(call, request->table_name, &table));
    page->range = (struct read_range){
        .table = table,
        .start_key = request->exclusive_start_key.value,
        .segment = (uint32_t)request->segment.value,
        .total_segments = (uint32_t)request->total_segments.value,
    };
    bool starts = value_present(page->range.start_key);
    if (slice_present(request->index_name))
        TRY(check_index(call, page));
    else if (starts)
        TRY(check_table_start(call->arena, &page->range));
    if (starts)
        TRY(check_segment_start(call, &page->range));
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

const struct op op_scan = {
    .name = "Scan",
    .action = "dynamodb:Scan",
    .flags = OP_READS | OP_OLDER_LAYER,
    .input = &scan_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .release = release,
};
