/* reader.c - the parser library's callbacks, turned into places in the request's own bytes. What
 * is plain does not come that far (head.h).
 *
 * The library reports a header in pieces where reads split it; since the bytes stay contiguous, a
 * piece only moves the end of its header. Pieces that are not contiguous are folded lines, which
 * RFC 9112 lets a server refuse.
 *
 * Threads: a reader belongs to its connection's thread. */
#include "http/reader.h"

#include "base/block.h"
#include "base/check.h"
#include "http/head.h"
#include "http/parser.h"

_Static_assert(sizeof(parser) <= HTTP_PARSER_WORDS * sizeof(uint64_t), "room for the parser");

static struct http_reader *reader_of(const parser *p) {
    return p->data;
}

static int fail(struct http_reader *reader, int status) {
    if (reader->error_status == 0)
        reader->error_status = status;
    return -1;
}

static uint32_t offset_of(const struct http_reader *reader, const char *at) {
    return (uint32_t)((const uint8_t *)at - reader->data);
}

static int on_target(parser *p, const char *at, size_t len) {
    struct http_reader *reader = reader_of(p);
    if (reader->target_len == 0)
        reader->target = offset_of(reader, at);
    reader->target_len += (uint32_t)len;
    return 0;
}

static int on_header_name(parser *p, const char *at, size_t len) {
    struct http_reader *reader = reader_of(p);
    if (reader->head_complete)
        return 0; /* a trailer */
    struct http_request *request = reader->request;
    uint32_t offset = offset_of(reader, at);
    if (request->header_count > 0) {
        struct http_header_place *last = &request->headers[request->header_count - 1];
        if (last->value == 0 && last->name + last->name_len == offset) {
            last->name_len += (uint32_t)len;
            return 0;
        }
    }
    if (request->header_count == HTTP_HEADERS_MAX)
        return fail(reader, 400);
    request->headers[request->header_count++] =
        (struct http_header_place){.name = offset, .name_len = (uint32_t)len};
    return 0;
}

static int on_header_value(parser *p, const char *at, size_t len) {
    struct http_reader *reader = reader_of(p);
    if (reader->head_complete)
        return 0;
    CHECK(reader->request->header_count > 0);
    struct http_header_place *last = &reader->request->headers[reader->request->header_count - 1];
    uint32_t offset = offset_of(reader, at);
    if (last->value == 0)
        last->value = offset;
    else if (len > 0 && last->value + last->value_len != offset)
        return fail(reader, 400);
    last->value_len += (uint32_t)len;
    return 0;
}

/* Skips the end of a line; false when there is something else. */
static bool skip_line_end(const struct http_reader *reader, size_t *at) {
    if (reader->len - *at < 2 || memcmp(reader->data + *at, "\r\n", 2) != 0)
        return false;
    *at += 2;
    return true;
}

/* Finds where the blank line ends, which the library does not say: behind the last thing that it
 * reported there is the end of that line, and then the blank one. False when that is not so: a
 * build of http_parser takes any byte for the very last LF, and what it calls the body would then
 * start where no other server thinks it does. */
static bool find_head_end(struct http_reader *reader) {
    size_t at = reader->target + reader->target_len;
    if (reader->request->header_count > 0) {
        const struct http_header_place *last =
            &reader->request->headers[reader->request->header_count - 1];
        at = last->value_len > 0 ? last->value + last->value_len : last->name + last->name_len;
    }
    while (at < reader->len && reader->data[at] != '\r' && reader->data[at] != '\n')
        at++;
    bool found = skip_line_end(reader, &at) && skip_line_end(reader, &at);
    reader->head_len = at;
    return found;
}

/* Trims the values and resolves what is known by name. Called again for the whole request, because
 * the bytes may have moved while the body arrived. */
static void resolve_headers(struct http_reader *reader) {
    struct http_request *request = reader->request;
    request->start = reader->data;
    memset(request->known, 0, sizeof(request->known));
    for (uint32_t i = 0; i < request->header_count; i++) {
        struct http_header_place *place = &request->headers[i];
        if (place->value_len == 0) /* for an empty value the libraries point past its line */
            place->value = place->name + place->name_len;
        struct http_header header = http_request_header_at(request, i);
        struct slice value = http_trim(header.value);
        place->value = (uint32_t)(value.data - reader->data);
        place->value_len = (uint32_t)value.len;
        http_note_known(request, http_known_header(header.name), value);
    }
}

static enum http_verb verb_of(unsigned method) {
    switch (method) {
    case HTTP_GET:
        return HTTP_VERB_GET;
    case HTTP_HEAD:
        return HTTP_VERB_HEAD;
    case HTTP_POST:
        return HTTP_VERB_POST;
    case HTTP_OPTIONS:
        return HTTP_VERB_OPTIONS;
    default:
        return HTTP_VERB_OTHER;
    }
}

