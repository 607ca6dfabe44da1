/* head.c - header lines many bytes at a time, names by their length and a comparison of words. */
#include "http/head.h"

#include "base/block.h"

static const struct slice known_names[HTTP_HEADER_COUNT] = {
#define HTTP_HEADER(symbol, name) [HTTP_##symbol] = {(const uint8_t *)(name), sizeof(name) - 1},
#include "http/headers.def"
#undef HTTP_HEADER
};

enum {
#define HTTP_HEADER(symbol, name) LENGTH_##symbol = sizeof(name) - 1,
#include "http/headers.def"
#undef HTTP_HEADER
};

_Static_assert(LENGTH_HOST == LENGTH_DATE && LENGTH_EXPECT == LENGTH_ORIGIN &&
                   LENGTH_X_AMZ_DATE == LENGTH_CONNECTION &&
                   LENGTH_CONTENT_TYPE == LENGTH_X_AMZ_TARGET &&
                   LENGTH_PROXY_CONNECTION == LENGTH_CONTENT_ENCODING &&
                   LENGTH_X_AMZ_SECURITY_TOKEN == LENGTH_X_AMZ_CONTENT_SHA256,
               "those that known_header() tells apart by comparing");

/* A name has no control characters: setting bit 5 turns capitals into small letters and leaves the
 * others that occur in the names we know. */
static inline __attribute__((always_inline)) bool is_same(const uint8_t *name, const uint8_t *known,
                                                          size_t len) {
    if (len == 8)
        return (load_u64(name) | EVERY_BYTE(0x20)) == load_u64(known);
    return (load_u32(name) | 0x20202020) == load_u32(known);
}

/* Word by word; the last word may begin within the one before. */
static inline __attribute__((always_inline)) bool is_known(const uint8_t *name, unsigned id) {
    const uint8_t *known = known_names[id].data;
    const size_t len = known_names[id].len, step = len < 8 ? 4 : 8;
    for (size_t i = 0; i + step < len; i += step)
        if (!is_same(name + i, known + i, step))
            return false;
    return is_same(name + len - step, known + len - step, step);
}

/* The length leaves one name or two; the compiler knows them and writes the comparisons out. Being
 * static, it costs its caller no more registers than it uses. */
static unsigned known_header(struct slice name) {
#define ONLY(one) is_known(name.data, HTTP_##one) ? HTTP_##one : HTTP_HEADER_COUNT
#define EITHER(one, other) is_known(name.data, HTTP_##one) ? HTTP_##one : ONLY(other)
    switch (name.len) {
    case LENGTH_HOST:
        return EITHER(HOST, DATE);
    case LENGTH_EXPECT:
        return EITHER(EXPECT, ORIGIN);
    case LENGTH_X_AMZ_DATE:
        return EITHER(X_AMZ_DATE, CONNECTION);
    case LENGTH_CONTENT_TYPE:
        return EITHER(CONTENT_TYPE, X_AMZ_TARGET);
    case LENGTH_AUTHORIZATION:
        return ONLY(AUTHORIZATION);
    case LENGTH_CONTENT_LENGTH:
        return ONLY(CONTENT_LENGTH);
    case LENGTH_ACCEPT_ENCODING:
        return ONLY(ACCEPT_ENCODING);
    case LENGTH_PROXY_CONNECTION:
        return EITHER(PROXY_CONNECTION, CONTENT_ENCODING);
    case LENGTH_TRANSFER_ENCODING:
        return ONLY(TRANSFER_ENCODING);
    case LENGTH_X_AMZ_SECURITY_TOKEN:
        return EITHER(X_AMZ_SECURITY_TOKEN, X_AMZ_CONTENT_SHA256);
    case LENGTH_ACCESS_CONTROL_REQUEST_METHOD:
        return ONLY(ACCESS_CONTROL_REQUEST_METHOD);
    case LENGTH_ACCESS_CONTROL_REQUEST_HEADERS:
        return ONLY(ACCESS_CONTROL_REQUEST_HEADERS);
    default:
        return HTTP_HEADER_COUNT;
    }
#undef EITHER
#undef ONLY
}

unsigned http_known_header(struct slice name) {
    return known_header(name);
}

/* ---- bytes ---- */

