/* chunks.h - whether a chunked body is framed as RFC 9112 has it, byte for byte.
 *
 * The library joins the chunks (reader.c), but a build of http_parser takes any byte for the ends
 * of their lines. What another server on the way would read differently is refused here first. */
#ifndef GRAMME_HTTP_CHUNKS_H
#define GRAMME_HTTP_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in the framing the next byte stands. */
enum chunks_at {
    CHUNKS_SIZE, /* its first digit */
    CHUNKS_SIZE_MORE,
    CHUNKS_EXTENSION,
    CHUNKS_SIZE_LF,
    CHUNKS_DATA,
    CHUNKS_DATA_CR,
    CHUNKS_DATA_LF,
    CHUNKS_TRAILER, /* the first byte of a line of the trailer */
    CHUNKS_TRAILER_MORE,
    CHUNKS_TRAILER_LF,
    CHUNKS_END_LF,
    CHUNKS_DONE,
};

/* Zero before the first byte of a body. */
struct chunks {
    uint8_t at; /* enum chunks_at */
    uint8_t digits;
    uint64_t left; /* of the chunk's data */
};

/* The next bytes; false: they are not what has to come. What is behind the end is not looked at. */
bool chunks_check(struct chunks *chunks, const uint8_t *data, size_t len);

#endif
