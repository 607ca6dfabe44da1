/* pattern.c - reading and matching patterns.
 *
 * Matching keeps one place to come back to, that of the last star, so it takes at most the length
 * of the text times the number of parts. */
#include "policy/pattern.h"

/* ---- reading ---- */

/* The length of what stands between "${" and "}"; false: there is no "}". */
static bool variable_length(struct slice text, size_t *ret_len) {
    const uint8_t *end = text.len < 2 ? NULL : memchr(text.data + 2, '}', text.len - 2);
    if (end == NULL)
        return false;
    *ret_len = (size_t)(end - text.data) - 2;
    return true;
}

static bool starts_variable(const struct pattern_syntax *syntax, struct slice text) {
    return syntax->variables && slice_starts_with(text, SLICE_LITERAL("${"));
}

static void add_text(struct pattern *pattern, struct slice text) {
    struct pattern_part *last = pattern->count == 0 ? NULL : &pattern->parts[pattern->count - 1];
    if (last != NULL && last->kind == PATTERN_TEXT &&
        last->text.data + last->text.len == text.data) {
        last->text.len += text.len;
        return;
    }
    pattern->parts[pattern->count++] = (struct pattern_part){.kind = PATTERN_TEXT, .text = text};
}

/* Takes ", 'text'" off the end of a variable; absent: there is none. */
static struct slice take_default(struct slice *name) {
    const uint8_t *comma = name->len == 0 ? NULL : memchr(name->data, ',', name->len);
    if (comma == NULL)
        return SLICE_NONE;
    struct slice rest = slice_skip(*name, (size_t)(comma - name->data));
    if (rest.len < 4 || memcmp(rest.data, ", '", 3) != 0 || rest.data[rest.len - 1] != '\'')
        return SLICE_NONE;
    name->len -= rest.len;
    return slice_part(rest, 3, rest.len - 4);
}

/* ${*}, ${?} and ${$} are the characters themselves; anything else is the name of a value. */
static bool add_variable(struct pattern *pattern, struct slice name) {
    struct pattern_part part = {.kind = PATTERN_VALUE};
    if (name.len == 1 && memchr("*?$", name.data[0], 3) != NULL) {
        part = (struct pattern_part){.kind = PATTERN_TEXT, .text = name};
    } else {
        part.text = take_default(&name);
        if (!policy_key_find(name, &part.use) || part.use.form == POLICY_KEY_LIST)
            return false;
    }
    pattern->parts[pattern->count++] = part;
    return true;
}

bool pattern_parse(struct arena *arena, const struct pattern_syntax *syntax, struct slice text,
                   struct pattern *ret_pattern, struct slice *ret_variable) {
    struct pattern pattern = {.any_case = syntax->any_case};
    pattern.parts = ARENA_ARRAY(arena, struct pattern_part, text.len);
    while (text.len > 0) {
        size_t len = 1;
        if (starts_variable(syntax, text)) {
            if (!variable_length(text, &len) || !add_variable(&pattern, slice_part(text, 2, len))) {
                *ret_variable = text;
                return false;
            }
            len += 3;
        } else if (syntax->wildcards && (text.data[0] == '*' || text.data[0] == '?')) {
            pattern.parts[pattern.count++] =
                (struct pattern_part){.kind = text.data[0] == '*' ? PATTERN_ANY : PATTERN_ONE};
        } else {
            add_text(&pattern, slice_first(text, 1));
        }
        text = slice_skip(text, len);
    }
    *ret_pattern = pattern;
    return true;
}

/* ---- matching ---- */

static size_t character_length(struct slice text) {
    size_t len = 1;
    while (len < text.len && (text.data[len] & 0xc0) == 0x80)
        len++;
    return len;
}

/* A part other than a star, at the beginning of the text; false: it is not there. */
static bool take_part(const struct pattern *pattern, const struct pattern_part *part,
                      const struct policy_values *values, struct slice *text) {
    struct slice wanted = part->text;
    if (part->kind == PATTERN_ONE) {
        if (text->len == 0)
            return false;
        *text = slice_skip(*text, character_length(*text));
        return true;
    }
    if (part->kind == PATTERN_VALUE) {
        struct policy_values found = policy_values_of(values, &part->use);
        if (found.count > 0)
            wanted = found.list[0];
    }
    if (!slice_present(wanted) || wanted.len > text->len)
        return false;
    struct slice found = slice_first(*text, wanted.len);
    if (pattern->any_case ? !slice_equal_ignoring_case(found, wanted) : !slice_equal(found, wanted))
        return false;
    *text = slice_skip(*text, wanted.len);
    return true;
}

bool pattern_matches(const struct pattern *pattern, const struct policy_values *values,
                     struct slice text) {
    size_t at = 0, after_star = 0;
    struct slice retry = SLICE_NONE; /* what the last star has left over; absent: no star yet */
    for (;;) {
        if (at < pattern->count && pattern->parts[at].kind == PATTERN_ANY) {
            after_star = ++at;
            retry = text;
            if (at == pattern->count)
                return true;
        } else if (at < pattern->count && take_part(pattern, &pattern->parts[at], values, &text)) {
            at++;
        } else if (at == pattern->count && text.len == 0) {
            return true;
        } else {
            if (!slice_present(retry) || retry.len == 0)
                return false;
            retry = slice_skip(retry, 1);
            text = retry;
            at = after_star;
        }
    }
}

/* ---- ARNs ---- */

/* The length of the first part of an ARN's text: up to a colon that stands in no variable. */
static size_t part_length(const struct pattern_syntax *syntax, struct slice text) {
    size_t at = 0, len;
    while (at < text.len && text.data[at] != ':') {
        struct slice rest = slice_skip(text, at);
        at += starts_variable(syntax, rest) && variable_length(rest, &len) ? len + 3 : 1;
    }
    return at;
}

enum arn_fault arn_pattern_parse(struct arena *arena, const struct pattern_syntax *syntax,
                                 struct slice text, struct arn_pattern *ret_pattern,
                                 struct slice *ret_variable) {
    struct arn_pattern pattern = {.everything = slice_is(text, "*")};
    if (!pattern.everything && !slice_starts_with(text, SLICE_LITERAL("arn:")))
        return ARN_NOT_AN_ARN;
    for (size_t i = 0; !pattern.everything && i < ARN_PARTS; i++) {
        bool last = i == ARN_PARTS - 1;
        size_t len = last ? text.len : part_length(syntax, text);
        if (!last && len == text.len)
            return ARN_NOT_AN_ARN;
        if (!pattern_parse(arena, syntax, slice_first(text, len), &pattern.parts[i], ret_variable))
            return ARN_VARIABLE;
        text = slice_skip(text, last ? len : len + 1);
    }
    *ret_pattern = pattern;
    return ARN_FINE;
}

bool arn_pattern_matches(const struct arn_pattern *pattern, const struct policy_values *values,
                         struct slice arn) {
    if (pattern->everything)
        return true;
    for (size_t i = 0; i < ARN_PARTS; i++) {
        bool last = i == ARN_PARTS - 1;
        const uint8_t *colon = last ? NULL : memchr(arn.data, ':', arn.len);
        if (!last && colon == NULL)
            return false;
        size_t len = last ? arn.len : (size_t)(colon - arn.data);
        if (!pattern_matches(&pattern->parts[i], values, slice_first(arn, len)))
            return false;
        arn = slice_skip(arn, last ? len : len + 1);
    }
    return true;
}
