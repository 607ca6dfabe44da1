/* get_records.c - GetRecords: the next records of a shard.
 *
 * One get for the stream and one scan; records go from the store to the reply as they are. A page
 * that turns out to be long goes on on a worker thread. */
#include "base/bytes.h"
#include "engine/write.h"
#include "json/member.h"
#include "model/limits.h"
#include "model/value_json.h"
#include "ops/stream/stream_iterator.h"
#include "ops/table/table_description.h"

/* What an I/O thread does at most before the page moves to a worker. */
enum { HERE_RECORDS_MAX = 256, HERE_BYTES_MAX = 128 * 1024 };

struct get_records_request {
    struct slice shard_iterator;
    struct field_int limit;
};

static const struct field get_records_fields[] = {
    {NAMED("ShardIterator"), AT(struct get_records_request, shard_iterator), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED, .resource = RESOURCE_SHARD_ITERATOR, LENGTH(1, 2048)},
    {NAMED("Limit"), AT(struct get_records_request, limit), .type = FIELD_INTEGER,
     LENGTH(1, LIMIT_STREAM_RECORDS)},
    FIELDS_END,
};
static const struct shape get_records_shape = {
    "GetRecordsInput", sizeof(struct get_records_request), get_records_fields};

struct page {
    struct stream_iterator iterator; /* moves with the records */
    struct stream_definition stream;
    struct reader reader;
    struct stream_cursor cursor;
    struct json_writer json;
    bool started;
    bool closed;    /* nothing will come to the shard any more */
    bool exhausted; /* there was nothing left to read */
    int64_t count;
    size_t bytes;
};

static struct error *validate(struct op_call *call) {
    const struct get_records_request *request = call->request;
    struct page *page = ARENA_NEW(call->arena, struct page);
    call->work = page;
    TRY(stream_iterator_parse(call, request->shard_iterator, &page->iterator));
    int64_t age_ms = clock_now_ms(call->context->clock) - page->iterator.issued_ms;
    if (age_ms > LIMIT_STREAM_ITERATOR_MS)
        return error_new(call->arena, ERROR_EXPIRED_ITERATOR,
                         "The provided iterator exceeds the maximum age allowed.");
    return NULL;
}

/* ---- records ---- */

/* The same for the same record, whoever reads it and however often. */
static void write_event_id(const struct op_call *call, struct page *page, uint64_t number) {
    uint8_t input[] = "stream record\0iiiinnnnnnnn", hash[16];
    char text[2 * sizeof(hash)];
    store_u32(input + 14, page->stream.id);
    store_u64(input + 18, number);
    engine_fingerprint(call->context->engine, slice_of(input, 26), hash);
    hex_print(hash, sizeof(hash), text);
    member_text(&page->json, "eventID", slice_of(text, sizeof(text)));
}

static void write_keys(struct json_writer *json, const struct key_schema *keys,
                       const struct stream_record *record) {
    struct value from = record->keys;
    if (!value_present(from))
        from = value_present(record->new_image) ? record->new_image : record->old_image;
    member_object(json, "Keys");
    for (size_t i = 0; i < (size_t)keys->hash_count + keys->range_count; i++) {
        struct slice name = i == 0 ? keys->hash[0].name : keys->range[0].name;
        json_name(json, name);
        value_write_json(json, value_map_find(from, name));
    }
    json_object_end(json);
}

static void write_image(struct json_writer *json, const char *name, struct value image) {
    if (!value_present(image))
        return;
    json_name(json, slice_text(name));
    item_write_json(json, image);
}

static void write_change(struct page *page, uint64_t number, const struct stream_record *record) {
    struct json_writer *json = &page->json;
    char text[SEQUENCE_CHARS + 1];
    sequence_print(number, text);
    member_object(json, "dynamodb");
    member_integer(json, "ApproximateCreationDateTime", sequence_ms(number) / 1000);
    write_keys(json, &page->stream.keys, record);
    write_image(json, "NewImage", record->new_image);
    write_image(json, "OldImage", record->old_image);
    member_word(json, "SequenceNumber", text);
    member_integer(json, "SizeBytes", record->size);
    member_word(json, "StreamViewType", stream_view_name(page->stream.view));
    json_object_end(json);
}

