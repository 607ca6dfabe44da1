/* write.c - a store becomes a dump.
 *
 * All keyspaces are read in one transaction, one after another. When something fails half-way the
 * dump ends with a block that says so, so that whoever reads the stream learns why. Memory: one
 * block. Threads: the caller's. */
#include <string.h>

#include "store/dump/format.h"

struct writer {
    const struct dump_write_options *options;
    struct arena *arena;
    struct store_sight *sight;
    struct buffer block; /* begins with room for the head */
    uint8_t keyspace;
    uint32_t records; /* in the block */
    uint8_t key[STORE_KEY_MAX];
    size_t key_len; /* of the block's last record; 0 before its first */
    uint32_t crc;
    struct dump_summary summary;
};

static struct error *emit(struct writer *writer, struct slice bytes) {
    struct dump_sink *sink = writer->options->sink;
    TRY(sink->write(sink, writer->arena, bytes));
    writer->summary.bytes += bytes.len;
    return NULL;
}

static struct error *send_preamble(struct writer *writer) {
    uint8_t preamble[DUMP_PREAMBLE_BYTES];
    memcpy(preamble, DUMP_MAGIC, DUMP_MAGIC_BYTES);
    store_u32(preamble + DUMP_MAGIC_BYTES, DUMP_FORMAT);
    writer->crc = libdeflate_crc32(0, preamble, sizeof(preamble));
    return emit(writer, slice_of(preamble, sizeof(preamble)));
}

/* ---- blocks ---- */

static void block_begin(struct writer *writer) {
    static const uint8_t room[DUMP_BLOCK_HEAD] = {0};
    buffer_reset(&writer->block);
    buffer_append(&writer->block, room, sizeof(room));
    writer->records = 0;
    writer->key_len = 0;
}

/* The checksum goes on only from what was sent: a block may follow one that failed. */
static struct error *block_send(struct writer *writer, enum dump_kind kind) {
    uint8_t *head = writer->block.data;
    struct slice payload = slice_skip(buffer_slice(&writer->block), DUMP_BLOCK_HEAD);
    head[0] = (uint8_t)kind;
    store_u32(head + 4, (uint32_t)payload.len);
    store_u32(head + 8, writer->records);
    uint32_t crc = dump_crc(writer->crc, head, payload);
    store_u32(head + DUMP_BLOCK_CRC, crc);
    TRY(emit(writer, buffer_slice(&writer->block)));
    writer->crc = crc;
    struct dump_progress *progress = writer->options->progress;
    if (progress != NULL)
        progress->report(progress, writer->summary.record_count, writer->summary.bytes);
    return NULL;
}

static void append_u64(struct buffer *buffer, uint64_t n) {
    uint8_t bytes[8];
    store_u64(bytes, n);
    buffer_append(buffer, bytes, sizeof(bytes));
}

static void append_text(struct buffer *buffer, struct slice text) {
    buffer_append_varint(buffer, (uint32_t)text.len);
    buffer_append_slice(buffer, text);
}

static struct error *send_header(struct writer *writer) {
    const struct dump_summary *summary = &writer->summary;
    block_begin(writer);
    append_u64(&writer->block, (uint64_t)summary->made_ms);
    append_text(&writer->block, summary->program);
    buffer_append_byte(&writer->block, (uint8_t)summary->keyspace_count);
    for (size_t i = 0; i < summary->keyspace_count; i++)
        append_text(&writer->block, summary->names[i]);
    return block_send(writer, DUMP_HEADER);
}

static struct error *send_trailer(struct writer *writer) {
    uint64_t bytes_before = writer->summary.bytes;
    block_begin(writer);
    for (size_t i = 0; i < writer->summary.keyspace_count; i++)
        append_u64(&writer->block, writer->summary.records[i]);
    append_u64(&writer->block, bytes_before);
    return block_send(writer, DUMP_TRAILER);
}

static void give_up(struct writer *writer, struct slice why) {
    block_begin(writer);
    buffer_append(&writer->block, why.data, why.len < DUMP_TEXT_MAX ? why.len : DUMP_TEXT_MAX);
    block_send(writer, DUMP_GIVEN_UP); /* if it fails, the error at hand is still the one to tell */
}

/* ---- records ---- */

