/* get_shard_iterator.c - GetShardIterator: where reading a shard starts. */
#include "json/member.h"
#include "ops/stream/stream_iterator.h"

struct get_shard_iterator_request {
    struct slice stream_arn;
    struct slice shard_id;
    struct slice shard_iterator_type;
    struct slice sequence_number;
};

static const struct field get_shard_iterator_fields[] = {
    {STREAM_ARN_FIELD(get_shard_iterator_request)},
    {SHARD_ID_FIELD("ShardId", get_shard_iterator_request, shard_id), .flags = FIELD_REQUIRED},
    {NAMED("ShardIteratorType"), AT(struct get_shard_iterator_request, shard_iterator_type),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED,
     .enum_text = "[AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]"},
    {NAMED("SequenceNumber"), AT(struct get_shard_iterator_request, sequence_number),
     .type = FIELD_STRING, LENGTH(21, 40)},
    FIELDS_END,
};
static const struct shape get_shard_iterator_shape = {
    "GetShardIteratorInput", sizeof(struct get_shard_iterator_request), get_shard_iterator_fields};

static bool is_by_number(struct slice type) {
    return slice_is(type, "AT_SEQUENCE_NUMBER") || slice_is(type, "AFTER_SEQUENCE_NUMBER");
}

static struct error *validate(struct op_call *call) {
    const struct get_shard_iterator_request *request = call->request;
    bool by_number = is_by_number(request->shard_iterator_type);
    if (by_number == slice_present(request->sequence_number))
        return NULL;
    return error_request(call->arena,
                         PVI "SequenceNumber %s be specified for ShardIteratorType %.*s",
                         by_number ? "must" : "must not", SLICE_ARGS(request->shard_iterator_type));
}

/* The number must be one that the shard may have, and still be kept. */
static struct error *place_at_number(struct op_call *call, const struct stream_extent *extent,
                                     struct stream_iterator *iterator) {
    const struct get_shard_iterator_request *request = call->request;
    uint64_t number;
    if (!sequence_parse(request->sequence_number, &number) ||
        number < shard_first(extent, iterator->shard) ||
        number > shard_last(extent, iterator->shard))
        return error_validation(call->arena, "Invalid SequenceNumber: %.*s",
                                SLICE_ARGS(request->sequence_number));
    if (sequence_ms(number) < stream_horizon_ms(call->context->engine))
        return error_new(call->arena, ERROR_TRIMMED_DATA_ACCESS, TRIMMED_TEXT);
    bool after = slice_is(request->shard_iterator_type, "AFTER_SEQUENCE_NUMBER");
    iterator->position = after ? number + 1 : number;
    return NULL;
}

/* `last` was the last number before the stream was read: later writes have larger ones. */
static struct error *place(struct op_call *call, struct reader *reader,
                           const struct stream_definition *stream, uint64_t last,
                           struct stream_iterator *iterator) {
    const struct get_shard_iterator_request *request = call->request;
    struct stream_extent extent =
        stream_extent_of(stream, last, stream_horizon_ms(call->context->engine));
    if (!shard_id_find(&extent, request->shard_id, &iterator->shard))
        return error_new(call->arena, ERROR_RESOURCE_NOT_FOUND,
                         "Requested resource not found: Shard does not exist");
    iterator->stream_id = stream->id;
    iterator->issued_ms = clock_now_ms(call->context->clock);
    if (is_by_number(request->shard_iterator_type))
        return place_at_number(call, &extent, iterator);
    iterator->from_horizon = slice_is(request->shard_iterator_type, "TRIM_HORIZON");
    iterator->caught_up = !iterator->from_horizon;
    iterator->position = 0;
    if (iterator->from_horizon)
        return NULL;
    TRY(stream_latest(reader, stream, iterator->shard, last, &iterator->position));
    iterator->position++;
    return NULL;
}

static void write_reply(const struct op_call *call, const struct stream_iterator *iterator) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_text(&json, "ShardIterator", stream_iterator_print(call, iterator));
    json_object_end(&json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct get_shard_iterator_request *request = call->request;
    struct stream_iterator iterator = {.stream_id = 0};
    struct stream_definition stream;
    struct reader reader;
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    TRY(stream_arn_parse(call, request->stream_arn, &iterator.arn));
    uint64_t last = engine_last_number(call->context->engine);
    TRY(reader_begin(call->context->engine, call->arena, READ_ONCE, &reader));
    struct error *error = stream_arn_find(&reader, &iterator.arn, &stream);
    if (error == NULL)
        error = place(call, &reader, &stream, last, &iterator);
    reader_end(&reader);
    if (error == NULL)
        write_reply(call, &iterator);
    *ret_state = OP_DONE;
    return error;
}

const struct op op_get_shard_iterator = {
    .name = "GetShardIterator",
    .action = "dynamodb:GetShardIterator",
    .flags = OP_READS | OP_STREAMS,
    .input = &get_shard_iterator_shape,
    .validate = validate,
    .run = run,
};
