/* search.c - see search.h. */
#include "cloudwatch/search.h"

enum { TERMS_MAX = 64 };

/* One value of a term; those that follow each other with the same number are alternatives. */
struct term {
    struct slice key; /* absent: a word anywhere */
    struct slice value;
    size_t number;
    bool inverse;
};

struct search {
    bool schema; /* there were braces */
    struct slice name_space;
    struct slice dimensions[METRIC_DIMENSIONS_MAX];
    size_t dimension_count;
    struct term terms[TERMS_MAX];
    size_t term_count;
};

/* ---- reading ---- */

struct parser {
    struct arena *arena;
    struct slice rest;
};

static struct error *wrong(const struct parser *parser, const char *what) {
    return error_new(parser->arena, ERROR_VALIDATION, "SEARCH: %s", what);
}

static void skip_space(struct parser *parser) {
    while (parser->rest.len > 0 && memchr(" \t\r\n", parser->rest.data[0], 4) != NULL)
        parser->rest = slice_skip(parser->rest, 1);
}

static bool take(struct parser *parser, char sign) {
    skip_space(parser);
    if (parser->rest.len == 0 || parser->rest.data[0] != (uint8_t)sign)
        return false;
    parser->rest = slice_skip(parser->rest, 1);
    return true;
}

/* In double quotes, or up to the next sign or blank. Empty: there is none. */
static struct error *take_word(struct parser *parser, struct slice *ret_word) {
    size_t len = 0;
    if (take(parser, '"')) {
        const uint8_t *end =
            parser->rest.len == 0 ? NULL : memchr(parser->rest.data, '"', parser->rest.len);
        if (end == NULL)
            return wrong(parser, "a quote is not closed");
        len = (size_t)(end - parser->rest.data);
        *ret_word = slice_first(parser->rest, len);
        parser->rest = slice_skip(parser->rest, len + 1);
        return NULL;
    }
    while (len < parser->rest.len && memchr(" \t\r\n{}()=,\"", parser->rest.data[len], 11) == NULL)
        len++;
    *ret_word = slice_first(parser->rest, len);
    parser->rest = slice_skip(parser->rest, len);
    return NULL;
}

static struct error *read_schema(struct parser *parser, struct search *search) {
    if (!take(parser, '{'))
        return NULL;
    search->schema = true;
    TRY(take_word(parser, &search->name_space));
    while (take(parser, ',')) {
        if (search->dimension_count == METRIC_DIMENSIONS_MAX)
            return wrong(parser, "there are too many dimensions");
        TRY(take_word(parser, &search->dimensions[search->dimension_count++]));
    }
    return take(parser, '}') ? NULL : wrong(parser, "a brace is not closed");
}

static struct error *add(struct parser *parser, struct search *search, struct term term) {
    if (term.value.len == 0)
        return wrong(parser, "a word is missing");
    if (search->term_count == TERMS_MAX)
        return wrong(parser, "there are too many terms");
    search->terms[search->term_count++] = term;
    return NULL;
}

/* After the equals sign: a word, or several in brackets. */
static struct error *read_values(struct parser *parser, struct search *search, struct term term) {
    struct slice joint;
    bool several = take(parser, '(');
    for (;;) {
        TRY(take_word(parser, &term.value));
        TRY(add(parser, search, term));
        if (!several || take(parser, ')'))
            return NULL;
        TRY(take_word(parser, &joint));
        if (!slice_is(joint, "OR"))
            return wrong(parser, "OR is wanted between values");
    }
}

static struct error *read_term(struct parser *parser, struct search *search, size_t number) {
    struct term term = {.number = number};
    TRY(take_word(parser, &term.value));
    if (slice_is(term.value, "AND"))
        TRY(take_word(parser, &term.value));
    if (slice_is(term.value, "NOT")) {
        term.inverse = true;
        skip_space(parser);
        TRY(take_word(parser, &term.value));
    }
    if (!take(parser, '='))
        return add(parser, search, term);
    term.key = term.value;
    return read_values(parser, search, term);
}

struct error *search_compile(struct arena *arena, struct slice text, const struct search **ret) {
    struct parser parser = {arena, text};
    struct search *search = ARENA_NEW(arena, struct search);
    if (text.len > SEARCH_TEXT_MAX)
        return wrong(&parser, "the expression is too long");
    TRY(read_schema(&parser, search));
    skip_space(&parser);
    for (size_t number = 0; parser.rest.len > 0; number++) {
        TRY(read_term(&parser, search, number));
        skip_space(&parser);
    }
    *ret = search;
    return NULL;
}

/* ---- matching ---- */

static bool contains(struct slice text, struct slice word) {
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (slice_equal_ignoring_case(slice_part(text, i, word.len), word))
            return true;
    return false;
}

static bool is_anywhere(const struct metric *metric, struct slice word) {
    bool found = contains(metric->name_space, word) || contains(metric->name, word);
    for (size_t i = 0; !found && i < metric->dimension_count; i++)
        found = contains(metric->dimensions[i].name, word) ||
                contains(metric->dimensions[i].value, word);
    return found;
}

static bool has_value(const struct metric *metric, const struct term *term) {
    if (!slice_present(term->key))
        return is_anywhere(metric, term->value);
    if (slice_is(term->key, "MetricName"))
        return slice_equal(metric->name, term->value);
    if (slice_is(term->key, "Namespace"))
        return slice_equal(metric->name_space, term->value);
    for (size_t i = 0; i < metric->dimension_count; i++)
        if (slice_equal(metric->dimensions[i].name, term->key))
            return slice_equal(metric->dimensions[i].value, term->value);
    return false;
}

static bool has_dimensions(const struct search *search, const struct metric *metric) {
    if (metric->dimension_count != search->dimension_count)
        return false;
    for (size_t i = 0; i < search->dimension_count; i++) {
        bool found = false;
        for (size_t d = 0; !found && d < metric->dimension_count; d++)
            found = slice_equal(metric->dimensions[d].name, search->dimensions[i]);
        if (!found)
            return false;
    }
    return true;
}

bool search_matches(const struct search *search, const struct metric *metric) {
    if (search->schema &&
        (!slice_equal(search->name_space, metric->name_space) || !has_dimensions(search, metric)))
        return false;
    for (size_t first = 0, end; first < search->term_count; first = end) {
        const struct term *term = &search->terms[first];
        bool any = false;
        for (end = first; end < search->term_count && search->terms[end].number == term->number;)
            any |= has_value(metric, &search->terms[end++]);
        if (any == term->inverse)
            return false;
    }
    return true;
}

struct slice search_name_space(const struct search *search) {
    return search->schema ? search->name_space : SLICE_NONE;
}
