/* read_json.c - JSON as the same tree, exactly: escapes, surrogate pairs and all. Templates and the
 * service's answers come through here.
 *
 * A token's place is found by walking the text up to it once, so lines and columns cost nothing
 * more than reading. Memory: texts without escapes are slices of the input, which must outlive the
 * tree. */
#include "template/composer.h"
#include "json/reader.h"

struct json_source {
    struct json_reader reader;
    struct composer composer;
    const uint8_t *at; /* `mark` is the place of this byte */
    struct mark mark;
};

/* The place of the token that comes next. */
static struct mark next_mark(struct json_source *source) {
    const uint8_t *to = source->reader.next;
    while (to < source->reader.end && memchr(" \t\r\n,:", *to, 6) != NULL)
        to++;
    for (; source->at < to; source->at++) {
        if (*source->at == '\n')
            source->mark = (struct mark){source->mark.line + 1, 1};
        else if ((*source->at & 0xc0) != 0x80)
            source->mark.column++;
    }
    return source->mark;
}

static struct error *take_token(struct json_source *source, enum json_token token,
                                struct mark mark) {
    struct composer *composer = &source->composer;
    struct slice text = source->reader.text, ignored;
    switch (token) {
    case JSON_OBJECT_BEGIN:
    case JSON_ARRAY_BEGIN:
        return composer_begin(composer, token == JSON_OBJECT_BEGIN, (struct composer_tag){0}, mark);
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        return composer_end(composer, &ignored);
    case JSON_NAME:
        return composer_name(composer, text, mark);
    case JSON_STRING:
        return composer_scalar(composer, text, true, SLICE_NONE, mark);
    case JSON_INTEGER:
    case JSON_DECIMAL:
        return composer_scalar(composer, text, false, SLICE_NONE, mark);
    case JSON_TRUE:
    case JSON_FALSE:
        text = token == JSON_TRUE ? SLICE_LITERAL("true") : SLICE_LITERAL("false");
        return composer_scalar(composer, text, false, SLICE_NONE, mark);
    case JSON_NULL:
        return composer_null(composer, mark);
    case JSON_ERROR:
    case JSON_END:
        return NULL;
    }
    return NULL;
}

static struct error *read_tokens(struct json_source *source, bool *ret_malformed) {
    for (;;) {
        struct mark mark = next_mark(source);
        enum json_token token = json_next(&source->reader);
        if (token == JSON_END)
            return NULL;
        if (token == JSON_ERROR) {
            *ret_malformed = true;
            return document_error(source->composer.document, mark, "not JSON from here on");
        }
        TRY(take_token(source, token, mark));
    }
}

struct error *document_read_json(const struct document *document, struct slice text,
                                 bool *ret_malformed, const struct node **ret_root) {
    struct json_source *source = ARENA_NEW(document->arena, struct json_source);
    bool malformed = false;
    if (slice_starts_with(text, SLICE_LITERAL("\xef\xbb\xbf")))
        text = slice_skip(text, 3);
    json_reader_init(&source->reader, text, document->arena);
    composer_init(&source->composer, document);
    source->at = source->reader.start;
    source->mark = (struct mark){1, 1};
    struct error *error = read_tokens(source, &malformed);
    if (ret_malformed != NULL)
        *ret_malformed = malformed;
    TRY(error);
    *ret_root = source->composer.root;
    return NULL;
}
