/* gzip.c - libdeflate at its fastest level; its memory is kept from reply to reply. */
#include "http/gzip.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "base/check.h"

enum { LEVEL = 1 };

struct http_gzip {
    struct libdeflate_compressor *compressor; /* NULL before the first reply */
};

struct http_gzip *http_gzip_new(void) {
    struct http_gzip *gzip = calloc(1, sizeof(*gzip));
    CHECK(gzip != NULL);
    return gzip;
}

void http_gzip_free(struct http_gzip *gzip) {
    if (gzip == NULL)
        return;
    libdeflate_free_compressor(gzip->compressor);
    free(gzip);
}

bool http_gzip_compress(struct http_gzip *gzip, struct slice body, struct buffer *out) {
    CHECK(out->len == 0);
    if (!buffer_reserve(out, body.len))
        return false;
    if (gzip->compressor == NULL)
        gzip->compressor = libdeflate_alloc_compressor(LEVEL);
    CHECK(gzip->compressor != NULL);
    /* 0: it did not fit. */
    out->len = libdeflate_gzip_compress(gzip->compressor, body.data, body.len, out->data, body.len);
    return out->len > 0 && out->len < body.len;
}
