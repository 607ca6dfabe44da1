/* dump_sealed.c - see dump_sealed.h. */
#include "admin/dump_sealed.h"

#include "base/bytes.h"
#include "base/container.h"
#include "base/random.h"

#define MAGIC "gramme seal\n"
#define PURPOSE "gramme dumps"
#define BACKUP "the backup"

enum {
    FORMAT = 1,
    MAGIC_BYTES = sizeof(MAGIC) - 1,
    BLOCK_AT = SEALED_HEAD_BYTES,
    KEY_AT = BLOCK_AT + KEY_BLOCK_BYTES,
    FRAME_HEAD = 8,
    FRAME_BYTES_MAX = FRAME_HEAD + SEALED_FRAME_MAX + SEAL_TAG_BYTES,
};

enum frame_kind { FRAME_MORE = 'M', FRAME_LAST = 'L', FRAME_GIVEN_UP = 'E' };

/* ---- making one ---- */

/* Sends what is gathered as one frame, with the preamble before the first. */
static struct error *send_frame(struct sealed_sink *sink, struct arena *arena,
                                enum frame_kind kind) {
    uint8_t head[FRAME_HEAD] = {(uint8_t)kind};
    struct slice plain = buffer_slice(&sink->plain);
    store_u32(head + 4, (uint32_t)plain.len);
    if (sink->frames == 0)
        TRY(sink->to->write(sink->to, arena, slice_of(sink->preamble, sizeof(sink->preamble))));
    buffer_reset(&sink->frame);
    buffer_append(&sink->frame, head, sizeof(head));
    buffer_reserve(&sink->frame, plain.len + SEAL_TAG_BYTES);
    seal_close_frame(sink->seal, sink->frames, slice_of(head, sizeof(head)), plain,
                     sink->frame.data + sink->frame.len);
    sink->frame.len += plain.len + SEAL_TAG_BYTES;
    sink->frames++;
    buffer_reset(&sink->plain);
    return sink->to->write(sink->to, arena, buffer_slice(&sink->frame));
}

static struct error *sink_write(struct dump_sink *base, struct arena *arena, struct slice bytes) {
    struct sealed_sink *sink = container_of(base, struct sealed_sink, base);
    while (bytes.len > 0) {
        size_t room = SEALED_FRAME_MAX - sink->plain.len;
        size_t step = bytes.len < room ? bytes.len : room;
        buffer_append(&sink->plain, bytes.data, step);
        bytes = slice_skip(bytes, step);
        if (step == room)
            TRY(send_frame(sink, arena, FRAME_MORE));
    }
    return NULL;
}

/* Around the directory's key, which is there already. */
static struct error *make_preamble(struct arena *arena, struct sealed_sink *sink,
                                   const struct keyring *keyring) {
    uint8_t key[CIPHER_KEY_BYTES], *preamble = sink->preamble;
    struct seal *dumps = NULL;
    memcpy(preamble, MAGIC, MAGIC_BYTES);
    store_u32(preamble + MAGIC_BYTES, FORMAT);
    TRY(keyring_seal(arena, keyring, PURPOSE, &dumps));
    random_fill(&system_random, key, sizeof(key));
    seal_close(dumps, slice_of(preamble, KEY_AT), slice_of(key, sizeof(key)), preamble + KEY_AT);
    seal_free(dumps);
    struct error *error = seal_new(arena, key, &sink->seal);
    explicit_bzero(key, sizeof(key));
    return error;
}

static void sink_init(struct sealed_sink *sink, struct dump_sink *to) {
    *sink = (struct sealed_sink){.base = {sink_write}, .to = to};
    buffer_init(&sink->plain, SEALED_FRAME_MAX);
    buffer_init(&sink->frame, FRAME_BYTES_MAX);
}

struct error *sealed_sink_open(struct arena *arena, struct sealed_sink *sink, const char *directory,
                               const struct keyring *keyring, struct dump_sink *to) {
    sink_init(sink, to);
    TRY(key_file_read(arena, directory, sink->preamble + BLOCK_AT));
    return make_preamble(arena, sink, keyring);
}

struct error *sealed_sink_open_new(struct arena *arena, struct sealed_sink *sink,
                                   const struct master_key *key, struct dump_sink *to) {
    struct keyring *keyring = keyring_new_random();
    sink_init(sink, to);
    struct error *error = key_block_make(arena, key, keyring, sink->preamble + BLOCK_AT);
    if (error == NULL)
        error = make_preamble(arena, sink, keyring);
    keyring_free(keyring);
    return error;
}

