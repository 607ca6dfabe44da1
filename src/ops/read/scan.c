/* scan.c - Scan: all items of a table, or of one segment of it. */
#include "model/key.h"
#include "ops/permission/permission.h"
#include "ops/read/index_read.h"
#include "ops/read/read_request.h"

struct scan_request {
    struct read_request read; /* first: the rows of its members are those of read_request */
    struct field_int segment;
    struct field_int total_segments;
};

/* The older validation layer, hence other forms than Query's. */
static const struct field scan_fields[] = {
    RETURN_CONSUMED_CAPACITY_FIELD(read_request),
    TABLE_NAME_FIELD_OLDER(read_request),
    {NAMED("IndexName"), AT(struct read_request, index_name), .type = FIELD_STRING,
     .resource = RESOURCE_INDEX, LENGTH(3, 255), .pattern = NAME_PATTERN},
    SELECT_FIELD(read_request),
    {NAMED("ConditionalOperator"), AT(struct read_request, conditional_operator),
     .type = FIELD_STRING, .enum_text = "[OR, AND]"},
    {NAMED("Limit"), AT(struct read_request, limit), .type = FIELD_INTEGER, AT_LEAST(1)},
    {NAMED("TotalSegments"), AT(struct scan_request, total_segments), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_SEGMENTS)},
    {NAMED("Segment"), AT(struct scan_request, segment), .type = FIELD_INTEGER,
     LENGTH(0, LIMIT_SEGMENTS - 1)},
    ATTRIBUTES_TO_GET_FIELD(read_request),
    CONSISTENT_READ_FIELD(read_request),
    {NAMED("ExclusiveStartKey"), AT(struct read_request, exclusive_start_key), .type = FIELD_ITEM},
    EXPRESSION_FIELD(read_request, filter_expression, "FilterExpression"),
    EXPRESSION_FIELD(read_request, projection_expression, "ProjectionExpression"),
    EXPRESSION_ATTRIBUTE_NAMES_FIELD(read_request),
    EXPRESSION_ATTRIBUTE_VALUES_FIELD(read_request),
    LEGACY_FIELD(read_request, filter, "ScanFilter", condition_shape),
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
    struct read_page *page = read_request_page(call);
    page->expressions.values_alone_suffix = ": FilterExpression is null";
    TRY(read_request_check_members(call, "ScanFilter", false));
    TRY(projection_check_names(call->arena, &request->read.attributes_to_get));
    TRY(read_request_bind_filter(call));
    TRY(read_request_check_start(call));
    TRY(check_segments(call->arena, request));
    return read_request_bind(call, "");
}

static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct read_request *request = call->request;
    struct permission permission;
    permission_init(&permission, call, call->op->action, request->table_name, request->index_name);
    return read_request_ask(call, check, &permission);
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
    const struct read_request *request = call->request;
    /* A start key cannot be one of an index that is not there, and that is what is said. */
    if (value_present(page->range.start_key) &&
        table_find_index(&page->range.table->definition, request->index_name) == NULL)
        return error_validation(call->arena, "The provided starting key is invalid");
    TRY(index_read_find(call, page, request->index_name));
    TRY(index_read_check_start(call->arena, &page->range));
    TRY(index_read_check_attributes(call, page));
    return index_read_check_table_start(call->arena, &page->range);
}

static struct error *prepare(struct op_call *call, struct read_page *page) {
    const struct scan_request *request = call->request;
    bool starts = value_present(page->range.start_key);
    page->range.segment = (uint32_t)request->segment.value;
    page->range.total_segments = (uint32_t)request->total_segments.value;
    if (page->has_index)
        TRY(check_index(call, page));
    else if (starts)
        TRY(check_table_start(call->arena, &page->range));
    return starts ? check_segment_start(call, &page->range) : NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    return read_request_run(call, prepare, ret_state);
}

const struct op op_scan = {
    .name = "Scan",
    .action = "dynamodb:Scan",
    .flags = OP_READS | OP_OLDER_LAYER,
    .input = &scan_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .release = read_request_release,
};
