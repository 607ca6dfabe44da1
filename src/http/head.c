/* head.c - finding the end of each header line many bytes at a time. */
#include "http/head.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"

static const struct slice known_names[HTTP_HEADER_COUNT] = {
#define HTTP_HEADER(symbol, name) [HTTP_##symbol] = {(const uint8_t *)(name), sizeof(name) - 1},
#include "http/headers.def"
#undef HTTP_HEADER
};

#define EVERY_BYTE(byte) ((uint64_t)(byte)*0x0101010101010101U)

/* One bit for each length that a known name has: most other headers are told apart by theirs. */
static const uint32_t known_lengths = 0
#define HTTP_HEADER(symbol, name) | 1U << (sizeof(name) - 1)
#include "http/headers.def"
#undef HTTP_HEADER
    ;

/* A name has only token characters: setting bit 5 turns capitals into small letters and leaves the
 * others that occur in the names we know. */
static bool is_same_name(const uint8_t *name, struct slice known) {
    size_t i = 0;
    for (; i + 8 <= known.len; i += 8)
        if ((load_u64(name + i) | EVERY_BYTE(0x20)) != load_u64(known.data + i))
            return false;
    for (; i < known.len; i++)
        if ((name[i] | 0x20) != known.data[i])
            return false;
    return true;
}

/* headers.def is sorted by length. */
unsigned http_known_header(struct slice name) {
    if (name.len >= 32 || (known_lengths >> name.len & 1) == 0)
        return HTTP_HEADER_COUNT;
    unsigned id = 0, end = HTTP_HEADER_COUNT;
    while (id < end) {
        unsigned middle = (id + end) / 2;
        if (known_names[middle].len < name.len)
            id = middle + 1;
        else
            end = middle;
    }
    for (; id < HTTP_HEADER_COUNT && known_names[id].len == name.len; id++)
        if (is_same_name(name.data, known_names[id]))
            return id;
    return HTTP_HEADER_COUNT;
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

#ifdef __SSE2__

/* Which of the sixteen bytes are control characters, below 0x20 or 0x7F: a bit each. */
static unsigned control_bits(const uint8_t *at) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    __m128i delete = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(low, delete));
}

/* Passes over bytes that are none. */
static const uint8_t *skip_plain(const uint8_t *at, const uint8_t *end) {
    for (; end - at >= 16; at += 16) {
        unsigned bits = control_bits(at);
        if (bits != 0)
            return at + __builtin_ctz(bits);
    }
    return at;
}

#else

/* True when one of the eight bytes is a control character: below 0x20, or 0x7F. */
static bool has_control(uint64_t bytes) {
    uint64_t delete = bytes ^ EVERY_BYTE(0x7f);
    uint64_t low = (bytes - EVERY_BYTE(0x20)) & ~bytes;
    return ((low | ((delete - EVERY_BYTE(0x01)) & ~delete)) & EVERY_BYTE(0x80)) != 0;
}

/* Passes over bytes that are none. */
static const uint8_t *skip_plain(const uint8_t *at, const uint8_t *end) {
    while (end - at >= 8 && !has_control(load_u64(at)))
        at += 8;
    return at;
}

#endif

/* The first control character from there on; `end` when there is none. */
static const uint8_t *find_control(const uint8_t *at, const uint8_t *end) {
    at = skip_plain(at, end);
    while (at < end && *at >= 0x20 && *at != 0x7f)
        at++;
    return at;
}

static bool is_line_end(const uint8_t *at, const uint8_t *end) {
    return end - at >= 2 && at[0] == '\r' && at[1] == '\n';
}

/* ---- the request line ---- */

