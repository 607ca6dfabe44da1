/* reader.c - one token per call, from a small state: what may come next, and the kind of each open
 * container.
 *
 * Invariants: `next` never passes `end`; `depth` never passes JSON_DEPTH_MAX. Strings without
 * escapes are slices of the input, which is why the input must outlive what was read. Memory: only
 * strings with escapes are copied, to the reader's arena. One thread at a time. */
#include "json/reader.h"

#include "json/scan.h"

/* What the grammar allows at `next`. */
enum expect {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* just after [ */
    EXPECT_NAME_OR_END,  /* just after { */
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* the outermost value is complete */
    EXPECT_FAILED,
};

void json_reader_init(struct json_reader *reader, struct slice input, struct arena *arena) {
    if (!slice_present(input))
        input = SLICE_LITERAL("");
    reader->start = input.data;
    reader->next = input.data;
    reader->end = input.data + input.len;
    reader->arena = arena;
    reader->text = SLICE_NONE;
    reader->token = JSON_ERROR;
    reader->depth = 0;
    reader->expect = EXPECT_VALUE;
}

static enum json_token fail(struct json_reader *r) {
    r->expect = EXPECT_FAILED;
    r->text = SLICE_NONE;
    return JSON_ERROR;
}

static inline bool is_space(uint8_t c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next byte that is not white space, or 0 at the end (a NUL is an error wherever it stands). */
static inline uint8_t peek(struct json_reader *r) {
    const uint8_t *p = r->next;
    if (p<r->end && * p> ' ')
        return *p;
    while (p < r->end && is_space(*p))
        p++;
    r->next = p;
    return p < r->end ? *p : 0;
}

/* ---- containers ---- */

static bool in_array(const struct json_reader *r) {
    uint32_t at = r->depth - 1;
    return (r->in_array[at / 8] >> (at % 8) & 1) != 0;
}

static enum json_token open_container(struct json_reader *r, bool array) {
    if (r->depth == JSON_DEPTH_MAX)
        return fail(r);
    uint32_t at = r->depth++;
    uint8_t bit = (uint8_t)(1U << (at % 8));
    if (array)
        r->in_array[at / 8] |= bit;
    else
        r->in_array[at / 8] &= (uint8_t)~bit;
    r->next++;
    r->expect = array ? EXPECT_VALUE_OR_END : EXPECT_NAME_OR_END;
    return array ? JSON_ARRAY_BEGIN : JSON_OBJECT_BEGIN;
}

static inline void value_done(struct json_reader *r) {
    r->expect = r->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

static enum json_token close_container(struct json_reader *r) {
    bool array = in_array(r);
    if (*r->next != (array ? ']' : '}'))
        return fail(r);
    r->next++;
    r->depth--;
    value_done(r);
    return array ? JSON_ARRAY_END : JSON_OBJECT_END;
}

/* ---- strings ---- */

static bool is_continuation(const uint8_t *p, uint8_t low, uint8_t high) {
    return *p >= low && *p <= high;
}

/* The length of the well-formed sequence that starts with a byte above 0x7F, or 0. The second
 * byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF. */
static size_t utf8_sequence(const uint8_t *p, const uint8_t *end) {
    size_t left = (size_t)(end - p);
    uint8_t lead = p[0];
    if (lead < 0xE0)
        return lead >= 0xC2 && left >= 2 && is_continuation(p + 1, 0x80, 0xBF) ? 2 : 0;
    if (lead < 0xF0) {
        uint8_t low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
        return left >= 3 && is_continuation(p + 1, low, high) && is_continuation(p + 2, 0x80, 0xBF)
                   ? 3
                   : 0;
    }
    uint8_t low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return lead <= 0xF4 && left >= 4 && is_continuation(p + 1, low, high) &&
                   is_continuation(p + 2, 0x80, 0xBF) && is_continuation(p + 3, 0x80, 0xBF)
               ? 4
               : 0;
}

/* Where the plain text from `p` on stops: at a quote, a backslash, or (an error) a control
 * character, bad UTF-8 or the end of the input. */
static const uint8_t *scan_plain(const uint8_t *p, const uint8_t *end) {
    for (;;) {
        while (end - p >= SCAN_BYTES) {
            uint64_t hit = scan_special_or_wide(scan_load(p));
            if (hit != 0) {
                p += scan_first(hit);
                break;
            }
            p += SCAN_BYTES;
        }
        while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
            p++;
        if (p == end || *p < 0x80)
            return p;
        while (p < end && *p >= 0x80) {
            size_t len = utf8_sequence(p, end);
            if (len == 0)
                return p;
            p += len;
        }
    }
}

/* Four hexadecimal digits, or -1. */
static int32_t scan_hex4(const uint8_t *p, const uint8_t *end) {
    if (end - p < 4)
        return -1;
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = p[i], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            code = code << 4 | (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            code = code << 4 | (lower - 'a' + 10);
        else
            return -1;
    }
    return code;
}

static uint8_t *put_utf8(uint8_t *out, int32_t code) {
    if (code < 0x80) {
        *out++ = (uint8_t)code;
    } else if (code < 0x800) {
        *out++ = (uint8_t)(0xC0 | code >> 6);
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (uint8_t)(0xE0 | code >> 12);
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    } else {
        *out++ = (uint8_t)(0xF0 | code >> 18);
        *out++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    }
    return out;
}

/* After \u: one code point, from two escapes when the first is a high surrogate. A surrogate
 * without its partner has no UTF-8. NULL on an error. */
static const uint8_t *unescape_unicode(const uint8_t *p, const uint8_t *end, uint8_t **out) {
    int32_t code = scan_hex4(p, end);
    p += 4;
    if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF))
        return NULL;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
            return NULL;
        int32_t low = scan_hex4(p + 2, end);
        if (low < 0xDC00 || low > 0xDFFF)
            return NULL;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    }
    *out = put_utf8(*out, code);
    return p;
}

