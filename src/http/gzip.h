/* gzip.h - reply bodies compressed, where the client asked for it and it pays. */
#ifndef GRAMME_HTTP_GZIP_H
#define GRAMME_HTTP_GZIP_H

#include "base/buffer.h"

/* Below, the gain is under a packet; above, compressing would stall the thread's other clients. */
enum { HTTP_GZIP_BYTES_MIN = 4 * 1024, HTTP_GZIP_BYTES_MAX = 2 * 1024 * 1024 };

/* One per thread; about 200 KiB once it has been used. */
struct http_gzip;

struct http_gzip *http_gzip_new(void);
void http_gzip_free(struct http_gzip *gzip);

/* Writes the compressed body to the (empty) buffer; false when that would not be smaller. */
bool http_gzip_compress(struct http_gzip *gzip, struct slice body, struct buffer *out);

#endif
