/* reply.h - the head of an HTTP reply as bytes. */
#ifndef GRAMME_HTTP_REPLY_H
#define GRAMME_HTTP_REPLY_H

#include "base/buffer.h"
#include "http/coding.h"

struct http_reply_head {
    int status;
    struct slice date;
    struct slice content_type; /* absent: no such header */
    struct slice request_id;   /* absent: no such header */
    struct slice more;         /* header lines, each ended by CRLF */
    enum http_coding coding;   /* of the body */
    size_t content_length;
    uint32_t crc32; /* of the body as sent */
    bool has_crc32;
    bool keep_alive;
    struct slice allow_origin; /* whose pages may read this: one or "*"; absent: no such headers */
    bool chunked; /* instead of a length; the body that follows is HTTP_REPLY_NO_CHUNKS */
};

#define HTTP_REPLY_NO_CHUNKS "0\r\n\r\n"
#define HTTP_REPLY_CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"

/* Appends status line, headers and the blank line. */
void http_reply_head_write(struct buffer *out, const struct http_reply_head *head);

/* CRC-32 as in gzip, for the header x-amz-crc32. */
uint32_t http_crc32(struct slice body);

#endif
