/* gzip.c - zlib at its fastest level; the stream's memory is kept from reply to reply. */
#include "http/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/check.h"

enum { LEVEL = 1, WINDOW_BITS_GZIP = 15 + 16, MEMORY_LEVEL = 8 };

struct http_gzip {
    z_stream stream;
    bool ready;
};

struct http_gzip *http_gzip_new(void) {
    struct http_gzip *gzip = calloc(1, sizeof(*gzip));
    CHECK(gzip != NULL);
    return gzip;
}

void http_gzip_free(struct http_gzip *gzip) {
    if (gzip == NULL)
        return;
    if (gzip->ready)
        deflateEnd(&gzip->stream);
    free(gzip);
}

static void gzip_ready(struct http_gzip *gzip) {
    int outcome = gzip->ready ? deflateReset(&gzip->stream)
                              : deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, WINDOW_BITS_GZIP,
                                             MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    CHECK(outcome == Z_OK);
    gzip->ready = true;
}

bool http_gzip_compress(struct http_gzip *gzip, struct slice body, struct buffer *out) {
    CHECK(body.len <= UINT32_MAX && out->len == 0);
    if (!buffer_reserve(out, body.len))
        return false;
    gzip_ready(gzip);
    z_stream *stream = &gzip->stream;
    stream->next_in = (Bytef *)(uintptr_t)body.data; /* zlib reads only */
    stream->avail_in = (uInt)body.len;
    stream->next_out = out->data;
    stream->avail_out = (uInt)body.len;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return false;
    out->len = body.len - stream->avail_out;
    return out->len < body.len;
}