static void write_record(const struct op_call *call, struct page *page, uint64_t number,
                         const struct stream_record *record) {
    static const char *const events[] = {
        [CHANGE_INSERT] = "INSERT", [CHANGE_MODIFY] = "MODIFY", [CHANGE_REMOVE] = "REMOVE"};
    struct json_writer *json = &page->json;
    json_object_begin(json);
    write_event_id(call, page, number);
    member_word(json, "eventName", events[record->event]);
    member_text(json, "eventVersion", SLICE_LITERAL("1.1"));
    member_text(json, "eventSource", SLICE_LITERAL("aws:dynamodb"));
    member_text(json, "awsRegion", call->context->region);
    write_change(page, number, record);
    if (record->expired) {
        member_object(json, "userIdentity");
        member_text(json, "PrincipalId", SLICE_LITERAL("dynamodb.amazonaws.com"));
        member_text(json, "Type", SLICE_LITERAL("Service"));
        json_object_end(json);
    }
    json_object_end(json);
}

/* ---- the page ---- */

/* The last number is taken before anything is read: a shard that is closed by it has all its
 * records where this reader sees them. */
static struct error *start(struct op_call *call, struct page *page) {
    struct stream_iterator *iterator = &page->iterator;
    struct engine *engine = call->context->engine;
    uint64_t last = engine_last_number(engine);
    int64_t horizon_ms = stream_horizon_ms(engine);
    TRY(reader_begin(engine, call->arena, READ_ONCE, &page->reader));
    TRY(stream_arn_find(&page->reader, &iterator->arn, &page->stream));
    if (page->stream.id != iterator->stream_id)
        return stream_not_found(call->arena, iterator->arn.text);
    struct stream_extent extent = stream_extent_of(&page->stream, last, horizon_ms);
    uint64_t end = shard_last(&extent, iterator->shard);
    page->closed = end != UINT64_MAX;
    if (iterator->from_horizon) {
        uint64_t first = shard_first(&extent, iterator->shard);
        uint64_t kept = sequence_at(horizon_ms);
        iterator->position = first > kept ? first : kept;
    } else if (!iterator->caught_up && sequence_ms(iterator->position) < horizon_ms) {
        return error_new(call->arena, ERROR_TRIMMED_DATA_ACCESS, TRIMMED_TEXT);
    }
    TRY(stream_cursor_open(&page->reader, &page->stream, iterator->shard, iterator->position, end,
                           &page->cursor));
    page->started = true;
    json_writer_init(&page->json, call->reply);
    json_object_begin(&page->json);
    member_array(&page->json, "Records");
    return NULL;
}

/* Reads until the page is full, or until it is time to go on elsewhere. */
static struct error *read_on(struct op_call *call, struct page *page, bool *ret_complete) {
    const struct get_records_request *request = call->request;
    int64_t limit = request->limit.present ? request->limit.value : LIMIT_STREAM_RECORDS;
    *ret_complete = true;
    while (page->count < limit) {
        uint64_t number;
        struct stream_record record;
        if (!call->elsewhere &&
            (page->count >= HERE_RECORDS_MAX || page->bytes >= HERE_BYTES_MAX)) {
            *ret_complete = false;
            return NULL;
        }
        TRY(stream_cursor_next(&page->cursor, &number, &record));
        page->exhausted = number == 0;
        if (page->exhausted)
            return NULL;
        if (page->count > 0 && page->bytes + record.size > LIMIT_STREAM_BYTES)
            return NULL;
        page->bytes += record.size;
        write_record(call, page, number, &record);
        page->iterator.position = number + 1;
        page->count++;
    }
    return NULL;
}

static void write_end(struct op_call *call, struct page *page) {
    struct stream_iterator next = page->iterator;
    call->account.stream = (struct account_stream){
        .table_name = next.arn.table_name,
        .id = page->stream.id,
        .records = (uint64_t)page->count,
        .bytes = page->bytes,
    };
    json_array_end(&page->json);
    if (!page->closed || !page->exhausted) {
        next.from_horizon = false;
        next.caught_up = page->exhausted;
        next.issued_ms = clock_now_ms(call->context->clock);
        member_text(&page->json, "NextShardIterator", stream_iterator_print(call, &next));
    }
    json_object_end(&page->json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct page *page = call->work;
    bool complete;
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    if (!page->started)
        TRY(start(call, page));
    TRY(read_on(call, page, &complete));
    if (complete)
        write_end(call, page);
    *ret_state = complete ? OP_DONE : OP_ELSEWHERE;
    return NULL;
}

static void release(struct op_call *call) {
    struct page *page = call->work;
    stream_cursor_close(&page->cursor);
    reader_end(&page->reader);
}

const struct op op_get_records = {
    .name = "GetRecords",
    .action = "dynamodb:GetRecords",
    .flags = OP_READS | OP_STREAMS,
    .input = &get_records_shape,
    .validate = validate,
    .run = run,
    .release = release,
};