/* `p` is at a backslash; returns what follows the escape, or NULL. */
static const uint8_t *unescape(const uint8_t *p, const uint8_t *end, uint8_t **out) {
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (end - p < 2)
        return NULL;
    if (p[1] == 'u')
        return unescape_unicode(p + 2, end, out);
    const char *found = p[1] == '\0' ? NULL : strchr(escapes, p[1]);
    if (found == NULL)
        return NULL;
    *(*out)++ = (uint8_t)meanings[found - escapes];
    return p + 2;
}

/* The closing quote of the string whose text goes on at `p`, or NULL. */
static const uint8_t *find_quote(const uint8_t *p, const uint8_t *end) {
    for (p = scan_plain(p, end); p < end; p = scan_plain(p, end)) {
        if (*p == '"')
            return p;
        if (*p != '\\' || end - p < 2)
            return NULL;
        p += 2;
    }
    return NULL;
}

/* A string with escapes; `p` is at the first one. An escape is never shorter than its UTF-8, so the
 * raw length is room enough. */
static bool read_escaped(struct json_reader *r, const uint8_t *start, const uint8_t *p) {
    const uint8_t *quote = find_quote(p, r->end);
    if (quote == NULL)
        return false;
    uint8_t *copy = arena_alloc(r->arena, (size_t)(quote - start));
    uint8_t *out = copy;
    for (;;) {
        memcpy(out, start, (size_t)(p - start));
        out += p - start;
        if (p == quote)
            break;
        start = unescape(p, quote, &out);
        if (start == NULL)
            return false;
        p = scan_plain(start, quote);
    }
    r->text = slice_of(copy, (size_t)(out - copy));
    r->next = quote + 1;
    return true;
}

/* A string whose text up to `p` is plain and goes on with something that is not. */
static __attribute__((noinline)) bool read_long(struct json_reader *r, const uint8_t *start,
                                                const uint8_t *p) {
    p = scan_plain(p, r->end);
    if (p == r->end || *p != '"')
        return p < r->end && *p == '\\' && read_escaped(r, start, p);
    r->text = slice_of(start, (size_t)(p - start));
    r->next = p + 1;
    return true;
}

/* `next` is at the opening quote. Most strings are plain ASCII: those are done here. */
static inline bool read_string(struct json_reader *r) {
    const uint8_t *start = r->next + 1, *p = start;
    while (r->end - p >= SCAN_BYTES) {
        uint64_t hit = scan_special_or_wide(scan_load(p));
        if (hit == 0) {
            p += SCAN_BYTES;
            continue;
        }
        p += scan_first(hit);
        if (*p != '"')
            break;
        r->text = slice_of(start, (size_t)(p - start));
        r->next = p + 1;
        return true;
    }
    return read_long(r, start, p);
}

/* ---- numbers and words ---- */

/* One digit at least; NULL when there is none. */
static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end) {
    const uint8_t *start = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p == start ? NULL : p;
}