/* A build of http_parser may let a blank into a name; to other servers on the way the same header
 * may mean something else ("Transfer-Encoding : chunked"). */
static bool has_blank_in_name(const struct http_request *request) {
    for (uint32_t i = 0; i < request->header_count; i++) {
        struct slice name = http_request_header_at(request, i).name;
        if (memchr(name.data, ' ', name.len) != NULL)
            return true;
    }
    return false;
}

/* The two libraries differ in what else they let pass: CR or LF alone, other control characters,
 * bytes in a target that are not ASCII. What is left is what every server on the way
 * reads alike. */
static bool has_odd_bytes(const struct http_reader *reader) {
    const uint8_t *data = reader->data;
    size_t at = reader->target, target_end = at + reader->target_len;
    for (; at < target_end; at++)
        if (data[at] <= ' ' || data[at] > '~')
            return true;
    for (; at < reader->head_len; at++) {
        if (data[at] == '\r' && data[at + 1] == '\n')
            at++;
        else if ((data[at] < ' ' && data[at] != '\t') || data[at] == 0x7f)
            return true;
    }
    return false;
}

/* There is one host that is meant, and one who sends it. */
static bool has_twins(const struct http_request *request) {
    unsigned hosts = 0, authorizations = 0;
    for (uint32_t i = 0; i < request->header_count; i++) {
        unsigned id = http_known_header(http_request_header_at(request, i).name);
        hosts += id == HTTP_HOST;
        authorizations += id == HTTP_AUTHORIZATION;
    }
    return hosts > 1 || authorizations > 1;
}

/* They also speak for others ("RTSP/1.0"), and a build of http_parser does not look at the letters
 * at all. */
static bool speaks_http(const struct http_reader *reader) {
    size_t at = reader->target + reader->target_len;
    while (at < reader->head_len && reader->data[at] == ' ')
        at++;
    return reader->head_len - at >= 5 && memcmp(reader->data + at, "HTTP/", 5) == 0;
}

static int on_head_complete(parser *p) {
    struct http_reader *reader = reader_of(p);
    struct http_request *request = reader->request;
    p->upgrade = 0; /* an upgrade is an offer; we decline by answering the request itself */
    reader->head_complete = true;
    if (!find_head_end(reader))
        return fail(reader, 400);
    resolve_headers(reader);
    if (reader->head_len > reader->limits.header_bytes_max)
        return fail(reader, 400);
    if (has_odd_bytes(reader) || !speaks_http(reader))
        return fail(reader, 400);
    if (p->http_major != 1)
        return fail(reader, 505);
    if (has_blank_in_name(request) || has_twins(request))
        return fail(reader, 400);
    request->version_minor = p->http_minor == 0 ? 0 : 1;
    if (request->version_minor > 0 && !slice_present(request->known[HTTP_HOST]))
        return fail(reader, 400);
    request->verb = verb_of(p->method);
    request->keep_alive = parser_keep_alive(p);
    reader->chunked = parser_chunked(p);
    /* llhttp lets an empty one pass; and HTTP/1.0 has none, so servers differ in what it means. */
    if (slice_present(request->known[HTTP_TRANSFER_ENCODING]) &&
        (!reader->chunked || request->version_minor == 0))
        return fail(reader, 400);
    if (reader->chunked && !chunks_check(&reader->chunks, reader->data + reader->head_len,
                                         reader->len - reader->head_len))
        return fail(reader, 400);
    reader->content_length = reader->chunked ? 0 : parser_content_length(p);
    if (reader->content_length > reader->limits.body_bytes_max)
        return fail(reader, 413);
    reader->expects_continue =
        request->version_minor > 0 &&
        slice_equal_ignoring_case(request->known[HTTP_EXPECT], SLICE_LITERAL("100-continue"));
    return 0;
}

static int on_body(parser *p, const char *at, size_t len) {
    struct http_reader *reader = reader_of(p);
    if (len > reader->limits.body_bytes_max - reader->body_len)
        return fail(reader, 413);
    uint8_t *to = reader->data + reader->head_len + reader->body_len;
    if (reader->chunked)
        memmove(to, at, len);
    else
        CHECK(to == (const uint8_t *)at);
    reader->body_len += len;
    return 0;
}

static int on_complete(parser *p) {
    reader_of(p)->complete = true;
    return parser_stop(p);
}

static const parser_settings settings = {
    .on_url = on_target,
    .on_header_field = on_header_name,
    .on_header_value = on_header_value,
    .on_headers_complete = on_head_complete,
    .on_body = on_body,
    .on_message_complete = on_complete,
};

