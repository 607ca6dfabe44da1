/* lexer.c - one pass over the text, one token at a time. */
#include "partiql/lexer.h"

static const char *const keywords[] = {
    "",
#define KEYWORD(word) #word,
#include "partiql/keywords.def"
#undef KEYWORD
};

enum { WORD_COUNT = sizeof(keywords) / sizeof(keywords[0]), WORD_BYTES_MAX = 24 };

/* An exponent or a scale beyond 32 bits is no number to the service. */
enum { EXPONENT_DIGITS_MAX = 10 };

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static bool is_name_start(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_name(uint8_t c) {
    return is_name_start(c) || is_digit(c);
}

static bool is_space(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void statement_lexer_init(struct lexer *lexer, struct arena *arena, struct slice text) {
    *lexer = (struct lexer){.arena = arena, .text = text, .line = 1, .column = 1};
}

/* 0 past the end: no token contains a NUL. */
static uint8_t peek(const struct lexer *lexer, size_t ahead) {
    size_t at = lexer->next + ahead;
    return at < lexer->text.len ? lexer->text.data[at] : 0;
}

/* A line ends with LF, CR LF or CR. */
static void advance(struct lexer *lexer, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        uint8_t c = lexer->text.data[lexer->next++];
        if (c == '\n' || (c == '\r' && peek(lexer, 0) != '\n')) {
            lexer->line++;
            lexer->column = 1;
        } else if ((c & 0xC0) != 0x80) {
            lexer->column++;
        }
    }
}

/* ---- what stands between tokens ---- */

static void skip_line(struct lexer *lexer) {
    while (lexer->next < lexer->text.len && peek(lexer, 0) != '\n' && peek(lexer, 0) != '\r')
        advance(lexer, 1);
}

/* False when it is not closed. */
static bool skip_comment(struct lexer *lexer) {
    advance(lexer, 2);
    while (lexer->next < lexer->text.len) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            advance(lexer, 2);
            return true;
        }
        advance(lexer, 1);
    }
    return false;
}

static bool skip_space(struct lexer *lexer) {
    while (lexer->next < lexer->text.len) {
        if (is_space(peek(lexer, 0)))
            advance(lexer, 1);
        else if (peek(lexer, 0) == '-' && peek(lexer, 1) == '-')
            skip_line(lexer);
        else if (peek(lexer, 0) != '/' || peek(lexer, 1) != '*')
            return true;
        else if (!skip_comment(lexer))
            return false;
    }
    return true;
}

/* ---- tokens ---- */

static enum keyword find_keyword(struct slice word) {
    if (word.len > WORD_BYTES_MAX)
        return KEYWORD_NONE;
    uint8_t upper[WORD_BYTES_MAX];
    for (size_t i = 0; i < word.len; i++)
        upper[i] = word.data[i] >= 'a' && word.data[i] <= 'z' ? (uint8_t)(word.data[i] - 32)
                                                              : word.data[i];
    size_t low = 1, high = WORD_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = slice_compare(slice_of(upper, word.len), slice_text(keywords[middle]));
        if (order == 0)
            return (enum keyword)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return KEYWORD_NONE;
}

/* How many bytes the name has. */
static size_t scan_name(const struct lexer *lexer) {
    size_t len = 0;
    while (is_name(peek(lexer, len)))
        len++;
    return len;
}

static size_t scan_digits(const struct lexer *lexer, size_t from) {
    while (is_digit(peek(lexer, from)))
        from++;
    return from;
}

/* The exponent, and the scale, which is how many digits stand behind the point less the exponent.
 */
static bool scale_fits(const struct lexer *lexer, size_t places, size_t from, size_t end) {
    bool negative = peek(lexer, from) == '-';
    if (negative || peek(lexer, from) == '+')
        from++;
    while (from + EXPONENT_DIGITS_MAX < end && peek(lexer, from) == '0')
        from++;
    if (end - from > EXPONENT_DIGITS_MAX)
        return false;
    int64_t exponent = 0;
    for (; from < end; from++)
        exponent = exponent * 10 + (peek(lexer, from) - '0');
    return exponent <= INT32_MAX && (!negative || (int64_t)places + exponent <= INT32_MAX);
}

/* 0: no number. */
static size_t scan_number(const struct lexer *lexer) {
    size_t len = scan_digits(lexer, 0), places = 0;
    if (peek(lexer, len) == '.') {
        size_t end = scan_digits(lexer, len + 1);
        places = end - len - 1;
        len = end;
    }
    if (peek(lexer, len) == 'e' || peek(lexer, len) == 'E') {
        size_t sign = peek(lexer, len + 1) == '+' || peek(lexer, len + 1) == '-';
        size_t end = scan_digits(lexer, len + 1 + sign);
        if (end == len + 1 + sign || !scale_fits(lexer, places, len + 1, end))
            return 0;
        len = end;
    }
    return is_name_start(peek(lexer, len)) ? 0 : len;
}

