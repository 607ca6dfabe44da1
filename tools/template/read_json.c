/* read_json.c - the tree of a document from a tree of JSON: a template, which has places, or an
 * answer of the service, whose text nobody sees.
 *
 * A place is found by walking the text up to it once, so lines and columns cost nothing more than
 * reading. Recursion is bounded by the composer. Memory: see json/tree.h. */
#include "template/composer.h"

struct json_source {
    struct composer composer;
    const uint8_t *text; /* NULL: there are no places */
    size_t at;           /* `mark` is the place of this byte */
    struct mark mark;
};

/* They are asked for in the order of the text. */
static struct mark mark_at(struct json_source *source, size_t at) {
    for (; source->text != NULL && source->at < at; source->at++) {
        if (source->text[source->at] == '\n')
            source->mark = (struct mark){source->mark.line + 1, 1, source->mark.file};
        else if ((source->text[source->at] & 0xc0) != 0x80)
            source->mark.column++;
    }
    return source->mark;
}

static struct error *compose(struct json_source *source, const struct json_value *value) {
    struct composer *composer = &source->composer;
    struct mark mark = mark_at(source, value->at);
    if (value->kind == JSON_NULL)
        return composer_null(composer, mark);
    if (value->kind == JSON_TRUE || value->kind == JSON_FALSE)
        return composer_scalar(composer, slice_text(value->kind == JSON_TRUE ? "true" : "false"),
                               false, SLICE_NONE, mark);
    if (slice_present(value->text))
        return composer_scalar(composer, value->text, value->kind == JSON_STRING, SLICE_NONE, mark);
    bool mapping = value->kind == JSON_OBJECT_BEGIN;
    struct slice ignored;
    TRY(composer_begin(composer, mapping, (struct composer_tag){0}, mark));
    for (const struct json_value *child = value->first; child != NULL; child = child->next) {
        if (mapping)
            TRY(composer_name(composer, child->name, mark_at(source, child->name_at)));
        TRY(compose(source, child));
    }
    return composer_end(composer, &ignored);
}

static struct error *compose_all(const struct document *document, const uint8_t *text,
                                 const struct json_value *value, const struct node **ret_root) {
    struct json_source *source = ARENA_NEW(document->arena, struct json_source);
    composer_init(&source->composer, document);
    source->text = text;
    source->mark = text == NULL ? MARK_NONE : (struct mark){1, 1, document->file};
    TRY(compose(source, value));
    *ret_root = source->composer.root;
    return NULL;
}

struct error *document_from_json(const struct document *document, const struct json_value *value,
                                 const struct node **ret_root) {
    return compose_all(document, NULL, value, ret_root);
}

struct error *document_read_json(const struct document *document, struct slice text,
                                 bool *ret_malformed, const struct node **ret_root) {
    size_t wrong_at = 0;
    if (slice_starts_with(text, SLICE_LITERAL("\xef\xbb\xbf")))
        text = slice_skip(text, 3);
    const struct json_value *value = json_tree_read(document->arena, text, &wrong_at);
    *ret_malformed = value == NULL;
    if (value != NULL)
        return compose_all(document, text.data, value, ret_root);
    struct json_source source = {.text = text.data, .mark = {1, 1, document->file}};
    return document_error(document, mark_at(&source, wrong_at), "not JSON from here on");
}