void http_reader_init(struct http_reader *reader, struct http_reader_limits limits,
                      struct http_request *request) {
    CHECK(limits.header_bytes_max <= 64 * 1024);
    memset(reader, 0, offsetof(struct http_reader, parser));
    reader->limits = limits;
    reader->request = request;
    request->header_count = 0;
    request->start = NULL;
}

/* The library's state is set up for the requests that get that far. */
static parser *parser_of(struct http_reader *reader) {
    parser *p = (parser *)(void *)reader->parser;
    if (!reader->parser_ready) {
        parser_init(p, &settings);
        p->data = reader;
        reader->parser_ready = true;
    }
    return p;
}

/* Of "http://host/a?b", which proxies send, what "/a?b" would say. */
static struct slice skip_authority(struct slice target) {
    static const char *const schemes[] = {"http://", "https://"};
    for (unsigned i = 0; i < 2; i++) {
        struct slice scheme = slice_text(schemes[i]);
        if (target.len < scheme.len ||
            !slice_equal_ignoring_case(slice_first(target, scheme.len), scheme))
            continue;
        target = slice_skip(target, scheme.len);
        while (target.len > 0 && target.data[0] != '/' && target.data[0] != '?')
            target = slice_skip(target, 1);
        break;
    }
    return target;
}

static void split_target(struct http_request *request) {
    struct slice rest = request->target;
    if (rest.len == 0 || rest.data[0] != '/')
        rest = skip_authority(rest);
    size_t path_len = (size_t)(block_find(rest.data, rest.data + rest.len, '?') - rest.data);
    request->path = path_len == 0 ? SLICE_LITERAL("/") : slice_first(rest, path_len);
    request->query = path_len == rest.len ? SLICE_NONE : slice_skip(rest, path_len + 1);
}

static struct slice find_method(const struct http_reader *reader) {
    const uint8_t *method = reader->data;
    while (*method == '\r' || *method == '\n')
        method++; /* empty lines before a request are allowed */
    const uint8_t *end = method;
    while (*end != ' ')
        end++;
    return slice_of(method, (size_t)(end - method));
}

/* Of a request whose headers and method are known: the rest of its parts. */
static enum http_read_result complete(struct http_reader *reader) {
    struct http_request *request = reader->request;
    request->target = slice_of(reader->data + reader->target, reader->target_len);
    request->body = slice_of(reader->data + reader->head_len, reader->body_len);
    request->packed = SLICE_NONE;
    split_target(request);
    return HTTP_READ_COMPLETE;
}

/* The chunks' own bytes, already decoded, leave the buffer, so that it never holds more than the
 * body and one read. */
static void drop_chunk_headers(struct http_reader *reader, size_t *len) {
    if (reader->head_complete && reader->chunked) {
        reader->parsed = reader->head_len + reader->body_len;
        *len = reader->parsed;
    }
}

/* Headers, chunk extensions and trailers are all limited: none may go on for ever. */
static bool is_too_long(struct http_reader *reader, size_t used, bool body_grew) {
    if (!reader->head_complete)
        return reader->len > reader->limits.header_bytes_max;
    reader->quiet = body_grew ? 0 : reader->quiet + used;
    return reader->chunked && reader->quiet > reader->limits.header_bytes_max;
}

static enum http_read_result failed(struct http_reader *reader, int status) {
    fail(reader, status);
    return HTTP_READ_ERROR;
}

enum http_read_result http_reader_read(struct http_reader *reader, uint8_t *data, size_t *len) {
    if (reader->complete)
        return HTTP_READ_COMPLETE;
    CHECK(*len >= reader->parsed);
    if (reader->error_status != 0)
        return HTTP_READ_ERROR;
    size_t used = 0, offered = *len - reader->parsed, body_len = reader->body_len;
    if (offered == 0)
        return HTTP_READ_MORE;
    reader->data = data;
    reader->len = *len;
    if (reader->parsed == 0 && http_head_read(reader))
        return complete(reader);
    if (reader->chunked && !chunks_check(&reader->chunks, data + reader->parsed, offered))
        return failed(reader, 400);
    enum parser_outcome outcome = parser_execute(
        parser_of(reader), &settings, (const char *)data + reader->parsed, offered, &used);
    reader->parsed += used;
    if (outcome == PARSER_FAILED)
        return failed(reader, 400);
    if (reader->complete) {
        if (reader->request->start != data)
            resolve_headers(reader);
        reader->request->method = find_method(reader);
        return complete(reader);
    }
    if (is_too_long(reader, used, reader->body_len > body_len))
        return failed(reader, 400);
    drop_chunk_headers(reader, len);
    return HTTP_READ_MORE;
}
