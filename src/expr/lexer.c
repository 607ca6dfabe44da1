/* lexer.c - one pass over the text, one token at a time. */
#include "expr/lexer.h"

#include "base/check.h"
#include "model/limits.h"

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(uint8_t c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

static size_t word_end(struct slice text, size_t at) {
    while (at < text.len && is_word(text.data[at]))
        at++;
    return at;
}

static const struct keyword {
    const char *word;
    enum token_kind kind;
} keywords[] = {
    {"AND", TOKEN_AND}, {"OR", TOKEN_OR},           {"NOT", TOKEN_NOT},
    {"IN", TOKEN_IN},   {"BETWEEN", TOKEN_BETWEEN}, {"SET", TOKEN_SET},
    {"ADD", TOKEN_ADD}, {"REMOVE", TOKEN_REMOVE},   {"DELETE", TOKEN_DELETE},
};

/* The nine keywords are keywords in every kind of expression: the service has one grammar. */
static enum token_kind word_kind(struct slice word) {
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (slice_equal_ignoring_case(word, slice_text(keywords[i].word)))
            return keywords[i].kind;
    return TOKEN_IDENTIFIER;
}

static struct token token_of(enum token_kind kind, size_t start, size_t end) {
    return (struct token){(uint16_t)kind, (uint16_t)start, (uint16_t)end};
}

/* A number has no leading zero: "01" is two of them. */
static struct token read_number(struct slice text, size_t start) {
    size_t end = start + 1;
    if (text.data[start] != '0')
        while (end < text.len && is_digit(text.data[end]))
            end++;
    return token_of(TOKEN_NUMBER, start, end);
}

static struct token read_placeholder(struct slice text, size_t start) {
    size_t end = word_end(text, start + 1);
    if (end == start + 1)
        return token_of(TOKEN_BAD, start, end);
    return token_of(text.data[start] == '#' ? TOKEN_NAME : TOKEN_VALUE, start, end);
}

/* One whole character, which may have several bytes. */
static struct token read_bad(struct slice text, size_t start) {
    size_t end = start + 1;
    while (end < text.len && (text.data[end] & 0xC0) == 0x80)
        end++;
    return token_of(TOKEN_BAD, start, end);
}

static struct token read_comparator(struct slice text, size_t start) {
    uint8_t first = text.data[start];
    uint8_t second = start + 1 < text.len ? text.data[start + 1] : 0;
    if (first == '<' && second == '>')
        return token_of(TOKEN_NE, start, start + 2);
    if (second == '=')
        return token_of(first == '<' ? TOKEN_LE : TOKEN_GE, start, start + 2);
    return token_of(first == '<' ? TOKEN_LT : TOKEN_GT, start, start + 1);
}

static const uint8_t symbols[128] = {
    ['='] = TOKEN_EQ,
    ['+'] = TOKEN_PLUS,
    ['-'] = TOKEN_MINUS,
    ['('] = TOKEN_LEFT_PAREN,
    [')'] = TOKEN_RIGHT_PAREN,
    ['['] = TOKEN_LEFT_BRACKET,
    [']'] = TOKEN_RIGHT_BRACKET,
    [','] = TOKEN_COMMA,
    ['.'] = TOKEN_DOT,
};

static struct token read_token(struct slice text, size_t start) {
    uint8_t c = text.data[start];
    if (is_letter(c)) {
        size_t end = word_end(text, start);
        return token_of(word_kind(slice_part(text, start, end - start)), start, end);
    }
    if (c == '#' || c == ':')
        return read_placeholder(text, start);
    if (is_digit(c))
        return read_number(text, start);
    if (c == '<' || c == '>')
        return read_comparator(text, start);
    if (c < 128 && symbols[c] != 0)
        return token_of((enum token_kind)symbols[c], start, start + 1);
    return read_bad(text, start);
}

struct token_list tokens_read(struct arena *arena, struct slice text) {
    CHECK(text.len <= LIMIT_EXPRESSION_BYTES);
    struct token *tokens = arena_alloc(arena, (text.len + 1) * sizeof(*tokens));
    size_t count = 0;
    for (size_t at = 0; at < text.len;) {
        if (is_space(text.data[at])) {
            at++;
            continue;
        }
        tokens[count] = read_token(text, at);
        at = tokens[count++].end;
    }
    tokens[count++] = token_of(TOKEN_END, text.len, text.len);
    return (struct token_list){text, tokens, count};
}

struct slice token_text(const struct token_list *list, size_t index) {
    const struct token *token = &list->tokens[index];
    if (token->kind == TOKEN_END)
        return SLICE_LITERAL("<EOF>");
    return slice_part(list->text, token->start, (size_t)(token->end - token->start));
}

struct slice token_window(const struct token_list *list, size_t index) {
    const struct token *first = &list->tokens[index > 0 ? index - 1 : index];
    const struct token *last = &list->tokens[index + 1 < list->count ? index + 1 : index];
    return slice_part(list->text, first->start, (size_t)(last->end - first->start));
}
