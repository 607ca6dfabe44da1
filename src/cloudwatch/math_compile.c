/* math_compile.c - text to tree, by recursive descent. From the loosest to the tightest: OR, AND,
 * comparisons, sums, products, signs, powers. */
#include <stdlib.h>

#include "cloudwatch/math_node.h"

struct parser {
    struct arena *arena;
    const uint8_t *start, *next, *end;
    unsigned depth;
};

static const struct {
    const char *name;
    size_t least, most;
} functions[] = {
#define FUNCTION(name, least, most) {#name, least, most},
#include "cloudwatch/math_functions.def"
#undef FUNCTION
};

static struct error *fail(const struct parser *parser, const char *what) {
    return error_new(parser->arena, ERROR_VALIDATION, "%s at character %zu", what,
                     (size_t)(parser->next - parser->start) + 1);
}

/* ---- words ---- */

static void skip_space(struct parser *parser) {
    while (parser->next < parser->end && memchr(" \t\r\n", *parser->next, 4) != NULL)
        parser->next++;
}

static bool is_letter(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static struct slice peek_word(struct parser *parser) {
    skip_space(parser);
    const uint8_t *p = parser->next;
    if (p == parser->end || !is_letter(*p))
        return slice_of(p, 0);
    while (p < parser->end && (is_letter(*p) || is_digit(*p) || *p == '_'))
        p++;
    return slice_of(parser->next, (size_t)(p - parser->next));
}

/* A sign, or a word in capitals that is one. */
static bool take(struct parser *parser, const char *sign) {
    size_t len = strlen(sign);
    struct slice word = peek_word(parser);
    if (is_letter((uint8_t)sign[0])
            ? !slice_is(word, sign)
            : (size_t)(parser->end - parser->next) < len || memcmp(parser->next, sign, len) != 0)
        return false;
    parser->next += len;
    return true;
}

/* ---- nodes ---- */

static struct math_node *node_new(struct parser *parser, enum math_node_kind kind) {
    struct math_node *node = ARENA_NEW(parser->arena, struct math_node);
    node->kind = kind;
    return node;
}

static struct error *parse_or(struct parser *parser, struct math_node **ret_node);

static struct error *parse_whole(struct parser *parser, struct math_node **ret_node) {
    if (parser->depth == MATH_DEPTH_MAX)
        return fail(parser, "The expression is nested too deeply");
    parser->depth++;
    TRY(parse_or(parser, ret_node));
    parser->depth--;
    return NULL;
}

/* Up to the closing sign, which is taken. */
static struct error *parse_arguments(struct parser *parser, const char *close,
                                     struct math_node *node) {
    const struct math_node **end = &node->first;
    if (take(parser, close))
        return NULL;
    do {
        struct math_node *argument;
        TRY(parse_whole(parser, &argument));
        *end = argument;
        end = &argument->next;
        node->count++;
    } while (take(parser, ","));
    return take(parser, close) ? NULL : fail(parser, "A bracket is not closed");
}

static struct error *parse_number(struct parser *parser, struct math_node **ret_node) {
    char text[64] = {0}, *end;
    size_t len = 0;
    while (len < sizeof(text) - 1 && parser->next + len < parser->end &&
           (is_digit(parser->next[len]) || parser->next[len] == '.')) {
        text[len] = (char)parser->next[len];
        len++;
    }
    *ret_node = node_new(parser, MATH_NODE_NUMBER);
    (*ret_node)->number = strtod(text, &end);
    if (len == 0 || end != text + len)
        return fail(parser, "A number is not written well");
    parser->next += len;
    return NULL;
}

static struct error *parse_text(struct parser *parser, uint8_t quote, struct math_node **ret_node) {
    const uint8_t *first = parser->next + 1;
    const uint8_t *end =
        first < parser->end ? memchr(first, quote, (size_t)(parser->end - first)) : NULL;
    if (end == NULL)
        return fail(parser, "A text is not closed");
    *ret_node = node_new(parser, MATH_NODE_TEXT);
    (*ret_node)->text = slice_of(first, (size_t)(end - first));
    parser->next = end + 1;
    return NULL;
}

static struct error *parse_call(struct parser *parser, struct slice word,
                                struct math_node **ret_node) {
    size_t i = 0;
    while (i < MATH_FUNCTION_COUNT && !slice_is(word, functions[i].name))
        i++;
    if (i == MATH_FUNCTION_COUNT)
        return error_new(parser->arena, ERROR_VALIDATION, "There is no function %.*s",
                         SLICE_ARGS(word));
    *ret_node = node_new(parser, MATH_NODE_CALL);
    (*ret_node)->function = (enum math_function)i;
    TRY(parse_arguments(parser, ")", *ret_node));
    if ((*ret_node)->count >= functions[i].least && (*ret_node)->count <= functions[i].most)
        return NULL;
    return error_new(parser->arena, ERROR_VALIDATION, "%s does not take %zu arguments",
                     functions[i].name, (*ret_node)->count);
}

static struct error *parse_primary(struct parser *parser, struct math_node **ret_node) {
    struct slice word = peek_word(parser);
    if (word.len > 0) {
        parser->next += word.len;
        if (take(parser, "("))
            return parse_call(parser, word, ret_node);
        *ret_node = node_new(parser, MATH_NODE_NAME);
        (*ret_node)->text = word;
        return NULL;
    }
    if (take(parser, "(")) {
        TRY(parse_whole(parser, ret_node));
        return take(parser, ")") ? NULL : fail(parser, "A bracket is not closed");
    }
    if (take(parser, "[")) {
        *ret_node = node_new(parser, MATH_NODE_LIST);
        return parse_arguments(parser, "]", *ret_node);
    }
    if (parser->next == parser->end)
        return fail(parser, "Something is missing");
    uint8_t c = *parser->next;
    if (c == '"' || c == '\'')
        return parse_text(parser, c, ret_node);
    if (is_digit(c) || c == '.')
        return parse_number(parser, ret_node);
    return fail(parser, "Something is unexpected");
}

/* ---- operators ---- */

static struct math_node *binary(struct parser *parser, enum math_operator op,
                                struct math_node *left, struct math_node *right) {
    struct math_node *node = node_new(parser, MATH_NODE_BINARY);
    node->op = op;
    node->count = 2;
    node->first = left;
    left->next = right;
    return node;
}

static struct error *parse_sign(struct parser *parser, struct math_node **ret_node);

/* To the right: 2^3^2 is 2^(3^2), and its exponent may have a sign. */
static struct error *parse_power(struct parser *parser, struct math_node **ret_node) {
    struct math_node *right;
    TRY(parse_primary(parser, ret_node));
    if (!take(parser, "^"))
        return NULL;
    if (parser->depth == MATH_DEPTH_MAX)
        return fail(parser, "The expression is nested too deeply");
    parser->depth++;
    TRY(parse_sign(parser, &right));
    parser->depth--;
    *ret_node = binary(parser, MATH_POWER, *ret_node, right);
    return NULL;
}

static struct error *parse_sign(struct parser *parser, struct math_node **ret_node) {
    bool minus = false, not = false;
    skip_space(parser);
    for (; parser->next < parser->end; skip_space(parser)) {
        bool is_not =
            *parser->next == '!' && (parser->next + 1 == parser->end || parser->next[1] != '=');
        if (is_not)
            not = !not ;
        else if (*parser->next == '-' && !not )
            minus = !minus;
        else
            break;
        parser->next++;
    }
    TRY(parse_power(parser, ret_node));
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? !not : !minus)
            continue;
        struct math_node *node = node_new(parser, i == 0 ? MATH_NODE_NOT : MATH_NODE_MINUS);
        node->count = 1;
        node->first = *ret_node;
        *ret_node = node;
    }
    return NULL;
}

