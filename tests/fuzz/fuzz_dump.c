/* fuzz_dump.c - any bytes as a dump.
 *
 * They are refused with a text, or they load into a store whose own dump has the same records. The
 * checksums would keep a fuzzer out, so when the first byte is odd they are made right first. */
#include "base/container.h"
#include "fuzz.h"
#include "store/dump/format.h"
#include "store/memory/memory.h"

enum { KEYSPACES = 2, INPUT_MAX = 1 << 20 };

static const struct store_keyspace keyspaces[KEYSPACES] = {{.name = "one"}, {.name = "two"}};

struct memory_end {
    struct dump_source source;
    struct slice bytes;
};

static struct error *end_read(struct dump_source *base, struct arena *arena, void *bytes,
                              size_t size, size_t *ret_len) {
    (void)arena;
    struct memory_end *end = container_of(base, struct memory_end, source);
    size_t len = size < end->bytes.len ? size : end->bytes.len;
    memcpy(bytes, end->bytes.data, len);
    end->bytes = slice_skip(end->bytes, len);
    *ret_len = len;
    return NULL;
}

struct memory_sink {
    struct dump_sink base;
    struct buffer bytes;
};

static struct error *sink_write(struct dump_sink *base, struct arena *arena, struct slice bytes) {
    (void)arena;
    buffer_append_slice(&container_of(base, struct memory_sink, base)->bytes, bytes);
    return NULL;
}

/* Gives every block that can be found the checksum it should have. */
static void seal(uint8_t *dump, size_t size) {
    if (size < DUMP_PREAMBLE_BYTES)
        return;
    uint32_t crc = libdeflate_crc32(0, dump, DUMP_PREAMBLE_BYTES);
    for (size_t at = DUMP_PREAMBLE_BYTES; size - at >= DUMP_BLOCK_HEAD;) {
        uint32_t len = load_u32(dump + at + 4);
        if (len > size - at - DUMP_BLOCK_HEAD)
            return;
        crc = dump_crc(crc, dump + at, slice_of(dump + at + DUMP_BLOCK_HEAD, len));
        store_u32(dump + at + DUMP_BLOCK_CRC, crc);
        at += DUMP_BLOCK_HEAD + len;
    }
}

static struct error *read_dump(struct arena *arena, struct slice dump, struct store *store,
                               struct dump_summary *ret_summary) {
    struct memory_end end = {{end_read}, dump};
    struct dump_read_options options = {
        .source = &end.source, .keyspaces = keyspaces, .keyspace_count = KEYSPACES, .store = store};
    return dump_read(arena, &options, ret_summary);
}

static void check_again(struct arena *arena, struct store *store,
                        const struct dump_summary *before) {
    struct memory_sink sink = {{sink_write}, {0}};
    struct dump_summary summary;
    buffer_init(&sink.bytes, 4 * INPUT_MAX);
    struct dump_write_options options = {.store = store,
                                         .keyspaces = keyspaces,
                                         .keyspace_count = KEYSPACES,
                                         .program = "fuzz",
                                         .sink = &sink.base};
    CHECK(dump_write(arena, &options, &summary) == NULL);
    CHECK(summary.record_count == before->record_count);
    CHECK(read_dump(arena, buffer_slice(&sink.bytes), NULL, &summary) == NULL);
    CHECK(summary.record_count == before->record_count);
    buffer_release(&sink.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > INPUT_MAX)
        return 0;
    struct arena arena;
    struct store *store = NULL;
    struct dump_summary summary;
    arena_init(&arena);
    uint8_t *dump = arena_copy(&arena, data + 1, size - 1);
    if (data[0] & 1)
        seal(dump, size - 1);
    CHECK(memory_store_open(&arena, keyspaces, KEYSPACES, &store) == NULL);
    struct error *error = read_dump(&arena, slice_of(dump, size - 1), store, &summary);
    if (error == NULL)
        check_again(&arena, store, &summary);
    else
        CHECK(error->message.len > 0);
    store_close(store);
    arena_release(&arena);
    return 0;
}
