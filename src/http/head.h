/* head.h - the request that nearly every client sends, in one pass.
 *
 * A POST of HTTP/1.1 that is here as a whole, with a plain head and a Content-Length, needs no
 * state machine. Whatever is not just that is left to the library (reader.c), which also words the
 * errors; so this may refuse, but where it accepts it finds what the library would find. */
#ifndef GRAMME_HTTP_HEAD_H
#define GRAMME_HTTP_HEAD_H

#include "http/reader.h"

/* Of a reader that has read nothing yet. True: reader and request are as after the last byte of the
 * request; false: nothing has happened. */
bool http_head_read(struct http_reader *reader);

/* Which of the headers known by name it is; HTTP_HEADER_COUNT: none of them. */
unsigned http_known_header(struct slice name);

/* Of two headers with one name the first counts. */
static inline void http_note_known(struct http_request *request, unsigned id, struct slice value) {
    if (id < HTTP_HEADER_COUNT && !slice_present(request->known[id]))
        request->known[id] = value;
}

#endif