struct sign {
    const char *text;
    enum math_operator op;
};

/* Operators that bind alike, to the left. */
static struct error *parse_level(struct parser *parser, const struct sign *signs,
                                 struct error *(*tighter)(struct parser *, struct math_node **),
                                 struct math_node **ret_node) {
    unsigned length = 0;
    TRY(tighter(parser, ret_node));
    for (;;) {
        const struct sign *sign = signs;
        struct math_node *right;
        while (sign->text != NULL && !take(parser, sign->text))
            sign++;
        if (sign->text == NULL)
            return NULL;
        if (++length > MATH_TEXT_MAX / 2)
            return fail(parser, "The expression is too long");
        TRY(tighter(parser, &right));
        *ret_node = binary(parser, sign->op, *ret_node, right);
    }
}

static struct error *parse_product(struct parser *parser, struct math_node **ret_node) {
    static const struct sign signs[] = {{"*", MATH_MULTIPLY}, {"/", MATH_DIVIDE}, {NULL, MATH_ADD}};
    return parse_level(parser, signs, parse_sign, ret_node);
}

static struct error *parse_sum(struct parser *parser, struct math_node **ret_node) {
    static const struct sign signs[] = {{"+", MATH_ADD}, {"-", MATH_SUBTRACT}, {NULL, MATH_ADD}};
    return parse_level(parser, signs, parse_product, ret_node);
}

static struct error *parse_comparison(struct parser *parser, struct math_node **ret_node) {
    static const struct sign signs[] = {
        {"==", MATH_EQUAL}, {"!=", MATH_NOT_EQUAL},        {"<=", MATH_LESS_OR_EQUAL},
        {"<", MATH_LESS},   {">=", MATH_GREATER_OR_EQUAL}, {">", MATH_GREATER},
        {NULL, MATH_ADD},
    };
    return parse_level(parser, signs, parse_sum, ret_node);
}

static struct error *parse_and(struct parser *parser, struct math_node **ret_node) {
    static const struct sign signs[] = {{"AND", MATH_AND}, {"&&", MATH_AND}, {NULL, MATH_ADD}};
    return parse_level(parser, signs, parse_comparison, ret_node);
}

static struct error *parse_or(struct parser *parser, struct math_node **ret_node) {
    static const struct sign signs[] = {{"OR", MATH_OR}, {"||", MATH_OR}, {NULL, MATH_ADD}};
    return parse_level(parser, signs, parse_and, ret_node);
}

struct error *math_compile(struct arena *arena, struct slice text,
                           const struct math_node **ret_node) {
    struct parser parser = {arena, text.data, text.data, text.data + text.len, 0};
    struct math_node *node;
    if (text.len > MATH_TEXT_MAX)
        return error_new(arena, ERROR_VALIDATION, "The expression is longer than %d characters",
                         MATH_TEXT_MAX);
    TRY(parse_whole(&parser, &node));
    skip_space(&parser);
    if (parser.next < parser.end)
        return fail(&parser, "Something is unexpected");
    *ret_node = node;
    return NULL;
}