struct error *sealed_sink_end(struct sealed_sink *sink, struct arena *arena, bool given_up) {
    if (given_up && sink->frames == 0)
        return NULL;
    return send_frame(sink, arena, given_up ? FRAME_GIVEN_UP : FRAME_LAST);
}

void sealed_sink_release(struct sealed_sink *sink) {
    seal_free(sink->seal);
    buffer_release(&sink->plain);
    buffer_release(&sink->frame);
}

/* ---- reading one ---- */

static struct error *damaged(struct arena *arena, const char *what) {
    return error_local(arena, "the backup is damaged: %s", what);
}

/* As many bytes as there are, up to `size`. */
static struct error *read_some(struct dump_source *from, struct arena *arena, uint8_t *bytes,
                               size_t size, size_t *ret_len) {
    size_t len = 0, got = 0;
    do {
        TRY(from->read(from, arena, bytes + len, size - len, &got));
        len += got;
    } while (got > 0 && len < size);
    *ret_len = len;
    return NULL;
}

static struct error *read_exactly(struct dump_source *from, struct arena *arena, uint8_t *bytes,
                                  size_t size) {
    size_t len = 0;
    TRY(read_some(from, arena, bytes, size, &len));
    if (len < size)
        return error_local(arena, "the backup is cut off: it ends before its last frame");
    return NULL;
}

static struct error *check_format(struct arena *arena, const uint8_t *preamble) {
    uint32_t format = load_u32(preamble + MAGIC_BYTES);
    if (format <= FORMAT)
        return format == 0 ? damaged(arena, "there is no format 0") : NULL;
    return error_local(arena,
                       "the backup has format %u of encryption, and this version of gramme knows "
                       "formats up to %d: use a newer gramme",
                       format, FORMAT);
}

/* The next frame as it is, whose length is that of its head. */
static struct error *read_frame(struct dump_source *from, struct arena *arena,
                                struct buffer *frame) {
    buffer_reset(frame);
    buffer_reserve(frame, FRAME_HEAD);
    TRY(read_exactly(from, arena, frame->data, FRAME_HEAD));
    uint32_t len = load_u32(frame->data + 4);
    if (len > SEALED_FRAME_MAX)
        return damaged(arena, "a frame is longer than a frame can be");
    frame->len = FRAME_HEAD;
    buffer_reserve(frame, len + SEAL_TAG_BYTES);
    TRY(read_exactly(from, arena, frame->data + FRAME_HEAD, len + SEAL_TAG_BYTES));
    frame->len += len + SEAL_TAG_BYTES;
    return NULL;
}

static struct error *read_end(struct dump_source *from, struct arena *arena) {
    uint8_t byte;
    size_t len = 0;
    TRY(read_some(from, arena, &byte, 1, &len));
    return len == 0 ? NULL : damaged(arena, "there are bytes after its last frame");
}

static struct error *open_frame(struct sealed_source *source, struct arena *arena) {
    TRY(read_frame(source->from, arena, &source->frame));
    struct slice frame = buffer_slice(&source->frame), content = slice_skip(frame, FRAME_HEAD);
    buffer_reset(&source->plain);
    buffer_reserve(&source->plain, content.len - SEAL_TAG_BYTES);
    if (!seal_open_frame(source->seal, source->frames, slice_first(frame, FRAME_HEAD), content,
                         source->plain.data))
        return damaged(arena, "a frame does not open with its key");
    source->plain.len = content.len - SEAL_TAG_BYTES;
    source->frames++;
    source->taken = 0;
    source->ended = frame.data[0] != FRAME_MORE;
    return source->ended ? read_end(source->from, arena) : NULL;
}

static void take(struct sealed_source *source, void *bytes, size_t size, size_t *ret_len) {
    size_t left = source->plain.len - source->taken, len = left < size ? left : size;
    memcpy(bytes, source->plain.data + source->taken, len);
    source->taken += len;
    *ret_len = len;
}

static struct error *source_read(struct dump_source *base, struct arena *arena, void *bytes,
                                 size_t size, size_t *ret_len) {
    struct sealed_source *source = container_of(base, struct sealed_source, base);
    bool empty = source->taken == source->plain.len;
    if (empty && source->seal == NULL)
        return source->from->read(source->from, arena, bytes, size, ret_len);
    while (empty && !source->ended) {
        TRY(open_frame(source, arena));
        empty = source->plain.len == 0;
    }
    if (empty)
        *ret_len = 0;
    else
        take(source, bytes, size, ret_len);
    return NULL;
}