static bool read_request_line(struct http_reader *reader, const uint8_t **at, const uint8_t *end) {
    static const struct slice method = {(const uint8_t *)"POST ", 5};
    static const struct slice version = {(const uint8_t *)" HTTP/1.1", 9};
    const uint8_t *line_end = find_control(*at, end);
    if (!is_line_end(line_end, end) || (size_t)(line_end - *at) <= method.len + version.len)
        return false;
    const uint8_t *target = *at + method.len, *target_end = line_end - version.len;
    if (memcmp(*at, method.data, method.len) != 0 ||
        memcmp(target_end, version.data, version.len) != 0 || target[0] != '/')
        return false;
    for (const uint8_t *c = target; c < target_end; c++)
        if (*c <= ' ' || *c > '~' || *c == '#')
            return false;
    reader->target = (uint32_t)(target - reader->data);
    reader->target_len = (uint32_t)(target_end - target);
    *at = line_end + 2;
    return true;
}

/* ---- headers ---- */

/* Of a header by which the meaning of the connection or of the body changes, or of a second length:
 * only what a client usually says. */
static bool is_plain(const struct http_request *request, unsigned id, struct slice value) {
    switch (id) {
    case HTTP_EXPECT:
    case HTTP_PROXY_CONNECTION:
    case HTTP_TRANSFER_ENCODING:
        return false;
    case HTTP_CONNECTION:
        return slice_equal_ignoring_case(value, SLICE_LITERAL("keep-alive"));
    case HTTP_CONTENT_LENGTH:
        return !slice_present(request->known[id]);
    default:
        return true;
    }
}

static bool read_header(struct http_reader *reader, const uint8_t **at, const uint8_t *end) {
    struct http_request *request = reader->request;
    const uint8_t *name_end = *at;
    while (name_end < end && is_token[*name_end])
        name_end++;
    if (name_end == *at || name_end == end || *name_end != ':' ||
        request->header_count == HTTP_HEADERS_MAX)
        return false;
    const uint8_t *line_end = find_control(name_end, end);
    if (!is_line_end(line_end, end))
        return false;
    struct slice name = slice_of(*at, (size_t)(name_end - *at));
    struct slice value = http_trim(slice_of(name_end + 1, (size_t)(line_end - name_end - 1)));
    if (value.len == 0)
        value = slice_of(name_end, 0);
    unsigned id = http_known_header(name);
    if (!is_plain(request, id, value))
        return false;
    http_note_known(request, id, value);
    request->headers[request->header_count++] = (struct http_header_place){
        .name = (uint32_t)(name.data - reader->data),
        .name_len = (uint32_t)name.len,
        .value = (uint32_t)(value.data - reader->data),
        .value_len = (uint32_t)value.len,
    };
    *at = line_end + 2;
    return true;
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

static bool read_head(struct http_reader *reader) {
    struct http_request *request = reader->request;
    const uint8_t *at = reader->data;
    size_t len = reader->len;
    if (len > reader->limits.header_bytes_max)
        len = reader->limits.header_bytes_max;
    const uint8_t *end = at + len;
    if (!read_request_line(reader, &at, end))
        return false;
    while (!is_line_end(at, end))
        if (!read_header(reader, &at, end))
            return false;
    reader->head_len = (size_t)(at + 2 - reader->data);
    return slice_present(request->known[HTTP_HOST]) &&
           slice_present(request->known[HTTP_CONTENT_LENGTH]) &&
           read_length(request->known[HTTP_CONTENT_LENGTH], &reader->content_length) &&
           reader->content_length <= reader->limits.body_bytes_max &&
           reader->content_length <= reader->len - reader->head_len;
}

bool http_head_read(struct http_reader *reader) {
    struct http_request *request = reader->request;
    request->start = reader->data;
    memset(request->known, 0, sizeof(request->known));
    if (!read_head(reader)) {
        request->header_count = 0;
        reader->target = reader->target_len = 0;
        reader->head_len = 0;
        reader->content_length = 0;
        return false;
    }
    request->verb = HTTP_VERB_POST;
    request->version_minor = 1;
    request->keep_alive = true;
    reader->body_len = (size_t)reader->content_length;
    reader->parsed = reader->head_len + reader->body_len;
    reader->head_complete = reader->complete = true;
    return true;
}
