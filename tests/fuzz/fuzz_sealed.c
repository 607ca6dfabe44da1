/* fuzz_sealed.c - any bytes as a sealed dump, with the right key.
 *
 * What opens is what was sealed, and anything else is refused with a text; without the key a stream
 * is passed on byte for byte or refused. No fuzzer guesses a tag, so when the first byte is odd the
 * bytes are frames whose tags are made right, behind a preamble that is. */
#include "admin/dump_sealed.h"
#include "base/bytes.h"
#include "base/container.h"
#include "fuzz.h"

enum { INPUT_MAX = 1 << 16, HEAD = 8, KEY_AT = SEALED_HEAD_BYTES + KEY_BLOCK_BYTES };

struct memory_end {
    struct dump_source source;
    struct dump_sink sink;
    struct slice bytes; /* to be read */
    struct buffer got;  /* was written */
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

static struct error *end_write(struct dump_sink *base, struct arena *arena, struct slice bytes) {
    (void)arena;
    buffer_append_slice(&container_of(base, struct memory_end, sink)->got, bytes);
    return NULL;
}

/* The same for all inputs: a master key, and a stream's preamble and seal under it. */
static struct {
    struct master_key master;
    uint8_t preamble[SEALED_PREAMBLE_BYTES];
    struct seal *seal;
} known;

static void make_known(void) {
    static const uint8_t key[CIPHER_KEY_BYTES] = {1};
    struct arena arena;
    struct seal *dumps;
    uint8_t *preamble = known.preamble;
    struct keyring *directory = keyring_new(key);
    arena_init(&arena);
    known.master = (struct master_key){keyring_new(key), "the key"};
    memcpy(preamble, "gramme seal\n\1\0\0", SEALED_HEAD_BYTES);
    CHECK(key_block_make(&arena, &known.master, directory, preamble + SEALED_HEAD_BYTES) == NULL);
    CHECK(keyring_seal(&arena, directory, "gramme dumps", &dumps) == NULL);
    seal_close(dumps, slice_of(preamble, KEY_AT), slice_of(key, sizeof(key)), preamble + KEY_AT);
    CHECK(seal_new(&arena, key, &known.seal) == NULL);
    seal_free(dumps);
    keyring_free(directory);
    arena_release(&arena);
}

/* Gives every frame that can be found the tag it should have. */
static void make_right(uint8_t *frames, size_t size) {
    size_t at = 0;
    for (uint64_t n = 0; size - at >= HEAD + SEAL_TAG_BYTES; n++) {
        uint32_t len = load_u32(frames + at + 4);
        if (len > size - at - HEAD - SEAL_TAG_BYTES)
            return;
        uint8_t *content = frames + at + HEAD;
        seal_close_frame(known.seal, n, slice_of(frames + at, HEAD), slice_of(content, len),
                         content);
        at += HEAD + len + SEAL_TAG_BYTES;
    }
}

static void open_sealed(struct arena *arena, struct slice bytes) {
    struct memory_end end = {.source = {end_read}, .bytes = bytes};
    struct sealed_source source;
    uint8_t plain[999];
    size_t len = 1, total = 0;
    struct error *error = sealed_source_open(arena, &source, &end.source, &known.master);
    while (error == NULL && len > 0) {
        error = source.base.read(&source.base, arena, plain, sizeof(plain), &len);
        total += error == NULL ? len : 0;
    }
    CHECK(total <= bytes.len);
    CHECK(error == NULL || error->message.len > 0);
    sealed_source_release(&source);
}

static void pass_on(struct arena *arena, struct slice bytes) {
    struct memory_end end = {.source = {end_read}, .sink = {end_write}, .bytes = bytes};
    uint64_t count = 0;
    buffer_init(&end.got, 2 * INPUT_MAX);
    struct error *error = sealed_copy(arena, &end.source, &end.sink, &count);
    CHECK(error != NULL || (count == bytes.len && slice_equal(buffer_slice(&end.got), bytes)));
    buffer_release(&end.got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > INPUT_MAX)
        return 0;
    if (known.seal == NULL)
        make_known();
    struct arena arena;
    struct buffer bytes;
    arena_init(&arena);
    buffer_init(&bytes, 2 * INPUT_MAX);
    bool right = data[0] & 1;
    if (right)
        buffer_append(&bytes, known.preamble, sizeof(known.preamble));
    buffer_append(&bytes, data + 1, size - 1);
    if (right)
        make_right(bytes.data + sizeof(known.preamble), size - 1);
    open_sealed(&arena, buffer_slice(&bytes));
    pass_on(&arena, buffer_slice(&bytes));
    buffer_release(&bytes);
    arena_release(&arena);
    return 0;
}
