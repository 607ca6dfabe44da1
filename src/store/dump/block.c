/* block.c - frames and checksums of a dump.
 *
 * Nothing is allocated for a length that a block cannot have, and memory grows with the bytes that
 * really come. Threads: the caller's. */
#include "store/dump/block.h"

enum { READ_STEP = 1 << 20 };

static struct error *refuse(struct block_reader *reader, const char *text) {
    return error_local(reader->arena, "%s", text);
}

struct error *block_damaged(struct block_reader *reader, const char *what) {
    return error_local(reader->arena, "the backup is damaged at byte %llu: %s",
                       (unsigned long long)reader->block_offset, what);
}

static struct error *cut_off(struct block_reader *reader) {
    return error_local(reader->arena,
                       "the backup is cut off: it ends after %llu bytes, before its end mark",
                       (unsigned long long)reader->offset);
}

/* As many bytes as there are, up to `size`. */
static struct error *read_some(struct block_reader *reader, uint8_t *bytes, size_t size,
                               size_t *ret_len) {
    size_t len = 0;
    while (len < size) {
        size_t got = 0;
        TRY(reader->source->read(reader->source, reader->arena, bytes + len, size - len, &got));
        if (got == 0)
            break;
        len += got;
        reader->offset += got;
    }
    *ret_len = len;
    return NULL;
}

/* Appends exactly `size` bytes to the block. */
static struct error *read_into_block(struct block_reader *reader, size_t size) {
    while (size > 0) {
        size_t step = size < READ_STEP ? size : READ_STEP, len = 0;
        buffer_reserve(&reader->bytes, step);
        TRY(read_some(reader, reader->bytes.data + reader->bytes.len, step, &len));
        if (len < step)
            return cut_off(reader);
        reader->bytes.len += step;
        size -= step;
    }
    return NULL;
}

struct error *block_reader_open(struct block_reader *reader, uint8_t *ret_preamble) {
    size_t len = 0;
    buffer_init(&reader->bytes, DUMP_BLOCK_HEAD + DUMP_BLOCK_MAX);
    TRY(read_some(reader, ret_preamble, DUMP_PREAMBLE_BYTES, &len));
    if (len == 0)
        return refuse(reader, "the backup is empty");
    if (len < DUMP_MAGIC_BYTES || memcmp(ret_preamble, DUMP_MAGIC, DUMP_MAGIC_BYTES) != 0)
        return refuse(reader, "this is not a backup of gramme: it does not begin as one does");
    if (len < DUMP_PREAMBLE_BYTES)
        return cut_off(reader);
    uint32_t format = load_u32(ret_preamble + DUMP_MAGIC_BYTES);
    if (format > DUMP_FORMAT)
        return error_local(
            reader->arena,
            "the backup has format %u, and this version of gramme knows formats up to "
            "%d: use a newer gramme",
            format, DUMP_FORMAT);
    if (format == 0)
        return block_damaged(reader, "there is no format 0");
    reader->crc = libdeflate_crc32(0, ret_preamble, DUMP_PREAMBLE_BYTES);
    return NULL;
}

void block_reader_close(struct block_reader *reader) {
    buffer_release(&reader->bytes);
}

struct slice block_payload(const struct block_reader *reader) {
    return slice_skip(buffer_slice(&reader->bytes), DUMP_BLOCK_HEAD);
}

/* Of a block that says so: why the dump ends here. */
static struct error *given_up(struct block_reader *reader) {
    struct slice why = block_payload(reader);
    if (why.len > DUMP_TEXT_MAX)
        return block_damaged(reader, "a block is longer than its kind can be");
    return error_local(reader->arena, "the backup was given up while it was made: %.*s",
                       SLICE_ARGS(why));
}

struct error *block_read(struct block_reader *reader) {
    reader->block_offset = reader->offset;
    buffer_reset(&reader->bytes);
    TRY(read_into_block(reader, DUMP_BLOCK_HEAD));
    uint32_t len = load_u32(reader->bytes.data + 4);
    if (len > DUMP_BLOCK_MAX)
        return block_damaged(reader, "a block is longer than a block can be");
    TRY(read_into_block(reader, len));
    const uint8_t *head = reader->bytes.data;
    reader->crc = dump_crc(reader->crc, head, block_payload(reader));
    if (reader->crc != load_u32(head + DUMP_BLOCK_CRC))
        return block_damaged(reader, "the checksum is wrong");
    if (head[1] != 0 || head[2] != 0 || head[3] != 0)
        return block_damaged(reader, "a block has flags, which format 1 has not");
    reader->kind = head[0];
    reader->records = load_u32(head + 8);
    return reader->kind == DUMP_GIVEN_UP ? given_up(reader) : NULL;
}

struct error *block_read_end(struct block_reader *reader) {
    uint8_t byte;
    size_t len = 0;
    TRY(read_some(reader, &byte, 1, &len));
    return len == 0 ? NULL : block_damaged(reader, "there are bytes after its end mark");
}
