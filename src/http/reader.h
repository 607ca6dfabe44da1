/* reader.h - bytes to one request, in place.
 *
 * The caller keeps all bytes of a request in one buffer, from its first byte on, and calls
 * http_reader_read() each time more have arrived. The buffer may move between two calls. The
 * reader copies nothing: names, values and the body are found where they are; the parts of a
 * chunked body are moved together, over the chunks' own headers.
 *
 * Limits: header bytes and number of headers (400), body bytes (413). An error ends the connection:
 * what follows in the stream cannot be trusted. */
#ifndef GRAMME_HTTP_READER_H
#define GRAMME_HTTP_READER_H

#include "http/chunks.h"
#include "http/request.h"

enum { HTTP_PARSER_WORDS = 16 };

struct http_reader_limits {
    uint32_t header_bytes_max;
    uint32_t body_bytes_max;
};

struct http_reader {
    struct http_reader_limits limits;
    struct http_request *request; /* filled piece by piece, whole at HTTP_READ_COMPLETE */
    uint8_t *data;                /* the request's first byte, during a call */
    size_t len;                   /* bytes there, during a call */
    size_t parsed;                /* of them */
    size_t head_len;              /* request line and headers, the blank line included */
    size_t body_len;              /* decoded so far */
    uint64_t content_length;      /* as announced; 0 when chunked */
    struct chunks chunks;         /* of a chunked body: how far its framing was looked at */
    size_t quiet; /* bytes since the last one of the body: chunk headers, trailers */
    uint32_t target;
    uint32_t target_len;
    int error_status;
    bool head_complete;
    bool chunked;
    bool expects_continue; /* the client waits for "100 Continue" before it sends the body */
    bool complete;
    bool parser_ready;
    uint64_t parser[HTTP_PARSER_WORDS]; /* the library's state; must be last */
};

enum http_read_result {
    HTTP_READ_MORE,
    HTTP_READ_COMPLETE, /* request is filled; reader->parsed bytes belong to it */
    HTTP_READ_ERROR     /* reader->error_status says which: 400, 413 or 505 */
};

/* Ready for the next request, which will be written to `request`. */
void http_reader_init(struct http_reader *reader, struct http_reader_limits limits,
                      struct http_request *request);

/* `data` is the request's first byte, *len all bytes there. Decoded chunk headers are taken out of
 * the buffer: then *len comes back smaller. Asked again about a request that is complete and still
 * where it was, it says so again. */
enum http_read_result http_reader_read(struct http_reader *reader, uint8_t *data, size_t *len);

#endif
