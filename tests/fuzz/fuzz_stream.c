/* fuzz_stream.c - any bytes as a stored stream, as a record of one, and as a shard iterator.
 *
 * Streams and records are refused, or read as something that lies within the bytes; a stream is
 * written and read again as itself. An iterator made of the bytes is read as itself, and refused
 * when a bit of it is another; the bytes as they are are never one. */
#include <string.h>

#include "engine/engine.h"
#include "fuzz.h"
#include "ops/stream/stream_iterator.h"
#include "store/memory/memory.h"

static struct engine *the_engine(void) {
    static struct engine *engine;
    struct arena arena;
    struct store *store;
    if (engine != NULL)
        return engine;
    arena_init(&arena);
    CHECK(memory_store_open(&arena, engine_keyspaces, KEYSPACE_COUNT, &store) == NULL);
    struct engine_options options = {
        .store = store, .clock = &system_clock, .random = &system_random};
    CHECK(engine_open(&arena, &options, &engine) == NULL);
    arena_release(&arena);
    return engine;
}

static void try_definition(struct arena *arena, struct slice bytes) {
    struct stream_definition stream, again;
    struct error *error = stream_definition_decode(arena, bytes, &stream);
    if (error != NULL) {
        CHECK(error->message.len > 0);
        return;
    }
    struct slice encoded = stream_definition_encode(arena, &stream);
    CHECK(stream_definition_decode(arena, encoded, &again) == NULL);
    CHECK(slice_equal(encoded, stream_definition_encode(arena, &again)));
}

static void check_part(struct slice bytes, struct value part) {
    if (value_present(part))
        CHECK(part.bytes >= bytes.data && part.len <= bytes.len &&
              part.bytes + part.len <= bytes.data + bytes.len && part.bytes[0] == VALUE_M);
}

static void try_record(struct arena *arena, struct slice bytes) {
    struct stream_record record;
    struct error *error = stream_record_decode(arena, bytes, &record);
    if (error != NULL) {
        CHECK(error->message.len > 0);
        return;
    }
    check_part(bytes, record.keys);
    check_part(bytes, record.new_image);
    check_part(bytes, record.old_image);
    bool images = value_present(record.new_image) || value_present(record.old_image);
    CHECK(images != value_present(record.keys));
}

#define ARN "arn:aws:dynamodb:us-east-1:000000000000:table/table/stream/label"

static void try_iterator(struct op_call *call, struct slice bytes) {
    struct stream_iterator iterator = {.arn = {.text = SLICE_LITERAL(ARN)}}, again;
    uint8_t input[23] = {0};
    CHECK(stream_iterator_parse(call, bytes, &again) != NULL);
    memcpy(input, bytes.data, bytes.len < sizeof(input) ? bytes.len : sizeof(input));
    iterator.stream_id = load_u32(input);
    iterator.shard = (struct stream_shard){load_u32(input + 4), input[8]};
    iterator.position = load_u64(input + 9);
    iterator.issued_ms = load_u32(input + 17);
    iterator.from_horizon = (input[21] & 1) != 0;
    iterator.caught_up = (input[21] & 2) != 0;
    struct slice text = stream_iterator_print(call, &iterator);
    CHECK(stream_iterator_parse(call, text, &again) == NULL);
    CHECK(slice_is(again.arn.table_name, "table") && slice_is(again.arn.label, "label"));
    CHECK(again.stream_id == iterator.stream_id && again.position == iterator.position);
    CHECK(again.shard.generation == iterator.shard.generation);
    CHECK(again.shard.number == iterator.shard.number);
    CHECK(again.issued_ms == iterator.issued_ms && again.from_horizon == iterator.from_horizon);
    CHECK(again.caught_up == iterator.caught_up);
    uint8_t *damaged = arena_copy(call->arena, text.data, text.len);
    damaged[input[22] % text.len] ^= 1;
    CHECK(stream_iterator_parse(call, slice_of(damaged, text.len), &again) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    struct op_context context = {.engine = the_engine(),
                                 .clock = &system_clock,
                                 .region = SLICE_LITERAL("us-east-1"),
                                 .account = SLICE_LITERAL("000000000000")};
    arena_init(&arena);
    struct op_call call = {.arena = &arena, .context = &context};
    struct slice bytes = arena_slice(&arena, slice_of(data, size));
    try_definition(&arena, bytes);
    try_record(&arena, bytes);
    try_iterator(&call, bytes);
    arena_release(&arena);
    return 0;
}
