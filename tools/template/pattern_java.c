/* pattern_java.c - what Java's regular expressions write otherwise than PCRE2's:
 *
 *   \u00e9                 \x{00e9}
 *   \p{Alnum}, \P{Alnum}   [[:alnum:]], [[:^alnum:]]: in Java these are ASCII's
 *   \p{IsLatin}            \p{Latin}
 *
 * A class within a class ([a-z[0-9]], [a-z&&[^m]]) would read as something else, so that is told
 * apart. */
#include "base/buffer.h"
#include "template/pattern.h"

struct rewriting {
    struct slice pattern;
    size_t at;
    bool in_class;
    struct buffer out;
};

static const char *const ascii_classes[][2] = {
    {"Lower", "lower"}, {"Upper", "upper"}, {"ASCII", "ascii"}, {"Alpha", "alpha"},
    {"Digit", "digit"}, {"Alnum", "alnum"}, {"Punct", "punct"}, {"Graph", "graph"},
    {"Print", "print"}, {"Blank", "blank"}, {"Cntrl", "cntrl"}, {"XDigit", "xdigit"},
    {"Space", "space"},
};

static struct slice rest(const struct rewriting *r) {
    return slice_skip(r->pattern, r->at);
}

static void copy(struct rewriting *r, size_t len) {
    len = len > r->pattern.len - r->at ? r->pattern.len - r->at : len;
    buffer_append_slice(&r->out, slice_part(r->pattern, r->at, len));
    r->at += len;
}

static bool is_hex(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool take_unicode(struct rewriting *r) {
    struct slice text = rest(r);
    if (text.len < 6 || !is_hex(text.data[2]) || !is_hex(text.data[3]) || !is_hex(text.data[4]) ||
        !is_hex(text.data[5]))
        return false;
    buffer_printf(&r->out, "\\x{%.4s}", (const char *)text.data + 2);
    r->at += 6;
    return true;
}

static bool take_property(struct rewriting *r) {
    struct slice text = rest(r);
    const uint8_t *end = memchr(text.data, '}', text.len);
    if (text.len < 3 || text.data[2] != '{' || end == NULL)
        return false;
    struct slice name = slice_part(text, 3, (size_t)(end - text.data) - 3);
    size_t len = name.len + 4;
    if (slice_starts_with(name, SLICE_LITERAL("Is"))) {
        buffer_printf(&r->out, "\\%c{%.*s}", text.data[1], SLICE_ARGS(slice_skip(name, 2)));
        r->at += len;
        return true;
    }
    for (size_t i = 0; i < sizeof(ascii_classes) / sizeof(*ascii_classes); i++)
        if (slice_is(name, ascii_classes[i][0])) {
            buffer_printf(&r->out, "%s[:%s%s:]%s", r->in_class ? "" : "[",
                          text.data[1] == 'P' ? "^" : "", ascii_classes[i][1],
                          r->in_class ? "" : "]");
            r->at += len;
            return true;
        }
    return false;
}

static void take_escape(struct rewriting *r) {
    struct slice text = rest(r);
    uint8_t letter = text.len < 2 ? 0 : text.data[1];
    if (letter == 'Q') {
        const uint8_t *end = memmem(text.data, text.len, "\\E", 2);
        copy(r, end == NULL ? text.len : (size_t)(end - text.data) + 2);
        return;
    }
    if (letter == 'u' && take_unicode(r))
        return;
    if ((letter == 'p' || letter == 'P') && take_property(r))
        return;
    copy(r, 2);
}

/* The bracket, and what does not end a class when it comes first. */
static void open_class(struct rewriting *r) {
    r->in_class = true;
    copy(r, 1);
    if (slice_starts_with(rest(r), SLICE_LITERAL("^")))
        copy(r, 1);
    if (slice_starts_with(rest(r), SLICE_LITERAL("]")))
        copy(r, 1);
}

bool pattern_from_java(struct arena *arena, struct slice pattern, struct slice *ret_pattern) {
    /* A rewritten part is at most twice as long. */
    struct rewriting r = {.pattern = pattern};
    buffer_init(&r.out, 2 * pattern.len + 16);
    bool known = true;
    while (known && r.at < pattern.len) {
        uint8_t c = pattern.data[r.at];
        if (c == '\\') {
            take_escape(&r);
        } else if (c == '[' && !r.in_class) {
            open_class(&r);
        } else {
            known = !r.in_class || (c != '[' && !slice_starts_with(rest(&r), SLICE_LITERAL("&&")));
            r.in_class = r.in_class && c != ']';
            copy(&r, 1);
        }
    }
    *ret_pattern = arena_slice(arena, buffer_slice(&r.out));
    buffer_release(&r.out);
    return known;
}