/* 0: not closed. `ret_doubled`: how many quotes are doubled inside. */
static size_t scan_quoted(const struct lexer *lexer, uint8_t quote, size_t *ret_doubled) {
    size_t rest = lexer->text.len - lexer->next;
    *ret_doubled = 0;
    for (size_t len = 1; len < rest; len++) {
        if (peek(lexer, len) != quote)
            continue;
        if (peek(lexer, len + 1) != quote)
            return len + 1;
        ++*ret_doubled;
        len++;
    }
    return 0;
}

static struct slice undouble(struct arena *arena, struct slice text, uint8_t quote) {
    uint8_t *copy = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        copy[len++] = text.data[i];
        i += text.data[i] == quote;
    }
    return slice_of(copy, len);
}

static size_t scan_operator(const struct lexer *lexer) {
    static const char *const two[] = {"<=", ">=", "<>", "!=", "||"};
    for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
        if (peek(lexer, 0) == (uint8_t)two[i][0] && peek(lexer, 1) == (uint8_t)two[i][1])
            return 2;
    return peek(lexer, 0) != 0 && strchr("=<>+-/%", peek(lexer, 0)) != NULL ? 1 : 0;
}

static enum lex_kind punctuation(uint8_t c) {
    switch (c) {
    case '*':
        return LEX_STAR;
    case '.':
        return LEX_DOT;
    case ',':
        return LEX_COMMA;
    case ':':
        return LEX_COLON;
    case ';':
        return LEX_SEMICOLON;
    case '(':
        return LEX_PAREN_OPEN;
    case ')':
        return LEX_PAREN_CLOSE;
    case '[':
        return LEX_BRACKET_OPEN;
    case ']':
        return LEX_BRACKET_CLOSE;
    case '{':
        return LEX_BRACE_OPEN;
    case '}':
        return LEX_BRACE_CLOSE;
    case '?':
        return LEX_PARAMETER;
    default:
        return LEX_BAD;
    }
}

/* Takes `len` bytes as a token; none at all is a bad one. */
static struct lex_token take(struct lexer *lexer, enum lex_kind kind, size_t len) {
    struct lex_token token = {.kind = len > 0 ? kind : LEX_BAD,
                              .text = slice_part(lexer->text, lexer->next, len),
                              .at = {lexer->line, lexer->column, 0}};
    for (size_t i = 0; i < len; i++)
        token.at.length += (token.text.data[i] & 0xC0) != 0x80;
    advance(lexer, len);
    return token;
}

static struct lex_token take_quoted(struct lexer *lexer) {
    uint8_t quote = peek(lexer, 0);
    size_t doubled, len = scan_quoted(lexer, quote, &doubled);
    struct lex_token token = take(lexer, quote == '"' ? LEX_QUOTED : LEX_STRING, len);
    if (len == 0)
        return token;
    token.text = slice_part(token.text, 1, len - 2);
    if (doubled > 0)
        token.text = undouble(lexer->arena, token.text, quote);
    return token;
}

static struct lex_token take_name(struct lexer *lexer) {
    struct lex_token token = take(lexer, LEX_NAME, scan_name(lexer));
    token.keyword = find_keyword(token.text);
    if (token.keyword != KEYWORD_NONE)
        token.kind = LEX_KEYWORD;
    return token;
}

struct lex_token statement_lexer_next(struct lexer *lexer) {
    if (!skip_space(lexer))
        return take(lexer, LEX_BAD, 0);
    if (lexer->next >= lexer->text.len)
        return (struct lex_token){.kind = LEX_END, .at = {lexer->line, lexer->column, 0}};
    uint8_t c = peek(lexer, 0), after = peek(lexer, 1);
    if (is_name_start(c))
        return take_name(lexer);
    if (is_digit(c) || (c == '.' && is_digit(after)))
        return take(lexer, LEX_NUMBER, scan_number(lexer));
    if (c == '"' || c == '\'')
        return take_quoted(lexer);
    if (c == '<' && after == '<')
        return take(lexer, LEX_BAG_OPEN, 2);
    if (c == '>' && after == '>')
        return take(lexer, LEX_BAG_CLOSE, 2);
    size_t len = scan_operator(lexer);
    if (len > 0)
        return take(lexer, LEX_OPERATOR, len);
    enum lex_kind kind = punctuation(c);
    return take(lexer, kind, kind == LEX_BAD ? 0 : 1);
}