static struct error *open_preamble(struct arena *arena, struct sealed_source *source,
                                   uint8_t *preamble, const struct master_key *master) {
    uint8_t key[CIPHER_KEY_BYTES];
    struct keyring *keyring = NULL;
    struct seal *dumps = NULL;
    TRY(check_format(arena, preamble));
    if (master == NULL)
        return error_local(arena, "the backup is encrypted: give its key with --encrypt-with");
    TRY(read_exactly(source->from, arena, preamble + BLOCK_AT, SEALED_PREAMBLE_BYTES - BLOCK_AT));
    TRY(key_block_open(arena, master, preamble + BLOCK_AT, BACKUP, &keyring));
    struct error *error = keyring_seal(arena, keyring, PURPOSE, &dumps);
    keyring_free(keyring);
    TRY(error);
    bool opened = seal_open(dumps, slice_of(preamble, KEY_AT),
                            slice_of(preamble + KEY_AT, SEALED_PREAMBLE_BYTES - KEY_AT), key);
    seal_free(dumps);
    if (!opened)
        return damaged(arena, "its key does not open");
    error = seal_new(arena, key, &source->seal);
    explicit_bzero(key, sizeof(key));
    return error;
}

/* What is not sealed is passed on from its first byte, whatever it is. */
struct error *sealed_source_open(struct arena *arena, struct sealed_source *source,
                                 struct dump_source *from, const struct master_key *key) {
    uint8_t preamble[SEALED_PREAMBLE_BYTES];
    size_t len = 0;
    *source = (struct sealed_source){.base = {source_read}, .from = from};
    buffer_init(&source->plain, SEALED_FRAME_MAX);
    buffer_init(&source->frame, FRAME_BYTES_MAX);
    TRY(read_some(from, arena, preamble, SEALED_HEAD_BYTES, &len));
    if (len == SEALED_HEAD_BYTES && memcmp(preamble, MAGIC, MAGIC_BYTES) == 0)
        return open_preamble(arena, source, preamble, key);
    buffer_append(&source->plain, preamble, len);
    return NULL;
}

void sealed_source_release(struct sealed_source *source) {
    seal_free(source->seal);
    buffer_release(&source->plain);
    buffer_release(&source->frame);
}

/* ---- passing one on ---- */

static struct error *copy_frames(struct arena *arena, struct dump_source *from,
                                 struct dump_sink *to, struct buffer *frame, uint64_t *bytes) {
    do {
        TRY(read_frame(from, arena, frame));
        TRY(to->write(to, arena, buffer_slice(frame)));
        *bytes += frame->len;
    } while (frame->data[0] == FRAME_MORE);
    if (frame->data[0] != FRAME_LAST)
        return error_local(arena, "the backup was given up while it was made: the server's log "
                                  "tells why");
    return read_end(from, arena);
}

struct error *sealed_copy(struct arena *arena, struct dump_source *from, struct dump_sink *to,
                          uint64_t *ret_bytes) {
    uint8_t preamble[SEALED_PREAMBLE_BYTES];
    struct buffer frame;
    uint64_t bytes = sizeof(preamble);
    TRY(read_exactly(from, arena, preamble, sizeof(preamble)));
    if (memcmp(preamble, MAGIC, MAGIC_BYTES) != 0)
        return damaged(arena, "it is not encrypted");
    TRY(check_format(arena, preamble));
    TRY(to->write(to, arena, slice_of(preamble, sizeof(preamble))));
    buffer_init(&frame, FRAME_BYTES_MAX);
    struct error *error = copy_frames(arena, from, to, &frame, &bytes);
    buffer_release(&frame);
    *ret_bytes = bytes;
    return error;
}

static struct error *tee_read(struct dump_source *base, struct arena *arena, void *bytes,
                              size_t size, size_t *ret_len) {
    const struct tee_source *tee = container_of(base, struct tee_source, base);
    TRY(tee->from->read(tee->from, arena, bytes, size, ret_len));
    return *ret_len == 0 ? NULL : tee->to->write(tee->to, arena, slice_of(bytes, *ret_len));
}

struct tee_source tee_source_of(struct dump_source *from, struct dump_sink *to) {
    return (struct tee_source){{tee_read}, from, to};
}