static void records_begin(struct writer *writer) {
    block_begin(writer);
    buffer_append_byte(&writer->block, writer->keyspace);
}

static struct error *records_send(struct writer *writer) {
    if (writer->records > 0)
        TRY(block_send(writer, DUMP_RECORDS));
    records_begin(writer);
    return NULL;
}

static size_t shared_bytes(const uint8_t *a, size_t a_len, struct slice b) {
    size_t most = a_len < b.len ? a_len : b.len, shared = 0;
    while (shared < most && a[shared] == b.data[shared])
        shared++;
    return shared;
}

static struct error *add_record(struct writer *writer, struct slice key, struct slice value) {
    struct buffer *block = &writer->block;
    if (value.len > DUMP_VALUE_MAX)
        return error_local(writer->arena, "a value of %zu bytes is too large for a backup",
                           value.len);
    size_t most = 3 * (size_t)VARINT_BYTES_MAX + key.len + value.len;
    if (block->len + most > DUMP_BLOCK_BYTES)
        TRY(records_send(writer));
    size_t shared = shared_bytes(writer->key, writer->key_len, key);
    struct slice rest = slice_skip(key, shared);
    buffer_append_varint(block, (uint32_t)shared);
    buffer_append_varint(block, (uint32_t)rest.len);
    buffer_append_varint(block, (uint32_t)value.len);
    buffer_append_slice(block, rest);
    buffer_append_slice(block, value);
    memcpy(writer->key + shared, rest.data, rest.len);
    writer->key_len = key.len;
    writer->records++;
    writer->summary.records[writer->keyspace]++;
    writer->summary.record_count++;
    return NULL;
}

static struct error *add_all(struct writer *writer, struct store_scan *scan) {
    for (;;) {
        bool found = false;
        struct store_key key = {.keyspace = writer->keyspace};
        struct slice value;
        TRY(store_sight_next(writer->sight, scan, &found, &key, &value));
        if (!found)
            return records_send(writer);
        TRY(add_record(writer, key.key, value));
    }
}

static struct error *send_keyspace(struct writer *writer, struct store_txn *txn, size_t keyspace) {
    struct store_range all = {(uint8_t)keyspace, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan = NULL;
    writer->keyspace = (uint8_t)keyspace;
    records_begin(writer);
    TRY(store_scan_open(txn, &all, false, &scan));
    struct error *error = add_all(writer, scan);
    store_scan_close(scan);
    return error;
}

static struct error *send_all(struct writer *writer, struct store_txn *txn) {
    TRY(send_preamble(writer));
    TRY(send_header(writer));
    TRY(store_sight_open(writer->options->look, txn, &writer->sight));
    for (size_t i = 0; i < writer->summary.keyspace_count; i++)
        TRY(send_keyspace(writer, txn, i));
    return send_trailer(writer);
}

/* ---- the whole ---- */

static struct error *summary_begin(struct arena *arena, const struct dump_write_options *options,
                                   struct dump_summary *summary) {
    summary->program = arena_slice(arena, slice_text(options->program));
    summary->made_ms = options->now_ms;
    summary->keyspace_count = options->keyspace_count;
    bool fits = summary->program.len <= DUMP_PROGRAM_MAX;
    for (size_t i = 0; i < options->keyspace_count; i++) {
        summary->names[i] = slice_text(options->keyspaces[i].name);
        fits = fits && summary->names[i].len >= 1 && summary->names[i].len <= DUMP_NAME_MAX;
    }
    return fits ? NULL : error_local(arena, "a name is too long for the header of a backup");
}

struct error *dump_write(struct arena *arena, const struct dump_write_options *options,
                         struct dump_summary *ret_summary) {
    struct writer writer = {.options = options, .arena = arena};
    struct store_txn *txn = NULL;
    TRY(summary_begin(arena, options, &writer.summary));
    TRY(store_begin(options->store, arena, STORE_READ, &txn));
    buffer_init(&writer.block, DUMP_BLOCK_HEAD + DUMP_BLOCK_MAX);
    struct error *error = send_all(&writer, txn);
    store_end(txn);
    if (error != NULL)
        give_up(&writer, error->message);
    else
        *ret_summary = writer.summary;
    buffer_release(&writer.block);
    return error;
}
