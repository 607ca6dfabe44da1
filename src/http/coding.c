/* coding.c - libdeflate, packing at its fastest level; its memory is kept from body to body. */
#include "http/coding.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "base/check.h"

enum { LEVEL = 1 };

static const struct slice names[HTTP_CODING_COUNT] = {
    [HTTP_CODING_GZIP] = {(const uint8_t *)"gzip", 4},
    [HTTP_CODING_DEFLATE] = {(const uint8_t *)"deflate", 7},
};

struct http_coder {
    struct libdeflate_compressor *compressor;     /* NULL before its first use */
    struct libdeflate_decompressor *decompressor; /* likewise */
};

enum http_coding http_coding_named(struct slice name) {
    for (enum http_coding coding = HTTP_CODING_GZIP; coding < HTTP_CODING_COUNT; coding++)
        if (slice_equal_ignoring_case(name, names[coding]))
            return coding;
    return HTTP_CODING_NONE;
}

struct slice http_coding_name(enum http_coding coding) {
    return names[coding];
}

struct http_coder *http_coder_new(void) {
    struct http_coder *coder = calloc(1, sizeof(*coder));
    CHECK(coder != NULL);
    return coder;
}

void http_coder_free(struct http_coder *coder) {
    if (coder == NULL)
        return;
    libdeflate_free_compressor(coder->compressor);
    libdeflate_free_decompressor(coder->decompressor);
    free(coder);
}

bool http_coder_pack(struct http_coder *coder, enum http_coding coding, struct slice body,
                     struct buffer *out) {
    CHECK(out->len == 0 && coding != HTTP_CODING_NONE);
    if (!buffer_reserve(out, body.len))
        return false;
    if (coder->compressor == NULL)
        coder->compressor = libdeflate_alloc_compressor(LEVEL);
    CHECK(coder->compressor != NULL);
    /* 0: it did not fit. */
    out->len =
        coding == HTTP_CODING_GZIP
            ? libdeflate_gzip_compress(coder->compressor, body.data, body.len, out->data, body.len)
            : libdeflate_zlib_compress(coder->compressor, body.data, body.len, out->data, body.len);
    return out->len > 0 && out->len < body.len;
}

static bool is_member(struct slice packed) {
    static const uint8_t start[] = {0x1f, 0x8b, 8};
    return packed.len >= sizeof(start) && memcmp(packed.data, start, sizeof(start)) == 0;
}

/* One gzip member or zlib stream: behind what the buffer holds, and off the front of *packed. */
static enum http_unpacked unpack_one(struct http_coder *coder, enum http_coding coding,
                                     struct slice *packed, struct buffer *out) {
    size_t used, made, room = out->capacity - out->len;
    uint8_t *to = out->data + out->len;
    enum libdeflate_result result =
        coding == HTTP_CODING_GZIP
            ? libdeflate_gzip_decompress_ex(coder->decompressor, packed->data, packed->len, to,
                                            room, &used, &made)
            : libdeflate_zlib_decompress_ex(coder->decompressor, packed->data, packed->len, to,
                                            room, &used, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return HTTP_UNPACKED_NO_ROOM;
    if (result != LIBDEFLATE_SUCCESS)
        return HTTP_UNPACKED_BROKEN;
    *packed = slice_skip(*packed, used);
    out->len += made;
    return HTTP_UNPACKED_WHOLE;
}

enum http_unpacked http_coder_unpack(struct http_coder *coder, enum http_coding coding,
                                     struct slice packed, struct buffer *out) {
    CHECK(out->data != NULL && coding != HTTP_CODING_NONE);
    if (coder->decompressor == NULL)
        coder->decompressor = libdeflate_alloc_decompressor();
    CHECK(coder->decompressor != NULL);
    buffer_reset(out);
    enum http_unpacked result;
    do
        result = unpack_one(coder, coding, &packed, out);
    while (result == HTTP_UNPACKED_WHOLE && coding == HTTP_CODING_GZIP && is_member(packed));
    return result;
}
