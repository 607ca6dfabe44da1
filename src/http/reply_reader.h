/* reply_reader.h - the head of a reply, read: of a server of our own, to which a request was handed
 * on.
 *
 * Slices point into the bytes that were given. What http_reply_head_write() never writes, a body in
 * chunks or lines that go on, is an error. */
#ifndef GRAMME_HTTP_REPLY_READER_H
#define GRAMME_HTTP_REPLY_READER_H

#include "http/reader.h"

enum { HTTP_REPLY_HEAD_BYTES_MAX = 16 * 1024 };

struct http_reply_seen {
    int status;
    size_t head_len; /* the blank line included */
    uint64_t content_length;
    bool keep_alive;
    struct slice content_type; /* absent: there is none */
    enum http_coding coding;   /* of the body */
    struct slice headers;      /* all lines, each ended by CRLF */
};

/* HTTP_READ_MORE: the head is not whole yet. */
enum http_read_result http_reply_head_read(struct slice bytes, struct http_reply_seen *ret_seen);

/* Takes a line off the front; false: there is none. The lines have been read before. */
bool http_reply_next_header(struct slice *headers, struct http_header *ret_header);

#endif