/* What names are made of (RFC 9110, token). */
static const bool is_token[256] = {
    ['!'] = 1,        ['#'] = 1,        ['$'] = 1,        ['%'] = 1,        ['&'] = 1,
    ['\''] = 1,       ['*'] = 1,        ['+'] = 1,        ['-'] = 1,        ['.'] = 1,
    ['^'] = 1,        ['_'] = 1,        ['`'] = 1,        ['|'] = 1,        ['~'] = 1,
    ['0'] = 1,        ['1'] = 1,        ['2'] = 1,        ['3'] = 1,        ['4'] = 1,
    ['5'] = 1,        ['6'] = 1,        ['7'] = 1,        ['8'] = 1,        ['9'] = 1,
#define LETTER(small, capital) [small] = 1, [capital] = 1
    LETTER('a', 'A'), LETTER('b', 'B'), LETTER('c', 'C'), LETTER('d', 'D'), LETTER('e', 'E'),
    LETTER('f', 'F'), LETTER('g', 'G'), LETTER('h', 'H'), LETTER('i', 'I'), LETTER('j', 'J'),
    LETTER('k', 'K'), LETTER('l', 'L'), LETTER('m', 'M'), LETTER('n', 'N'), LETTER('o', 'O'),
    LETTER('p', 'P'), LETTER('q', 'Q'), LETTER('r', 'R'), LETTER('s', 'S'), LETTER('t', 'T'),
    LETTER('u', 'U'), LETTER('v', 'V'), LETTER('w', 'W'), LETTER('x', 'X'), LETTER('y', 'Y'),
    LETTER('z', 'Z'),
#undef LETTER
};

/* Names are mostly of letters and hyphens; the table knows the rest. Up to `end` can be read. */
static bool is_name(struct slice name, const uint8_t *end) {
    const uint8_t *at = name.data, *name_end = name.data + name.len;
    while (at < name_end && end - at >= BLOCK_BYTES) {
        unsigned others = ~block_wordlike(at);
        at += block_first(others | 1U << BLOCK_BYTES);
        if (others & BLOCK_ALL)
            break;
    }
    while (at < name_end && is_token[*at])
        at++;
    return name.len > 0 && at >= name_end;
}

/* The first byte from there on that is not printable ASCII; `end` when there is none. In a head
 * that ends a line, or it is a byte that the library may judge. */
static inline const uint8_t *skip_printable(const uint8_t *at, const uint8_t *end) {
    for (ptrdiff_t left = end - at; left >= BLOCK_BYTES; left -= BLOCK_BYTES) {
        unsigned mask = block_printable(at);
        if (mask != BLOCK_ALL)
            return at + block_first(~mask);
        at += BLOCK_BYTES;
    }
    while (at < end && *at >= ' ' && *at <= '~')
        at++;
    return at;
}

static bool is_line_end(const uint8_t *at) {
    return at[0] == '\r' && at[1] == '\n';
}

/* ---- the request line ---- */

/* Returns where the headers start; NULL when it is not a plain request. */
static const uint8_t *read_request_line(struct http_reader *reader, const uint8_t *end) {
    static const struct slice method = {(const uint8_t *)"POST ", 5};
    static const struct slice version = {(const uint8_t *)" HTTP/1.1", 9};
    const uint8_t *at = reader->data, *line_end = skip_printable(at, end);
    if (!is_line_end(line_end) || (size_t)(line_end - at) <= method.len + version.len)
        return NULL;
    const uint8_t *target = at + method.len, *target_end = line_end - version.len;
    if (memcmp(at, method.data, method.len) != 0 ||
        memcmp(target_end, version.data, version.len) != 0 || target[0] != '/')
        return NULL;
    for (const uint8_t *c = target; c < target_end; c++)
        if (*c == ' ' || *c == '#')
            return NULL;
    reader->target = (uint32_t)(target - reader->data);
    reader->target_len = (uint32_t)(target_end - target);
    return line_end + 2;
}

/* ---- headers ---- */

/* Of a header by which the meaning of the connection or of the body changes only what a client
 * usually says, and none twice of which there is one. */
static bool is_plain(const struct http_request *request, unsigned id, struct slice value) {
    switch (id) {
    case HTTP_EXPECT:
    case HTTP_PROXY_CONNECTION:
    case HTTP_TRANSFER_ENCODING:
        return false;
    case HTTP_CONNECTION:
        return slice_equal_ignoring_case(value, SLICE_LITERAL("keep-alive"));
    case HTTP_HOST:
    case HTTP_AUTHORIZATION:
    case HTTP_CONTENT_LENGTH:
        return !slice_present(request->known[id]);
    default:
        return true;
    }
}

