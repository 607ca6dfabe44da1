/* reader.c - one token per call, from a small state: what may come next, and the kind of each open
 * container.
 *
 * Invariants: `next` never passes `end`; `depth` never passes JSON_DEPTH_MAX. Strings without
 * escapes are slices of the input, which is why the input must outlive what was read. Memory: only
 * strings with escapes are copied, to the reader's arena. One thread at a time. */
#include "json/reader.h"

#include "base/utf8.h"
#include "json/scan.h"
#include "json/unescape.h"

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
    if (p < r->end && ' ' < p[0])
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

/* What skip_ascii() does when less than a block is left: the input's last block is looked at
 * without the bytes before `p`. */
static __attribute__((noinline)) const uint8_t *skip_last(const struct json_reader *r,
                                                          const uint8_t *p) {
    const uint8_t *end = r->end;
    if (end - r->start >= BLOCK_BYTES) {
        scan_block last = scan_block_load(end - BLOCK_BYTES);
        uint32_t marks = scan_block_special_or_wide(last) >> (BLOCK_BYTES - (size_t)(end - p));
        return marks == 0 ? end : p + block_first(marks);
    }
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* The first byte from `p` on that is a quote, a backslash, a control character or not ASCII, or the
 * end of the input. */
static inline const uint8_t *skip_ascii(const struct json_reader *r, const uint8_t *p) {
    for (; r->end - p >= BLOCK_BYTES; p += BLOCK_BYTES) {
        uint32_t marks = scan_block_special_or_wide(scan_block_load(p));
        if (marks != 0)
            return p + block_first(marks);
    }
    return skip_last(r, p);
}

/* Where the plain text from `p` on stops: at a quote, a backslash, or (an error) a control
 * character, bad UTF-8 or the end of the input. */
static const uint8_t *skip_plain(const struct json_reader *r, const uint8_t *p) {
    const uint8_t *end = r->end;
    for (;;) {
        p = skip_ascii(r, p);
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

/* The closing quote of the string whose text goes on at `p`, or NULL. */
static const uint8_t *find_quote(const struct json_reader *r, const uint8_t *p) {
    for (p = skip_plain(r, p); p < r->end; p = skip_plain(r, p)) {
        if (*p == '"')
            return p;
        if (*p != '\\' || r->end - p < 2)
            return NULL;
        p += 2;
    }
    return NULL;
}

/* A string with escapes; `p` is at the first one. An escape is never shorter than its UTF-8, so the
 * raw length is room enough. */
static bool read_escaped(struct json_reader *r, const uint8_t *start, const uint8_t *p) {
    const uint8_t *quote = find_quote(r, p);
    if (quote == NULL)
        return false;
    uint8_t *copy = arena_alloc(r->arena, (size_t)(quote - start));
    uint8_t *out = copy;
    for (;;) {
        memcpy(out, start, (size_t)(p - start));
        out += p - start;
        if (p == quote)
            break;
        start = json_unescape(p, quote, &out);
        if (start == NULL)
            return false;
        p = skip_plain(r, start);
    }
    r->text = slice_of(copy, (size_t)(out - copy));
    r->next = quote + 1;
    return true;
}

/* A string whose text up to `p` is ASCII and goes on with something that is not, or an escape. */
static __attribute__((noinline)) bool read_unusual(struct json_reader *r, const uint8_t *start,
                                                   const uint8_t *p) {
    p = skip_plain(r, p);
    if (p == r->end || *p != '"')
        return p < r->end && *p == '\\' && read_escaped(r, start, p);
    r->text = slice_of(start, (size_t)(p - start));
    r->next = p + 1;
    return true;
}

/* `next` is at the opening quote. Most strings are plain ASCII: those are done here. */
static inline bool read_string(struct json_reader *r) {
    const uint8_t *start = r->next + 1, *p = skip_ascii(r, start);
    if (p == r->end || *p != '"')
        return read_unusual(r, start, p);
    r->text = slice_of(start, (size_t)(p - start));
    r->next = p + 1;
    return true;
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

/* ---- short ways for what comes most often ---- */

enum { TAG_BYTES = sizeof("\"S\": \"") - 1 };

/* Where the text of a tagged string starts, when `p` is just after its opening brace and TAG_BYTES
 * follow: `"S":"`, maybe with a space after the colon. NULL when there is something else. */
static inline const uint8_t *skip_tag(const uint8_t *p, uint8_t a, uint8_t b) {
    if (p[0] != '"' || (p[1] != a && p[1] != b) || p[2] != '"' || p[3] != ':')
        return NULL;
    p += p[4] == ' ' ? 5 : 4;
    return *p == '"' ? p + 1 : NULL;
}

/* The rest of a tagged string, whose text starts at `start`, up to the closing brace. */
static inline bool take_tagged_text(struct json_reader *r, const uint8_t *start) {
    const uint8_t *p = skip_ascii(r, start);
    if (r->end - p < 2 || p[0] != '"' || p[1] != '}')
        return false;
    r->text = slice_of(start, (size_t)(p - start));
    r->next = p + 2;
    r->token = JSON_OBJECT_END;
    return true;
}

uint8_t json_take_tagged(struct json_reader *reader, uint8_t a, uint8_t b) {
    const uint8_t *p = reader->next;
    if (reader->end - p < TAG_BYTES)
        return 0;
    const uint8_t *text = skip_tag(p, a, b);
    if (text == NULL || !take_tagged_text(reader, text))
        return 0;
    reader->depth--;
    value_done(reader);
    return p[1];
}

/* The next member's name, when it comes at once: just after its opening quote, or NULL. */
static inline const uint8_t *find_name(const struct json_reader *r) {
    const uint8_t *p = r->next;
    if (r->end - p < 3)
        return NULL;
    if (r->expect == EXPECT_COMMA_OR_END) {
        if (*p++ != ',')
            return NULL;
        p += *p == ' ';
    } else if (r->expect != EXPECT_NAME_OR_END) {
        return NULL;
    }
    return *p == '"' ? p + 1 : NULL;
}

bool json_next_name(struct json_reader *reader) {
    const uint8_t *name = find_name(reader);
    const uint8_t *quote = name == NULL ? reader->end : skip_ascii(reader, name);
    if (reader->end - quote < 2 || quote[0] != '"' || quote[1] != ':')
        return json_next(reader) == JSON_NAME;
    reader->text = slice_of(name, (size_t)(quote - name));
    reader->next = quote + 2;
    reader->expect = EXPECT_VALUE;
    reader->token = JSON_NAME;
    return true;
}

uint8_t json_take_tagged_member(struct json_reader *reader, uint8_t a, uint8_t b,
                                struct slice *ret_name) {
    const uint8_t *name = find_name(reader);
    if (name == NULL || reader->depth == JSON_DEPTH_MAX)
        return 0;
    const uint8_t *quote = skip_ascii(reader, name);
    if (reader->end - quote < TAG_BYTES + 4 || quote[0] != '"' || quote[1] != ':')
        return 0;
    const uint8_t *brace = quote + (quote[2] == ' ' ? 3 : 2);
    const uint8_t *text = *brace == '{' ? skip_tag(brace + 1, a, b) : NULL;
    if (text == NULL || !take_tagged_text(reader, text))
        return 0;
    reader->expect = EXPECT_COMMA_OR_END;
    *ret_name = slice_of(name, (size_t)(quote - name));
    return brace[2];
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
