/* list_streams.c - ListStreams: by the names of their tables, then by age, a page at a time. */
#include "json/member.h"
#include "model/limits.h"
#include "ops/stream/stream_arn.h"

struct list_streams_request {
    struct slice table_name;
    struct field_int limit;
    struct slice exclusive_start_stream_arn;
};

static const struct field list_streams_fields[] = {
    {NAMED("TableName"), AT(struct list_streams_request, table_name), .type = FIELD_STRING,
     .pattern = NAME_PATTERN, LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)},
    {NAMED("Limit"), AT(struct list_streams_request, limit), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_LIST_STREAMS)},
    {NAMED("ExclusiveStartStreamArn"), AT(struct list_streams_request, exclusive_start_stream_arn),
     .type = FIELD_STRING, AT_MOST(1024)},
    FIELDS_END,
};
static const struct shape list_streams_shape = {
    "ListStreamsInput", sizeof(struct list_streams_request), list_streams_fields};

static void write_stream(const struct op_call *call, struct json_writer *json,
                         const struct stream_definition *stream) {
    json_object_begin(json);
    member_text(json, "StreamArn", stream_arn_print(call, stream));
    member_text(json, "TableName", stream->table_name);
    member_text(json, "StreamLabel", stream->label);
    json_object_end(json);
}

/* One more is read than is shown, to know whether there is more. */
static struct error *write_page(const struct op_call *call, struct stream_list *list) {
    const struct list_streams_request *request = call->request;
    int64_t limit = request->limit.present ? request->limit.value : LIMIT_LIST_STREAMS;
    struct stream_definition stream, last = {.id = 0};
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_array(&json, "Streams");
    TRY(stream_list_next(list, &stream));
    for (int64_t i = 0; i < limit && stream.id != 0; i++) {
        write_stream(call, &json, &stream);
        last = stream;
        TRY(stream_list_next(list, &stream));
    }
    json_array_end(&json);
    if (stream.id != 0)
        member_text(&json, "LastEvaluatedStreamArn", stream_arn_print(call, &last));
    json_object_end(&json);
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct list_streams_request *request = call->request;
    struct stream_list_range range = {.table_name = request->table_name};
    struct stream_list list = {.scan = NULL};
    struct reader reader;
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    if (slice_present(request->exclusive_start_stream_arn)) {
        struct stream_arn after;
        TRY(stream_arn_parse(call, request->exclusive_start_stream_arn, &after));
        range.after_table_name = after.table_name;
        range.after_label = after.label;
    }
    TRY(reader_begin(call->context->engine, call->arena, READ_ONCE, &reader));
    struct error *error = stream_list_open(&reader, &range, &list);
    if (error == NULL)
        error = write_page(call, &list);
    stream_list_close(&list);
    reader_end(&reader);
    *ret_state = OP_DONE;
    return error;
}

const struct op op_list_streams = {
    .name = "ListStreams",
    .action = "dynamodb:ListStreams",
    .flags = OP_CONTROL | OP_STREAMS | OP_NO_RESOURCE,
    .input = &list_streams_shape,
    .run = run,
};