static enum json_token read_number(struct json_reader *r) {
    const uint8_t *start = r->next, *end = r->end;
    enum json_token token = JSON_INTEGER;
    const uint8_t *whole = start + (*start == '-');
    const uint8_t *p = skip_digits(whole, end);
    if (p == NULL || (*whole == '0' && p - whole > 1))
        return fail(r);
    if (p < end && *p == '.') {
        token = JSON_DECIMAL;
        p = skip_digits(p + 1, end);
        if (p == NULL)
            return fail(r);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        token = JSON_DECIMAL;
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        p = skip_digits(p, end);
        if (p == NULL)
            return fail(r);
    }
    r->text = slice_of(start, (size_t)(p - start));
    r->next = p;
    value_done(r);
    return token;
}

static inline enum json_token read_word(struct json_reader *r, const char *word,
                                        enum json_token token) {
    size_t len = strlen(word);
    if ((size_t)(r->end - r->next) < len || memcmp(r->next, word, len) != 0)
        return fail(r);
    r->next += len;
    value_done(r);
    return token;
}

/* ---- tokens ---- */

static enum json_token read_value(struct json_reader *r, uint8_t first) {
    switch (first) {
    case '"':
        if (!read_string(r))
            return fail(r);
        value_done(r);
        return JSON_STRING;
    case '{':
        return open_container(r, false);
    case '[':
        return open_container(r, true);
    case 't':
        return read_word(r, "true", JSON_TRUE);
    case 'f':
        return read_word(r, "false", JSON_FALSE);
    case 'n':
        return read_word(r, "null", JSON_NULL);
    default:
        return first == '-' || (first >= '0' && first <= '9') ? read_number(r) : fail(r);
    }
}

/* A name and its colon. */
static enum json_token read_name(struct json_reader *r) {
    if (peek(r) != '"' || !read_string(r) || peek(r) != ':')
        return fail(r);
    r->next++;
    r->expect = EXPECT_VALUE;
    return JSON_NAME;
}

static enum json_token read_after_comma(struct json_reader *r) {
    r->next++;
    return in_array(r) ? read_value(r, peek(r)) : read_name(r);
}

enum json_token json_next(struct json_reader *reader) {
    struct json_reader *r = reader;
    uint8_t first = peek(r);
    enum json_token token = JSON_ERROR;
    switch ((enum expect)r->expect) {
    case EXPECT_VALUE:
        token = read_value(r, first);
        break;
    case EXPECT_VALUE_OR_END:
        token = first == ']' ? close_container(r) : read_value(r, first);
        break;
    case EXPECT_NAME_OR_END:
        token = first == '}' ? close_container(r) : read_name(r);
        break;
    case EXPECT_COMMA_OR_END:
        token = r->next == r->end ? fail(r)
                : first == ','    ? read_after_comma(r)
                                  : close_container(r);
        break;
    case EXPECT_NOTHING:
        token = r->next == r->end ? JSON_END : fail(r);
        break;
    case EXPECT_FAILED:
        break;
    }
    r->token = token;
    return token;
}

uint8_t json_take_tagged(struct json_reader *reader, uint8_t a, uint8_t b) {
    const uint8_t *p = reader->next;
    if (reader->end - p < 8 || p[0] != '"' || (p[1] != a && p[1] != b) || p[2] != '"' ||
        p[3] != ':')
        return 0;
    uint8_t letter = p[1];
    p += p[4] == ' ' ? 5 : 4;
    if (*p != '"')
        return 0;
    const uint8_t *start = ++p;
    while (reader->end - p > SCAN_BYTES) {
        uint64_t hit = scan_special_or_wide(scan_load(p));
        if (hit == 0) {
            p += SCAN_BYTES;
            continue;
        }
        p += scan_first(hit);
        if (p[0] != '"' || p[1] != '}')
            return 0;
        reader->text = slice_of(start, (size_t)(p - start));
        reader->next = p + 2;
        reader->token = JSON_OBJECT_END;
        reader->depth--;
        value_done(reader);
        return letter;
    }
    return 0;
}

bool json_skip(struct json_reader *reader) {
    if (reader->token != JSON_OBJECT_BEGIN && reader->token != JSON_ARRAY_BEGIN)
        return reader->token != JSON_ERROR;
    struct arena_mark mark = arena_mark(reader->arena);
    uint32_t outside = reader->depth - 1;
    while (reader->depth > outside && json_next(reader) != JSON_ERROR)
        continue;
    arena_rewind(reader->arena, mark);
    reader->text = SLICE_NONE;
    return reader->token != JSON_ERROR;
}

bool json_finish(struct json_reader *reader) {
    if (reader->expect == EXPECT_FAILED)
        return false;
    enum json_token token;
    do
        token = json_next(reader);
    while (token != JSON_END && token != JSON_ERROR);
    return token == JSON_END;
}
