/* coding.h - content codings: replies packed where the client asked for it and it pays, requests
 * unpacked that were sent so. */
#ifndef GRAMME_HTTP_CODING_H
#define GRAMME_HTTP_CODING_H

#include "base/buffer.h"

/* Those that the service knows. What HTTP calls "deflate" is zlib's format. */
enum http_coding { HTTP_CODING_NONE, HTTP_CODING_GZIP, HTTP_CODING_DEFLATE, HTTP_CODING_COUNT };

/* In any case; HTTP_CODING_NONE when it is another. */
enum http_coding http_coding_named(struct slice name);
struct slice http_coding_name(enum http_coding coding);

/* Below, the gain is under a packet; above, packing would stall the thread's other clients. */
enum { HTTP_PACK_BYTES_MIN = 4 * 1024, HTTP_PACK_BYTES_MAX = 2 * 1024 * 1024 };

/* One per thread; about 200 KiB once it has packed something, 11 KiB once it has unpacked. */
struct http_coder;

struct http_coder *http_coder_new(void);
void http_coder_free(struct http_coder *coder);

/* Writes the packed body to the (empty) buffer; false when that would not be smaller. */
bool http_coder_pack(struct http_coder *coder, enum http_coding coding, struct slice body,
                     struct buffer *out);

enum http_unpacked {
    HTTP_UNPACKED_WHOLE,
    HTTP_UNPACKED_NO_ROOM, /* there is more than fits */
    HTTP_UNPACKED_BROKEN   /* not of this coding, damaged or cut off */
};

/* Writes the body that was packed to the buffer, in place of what is there, into the room that it
 * has. Of gzip there may be several members; what follows the last, or the one zlib stream, and
 * begins like no other is left alone, as in the service. */
enum http_unpacked http_coder_unpack(struct http_coder *coder, enum http_coding coding,
                                     struct slice packed, struct buffer *out);

#endif
