/* request.h - one HTTP request, as views of the bytes it came in.
 *
 * Every slice points into the buffer that the reader was given and lives as long as those bytes
 * stay there: for a handler, until it replies. Header names match in any case; of a header that
 * comes twice the first counts, but there are no two Host or Authorization. */
#ifndef GRAMME_HTTP_REQUEST_H
#define GRAMME_HTTP_REQUEST_H

#include "base/slice.h"
#include "http/coding.h"

enum http_verb {
    HTTP_VERB_OTHER,
    HTTP_VERB_GET,
    HTTP_VERB_HEAD,
    HTTP_VERB_POST,
    HTTP_VERB_OPTIONS
};

/* The headers that someone asks for by name: request->known[HTTP_AUTHORIZATION]. */
enum http_header_id {
#define HTTP_HEADER(symbol, name) HTTP_##symbol,
#include "http/headers.def"
#undef HTTP_HEADER
    HTTP_HEADER_COUNT
};

enum { HTTP_HEADERS_MAX = 100 };

/* Offsets from the request's first byte: 16 bytes, where two slices would take 32. */
struct http_header_place {
    uint32_t name;
    uint32_t name_len;
    uint32_t value;
    uint32_t value_len;
};

struct http_request {
    enum http_verb verb;
    struct slice method; /* as sent */
    struct slice target; /* as sent: "/?a=b" or "http://host/?a=b" */
    struct slice path;   /* of the target: "/" */
    struct slice query;  /* after the '?'; absent without one */
    struct slice body;   /* empty without one; chunks are joined. For a handler it is unpacked */
    struct slice packed; /* the body as it was sent, once it was unpacked; else absent */
    struct slice known[HTTP_HEADER_COUNT];
    uint8_t version_minor; /* of HTTP/1.x */
    bool keep_alive;
    uint32_t header_count;
    const uint8_t *start; /* what the places below count from */
    struct http_header_place headers[HTTP_HEADERS_MAX];
};

struct http_header {
    struct slice name;
    struct slice value; /* without the white space around it */
};

/* Without the blanks and tabs around it. */
static inline struct slice http_trim(struct slice text) {
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = slice_skip(text, 1);
    while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static inline struct http_header http_request_header_at(const struct http_request *request,
                                                        uint32_t index) {
    const struct http_header_place *place = &request->headers[index];
    return (struct http_header){slice_of(request->start + place->name, place->name_len),
                                slice_of(request->start + place->value, place->value_len)};
}

/* Of a header that is none of the known ones: its value, in the first line that has it. Absent:
 * there is none. */
struct slice http_request_find(const struct http_request *request, struct slice name);

/* Whether its body was sent packed, or says so: known[HTTP_CONTENT_ENCODING] tells how. */
static inline bool http_request_has_coding(const struct http_request *request) {
    return slice_present(request->known[HTTP_CONTENT_ENCODING]) && request->verb == HTTP_VERB_POST;
}

/* A parameter of the query string, still percent-encoded; absent when there is none. */
struct slice http_request_query(const struct http_request *request, struct slice name);

/* How the client wants the reply packed: of the codings that Accept-Encoding names with a q above 0
 * the one with the highest, of several the first. */
enum http_coding http_request_accepted_coding(const struct http_request *request);

#endif
