/* describe_stream.c - DescribeStream: a stream and its shards, in the order of their ids, which is
 * also that of their ages. */
#include "json/member.h"
#include "model/table_json.h"
#include "ops/stream/stream_arn.h"
#include "ops/table/table_description.h"

enum { SHARDS_PER_PAGE = 100 };

struct shard_filter_input {
    struct slice type;
    struct slice shard_id;
};

struct describe_stream_request {
    struct slice stream_arn;
    struct field_int limit;
    struct slice exclusive_start_shard_id;
    struct shard_filter_input *shard_filter;
};

static const struct field shard_filter_fields[] = {
    {NAMED("Type"), AT(struct shard_filter_input, type), .type = FIELD_STRING,
     .enum_text = "[CHILD_SHARDS]"},
    {SHARD_ID_FIELD("ShardId", shard_filter_input, shard_id)},
    FIELDS_END,
};
static const struct shape shard_filter_shape = {"ShardFilter", sizeof(struct shard_filter_input),
                                                shard_filter_fields};

static const struct field describe_stream_fields[] = {
    {STREAM_ARN_FIELD(describe_stream_request)},
    {NAMED("Limit"), AT(struct describe_stream_request, limit), .type = FIELD_INTEGER,
     LENGTH(1, SHARDS_PER_PAGE)},
    {SHARD_ID_FIELD("ExclusiveStartShardId", describe_stream_request, exclusive_start_shard_id)},
    {NAMED("ShardFilter"), AT(struct describe_stream_request, shard_filter), .type = FIELD_STRUCT,
     .shape = &shard_filter_shape},
    FIELDS_END,
};
static const struct shape describe_stream_shape = {
    "DescribeStreamInput", sizeof(struct describe_stream_request), describe_stream_fields};

static struct error *validate(struct op_call *call) {
    const struct describe_stream_request *request = call->request;
    const struct shard_filter_input *filter = request->shard_filter;
    if (filter != NULL && slice_present(filter->type) != slice_present(filter->shard_id))
        return error_request(call->arena, PVI "ShardFilter must have both Type and ShardId");
    return NULL;
}

/* ---- shards ---- */

static void write_id(struct json_writer *json, const char *name,
                     const struct stream_definition *stream, struct stream_shard shard) {
    char id[SHARD_ID_CHARS + 1];
    shard_id_print(stream, shard, id);
    member_text(json, name, slice_text(id));
}

static void write_number(struct json_writer *json, const char *name, uint64_t number) {
    char text[SEQUENCE_CHARS + 1];
    sequence_print(number, text);
    member_text(json, name, slice_text(text));
}

static void write_shard(struct json_writer *json, const struct stream_extent *extent,
                        struct stream_shard shard) {
    uint64_t last = shard_last(extent, shard);
    json_object_begin(json);
    write_id(json, "ShardId", extent->stream, shard);
    member_object(json, "SequenceNumberRange");
    write_number(json, "StartingSequenceNumber", shard_first(extent, shard));
    if (last != UINT64_MAX)
        write_number(json, "EndingSequenceNumber", last);
    json_object_end(json);
    if (shard.generation > 0)
        write_id(json, "ParentShardId", extent->stream,
                 (struct stream_shard){shard.generation - 1, shard.number});
    json_object_end(json);
}

/* Whether the request wants it: after where the page starts, and a child of what is asked for. */
static bool is_wanted(const struct describe_stream_request *request,
                      const struct stream_definition *stream, struct stream_shard shard) {
    char id[SHARD_ID_CHARS + 1];
    shard_id_print(stream, shard, id);
    if (slice_present(request->exclusive_start_shard_id) &&
        slice_compare(slice_text(id), request->exclusive_start_shard_id) <= 0)
        return false;
    if (request->shard_filter == NULL || !slice_present(request->shard_filter->shard_id))
        return true;
    if (shard.generation == 0)
        return false;
    shard_id_print(stream, (struct stream_shard){shard.generation - 1, shard.number}, id);
    return slice_is(request->shard_filter->shard_id, id);
}

static void write_shards(const struct op_call *call, struct json_writer *json,
                         const struct stream_extent *extent) {
    const struct describe_stream_request *request = call->request;
    int64_t limit = request->limit.present ? request->limit.value : SHARDS_PER_PAGE;
    int64_t count = 0;
    struct stream_shard last = {0, 0};
    uint8_t numbers[STREAM_SHARDS_MAX];
    shard_order(extent->stream, numbers);
    member_array(json, "Shards");
    for (uint32_t g = extent->first; g < extent->count && count <= limit; g++) {
        for (int64_t i = 0; i < extent->stream->shards && count <= limit; i++) {
            struct stream_shard shard = {g, numbers[i]};
            if (!is_wanted(request, extent->stream, shard))
                continue;
            if (count++ < limit) {
                write_shard(json, extent, shard);
                last = shard;
            }
        }
    }
    json_array_end(json);
    if (count > limit)
        write_id(json, "LastEvaluatedShardId", extent->stream, last);
}

/* ---- the whole ---- */

static void write_stream(const struct op_call *call, const struct stream_definition *stream,
                         uint64_t last) {
    struct stream_extent extent =
        stream_extent_of(stream, last, stream_horizon_ms(call->context->engine));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_object(&json, "StreamDescription");
    member_text(&json, "StreamArn", stream_arn_print(call, stream));
    member_text(&json, "StreamLabel", stream->label);
    member_word(&json, "StreamStatus",
                feature_status_name(stream->ended != 0 ? FEATURE_DISABLED : FEATURE_ENABLED));
    member_word(&json, "StreamViewType", stream_view_name(stream->view));
    JSON_NAME_LITERAL(&json, "CreationRequestDateTime");
    json_timestamp(&json, stream->created_ms);
    member_text(&json, "TableName", stream->table_name);
    key_schema_write(&json, &stream->keys);
    write_shards(call, &json, &extent);
    json_object_end(&json);
    json_object_end(&json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct describe_stream_request *request = call->request;
    struct stream_arn arn;
    struct stream_definition stream;
    struct reader reader;
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    TRY(stream_arn_parse(call, request->stream_arn, &arn));
    uint64_t last = engine_last_number(call->context->engine);
    TRY(reader_begin(call->context->engine, call->arena, READ_ONCE, &reader));
    struct error *error = stream_arn_find(&reader, &arn, &stream);
    if (error == NULL)
        write_stream(call, &stream, last);
    reader_end(&reader);
    *ret_state = OP_DONE;
    return error;
}

const struct op op_describe_stream = {
    .name = "DescribeStream",
    .action = "dynamodb:DescribeStream",
    .flags = OP_CONTROL | OP_STREAMS,
    .input = &describe_stream_shape,
    .validate = validate,
    .run = run,
};
