/* scan.c - Scan: all items of a table, or of one segment of it. */
#include "model/key.h"
#include "ops/item/table_lookup.h"
#include "ops/legacy/legacy.h"
#include "ops/permission/permission.h"
#include "ops/read/index_read.h"
#include "ops/read/read_input.h"
#include "ops/read/read_page.h"

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
    TRY(read_page_start_key_fault(arena, request->exclusive_start_key.fault));
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