/* What stands behind the colon, without the blanks around it. Both searches for a byte that is no
 * blank end: the line does with CR, and before the blanks there is the colon. */
static struct slice read_value(const uint8_t *colon, const uint8_t *line_end) {
    const uint8_t *value = colon + 1;
    while (*value == ' ')
        value++;
    while (line_end[-1] == ' ')
        line_end--;
    return value < line_end ? slice_of(value, (size_t)(line_end - value)) : slice_of(colon, 0);
}

/* Returns where the next line starts; NULL when this is not a plain header. One that starts behind
 * `end` is not: there it ends, too, and not with a line end. */
static const uint8_t *read_header(struct http_request *request, const uint8_t *at,
                                  const uint8_t *end, struct http_header_place *ret_place) {
    const uint8_t *line_end = skip_printable(at, end), *colon = block_find(at, end, ':');
    if (!is_line_end(line_end) || colon >= line_end)
        return NULL;
    struct slice name = slice_of(at, (size_t)(colon - at)), value = read_value(colon, line_end);
    ret_place->name = (uint32_t)(name.data - request->start);
    ret_place->name_len = (uint32_t)name.len;
    unsigned id = known_header(name);
    if (id == HTTP_HEADER_COUNT ? !is_name(name, end) : !is_plain(request, id, value))
        return NULL;
    http_note_known(request, id, value);
    ret_place->value = (uint32_t)(value.data - request->start);
    ret_place->value_len = (uint32_t)value.len;
    return line_end + 2;
}

/* Returns where the blank line starts. */
static const uint8_t *read_headers(struct http_request *request, const uint8_t *at,
                                   const uint8_t *end) {
    uint32_t count = 0;
    do {
        if (count == HTTP_HEADERS_MAX)
            return NULL;
        at = read_header(request, at, end, &request->headers[count++]);
        if (at == NULL)
            return NULL;
    } while (!is_line_end(at));
    request->header_count = count;
    return at;
}

/* Digits only, and not so many that they could overflow. */
static bool read_length(struct slice text, uint64_t *ret_length) {
    *ret_length = 0;
    if (text.len == 0 || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        *ret_length = *ret_length * 10 + (uint64_t)(text.data[i] - '0');
    }
    return true;
}

/* Every line of a head is followed by two bytes at least, its last one by the blank line. So
 * nothing is searched in the last four: whatever is found, both line ends can be looked at. */
static bool read_head(struct http_reader *reader) {
    enum { LINE_ENDS = 4 };
    struct http_request *request = reader->request;
    size_t len = reader->len;
    if (len > reader->limits.header_bytes_max)
        len = reader->limits.header_bytes_max;
    if (len < LINE_ENDS)
        return false;
    const uint8_t *end = reader->data + len - LINE_ENDS;
    const uint8_t *at = read_request_line(reader, end);
    if (at == NULL || (at = read_headers(request, at, end)) == NULL)
        return false;
    reader->head_len = (size_t)(at + 2 - reader->data);
    return slice_present(request->known[HTTP_HOST]) &&
           slice_present(request->known[HTTP_CONTENT_LENGTH]) &&
           read_length(request->known[HTTP_CONTENT_LENGTH], &reader->content_length) &&
           reader->content_length <= reader->limits.body_bytes_max &&
           reader->content_length <= reader->len - reader->head_len;
}

/* Where gcc knows the size it writes `rep stos`, which takes three times as long as memset(). */
static void clear_known(struct http_request *request) {
    size_t size = sizeof(request->known);
    __asm__("" : "+r"(size));
    memset(request->known, 0, size);
}

bool http_head_read(struct http_reader *reader) {
    struct http_request *request = reader->request;
    request->start = reader->data;
    clear_known(request);
    if (!read_head(reader)) {
        request->header_count = 0;
        reader->target = reader->target_len = 0;
        reader->head_len = 0;
        reader->content_length = 0;
        return false;
    }
    request->verb = HTTP_VERB_POST;
    request->method = slice_of(reader->data, sizeof("POST") - 1);
    request->version_minor = 1;
    request->keep_alive = true;
    reader->body_len = (size_t)reader->content_length;
    reader->parsed = reader->head_len + reader->body_len;
    reader->head_complete = reader->complete = true;
    return true;
}
