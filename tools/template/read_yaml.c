/* read_yaml.c - YAML 1.1 through libyaml's events, with CloudFormation's short forms.
 *
 * A tag `!X` is the function `Fn::X`; `!Ref` and `!Condition` are called so themselves. An anchor
 * is known once its value is complete, so no value can contain itself. One document per file.
 * Memory: the tree is in the document's arena; libyaml's own is freed before the reader returns. */
#include <yaml.h>

#include "base/check.h"
#include "template/composer.h"

enum { ANCHORS_MAX = 1000 };

struct yaml_anchor {
    struct slice name;
    const struct node *node;
};

struct yaml_reader {
    yaml_parser_t parser;
    struct composer composer;
    struct yaml_anchor anchors[ANCHORS_MAX];
    size_t anchor_count;
    size_t documents;
    bool ended;
};

static struct mark mark_of(const struct yaml_reader *reader, yaml_mark_t mark) {
    return (struct mark){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1,
                         reader->composer.document->file};
}

static struct error *fail(struct yaml_reader *reader, struct mark mark, const char *text) {
    return document_error(reader->composer.document, mark, "%s", text);
}

static struct error *syntax_error(struct yaml_reader *reader) {
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem == NULL ? "cannot be read" : parser->problem;
    if (parser->error == YAML_MEMORY_ERROR)
        problem = "no memory";
    if (parser->error == YAML_READER_ERROR)
        return document_error(reader->composer.document, mark_of(reader, parser->mark),
                              "not YAML: %s", problem);
    return document_error(reader->composer.document, mark_of(reader, parser->problem_mark),
                          "not YAML: %s%s%s", problem, parser->context == NULL ? "" : " ",
                          parser->context == NULL ? "" : parser->context);
}

static struct slice copy_text(struct yaml_reader *reader, const yaml_char_t *text, size_t length) {
    if (length == 0)
        return SLICE_LITERAL("");
    return arena_slice(reader->composer.document->arena, slice_of(text, length));
}

static struct slice anchor_name(struct yaml_reader *reader, const yaml_char_t *anchor) {
    return anchor == NULL ? SLICE_NONE : copy_text(reader, anchor, strlen((const char *)anchor));
}

/* The function that a tag stands for; absent when it is a tag of YAML's own. */
static struct slice function_of(struct yaml_reader *reader, const yaml_char_t *tag) {
    struct slice text = tag == NULL ? SLICE_LITERAL("") : slice_text((const char *)tag);
    if (text.len < 2 || text.data[0] != '!')
        return SLICE_NONE;
    struct slice name = slice_skip(text, 1);
    bool bare = slice_is(name, "Ref") || slice_is(name, "Condition");
    return arena_printf(reader->composer.document->arena, "%s%.*s",
                        bare ? "" : "Fn::", SLICE_ARGS(name));
}

/* ---- anchors ---- */

static struct error *remember(struct yaml_reader *reader, struct slice anchor,
                              const struct node *node) {
    if (!slice_present(anchor))
        return NULL;
    if (reader->anchor_count == ANCHORS_MAX)
        return fail(reader, node->mark, "more than 1000 anchors");
    reader->anchors[reader->anchor_count++] = (struct yaml_anchor){anchor, node};
    return NULL;
}

static struct error *take_alias(struct yaml_reader *reader, const yaml_event_t *event) {
    struct slice name = slice_text((const char *)event->data.alias.anchor);
    struct mark mark = mark_of(reader, event->start_mark);
    if (composer_wants_name(&reader->composer))
        return fail(reader, mark, "a name must be text, not an alias");
    for (size_t i = reader->anchor_count; i > 0; i--)
        if (slice_equal(reader->anchors[i - 1].name, name))
            return composer_shared(&reader->composer, reader->anchors[i - 1].node, mark);
    return document_error(reader->composer.document, mark, "there is no anchor '%.*s' before this",
                          SLICE_ARGS(name));
}

/* ---- values ---- */

static bool is_null(struct slice text) {
    return text.len == 0 || slice_is(text, "~") || slice_is(text, "null") ||
           slice_is(text, "Null") || slice_is(text, "NULL");
}

static struct error *take_scalar(struct yaml_reader *reader, const yaml_event_t *event) {
    struct slice text = copy_text(reader, event->data.scalar.value, event->data.scalar.length);
    struct mark mark = mark_of(reader, event->start_mark);
    if (composer_wants_name(&reader->composer)) {
        if (event->data.scalar.anchor != NULL || text.len == 0)
            return fail(reader, mark, text.len == 0 ? "a name is empty" : "a name has an anchor");
        return composer_name(&reader->composer, text, mark);
    }
    bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    struct slice function = function_of(reader, event->data.scalar.tag);
    bool tagged = event->data.scalar.tag != NULL;
    if (!quoted && !tagged && is_null(text))
        TRY(composer_null(&reader->composer, mark));
    else
        TRY(composer_scalar(&reader->composer, text, quoted, function, mark));
    return remember(reader, anchor_name(reader, event->data.scalar.anchor), reader->composer.last);
}

static struct error *take_begin(struct yaml_reader *reader, const yaml_event_t *event,
                                bool mapping) {
    const yaml_char_t *anchor =
        mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const yaml_char_t *tag =
        mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    struct mark mark = mark_of(reader, event->start_mark);
    if (composer_wants_name(&reader->composer))
        return fail(reader, mark, "a name must be text");
    struct composer_tag with = {function_of(reader, tag), anchor_name(reader, anchor)};
    return composer_begin(&reader->composer, mapping, with, mark);
}

static struct error *take_end(struct yaml_reader *reader) {
    struct slice anchor;
    TRY(composer_end(&reader->composer, &anchor));
    return remember(reader, anchor, reader->composer.last);
}

static struct error *take_event(struct yaml_reader *reader, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++reader->documents > 1)
            return fail(reader, mark_of(reader, event->start_mark),
                        "a second document begins here");
        return NULL;
    case YAML_STREAM_END_EVENT:
        reader->ended = true;
        return NULL;
    case YAML_ALIAS_EVENT:
        return take_alias(reader, event);
    case YAML_SCALAR_EVENT:
        return take_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return take_begin(reader, event, event->type == YAML_MAPPING_START_EVENT);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return take_end(reader);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return NULL;
    }
    return NULL;
}

static struct error *read_events(struct yaml_reader *reader) {
    while (!reader->ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return syntax_error(reader);
        struct error *error = take_event(reader, &event);
        yaml_event_delete(&event);
        TRY(error);
    }
    return NULL;
}

struct error *document_read_yaml(const struct document *document, struct slice text,
                                 const struct node **ret_root) {
    struct yaml_reader *reader = ARENA_NEW(document->arena, struct yaml_reader);
    composer_init(&reader->composer, document);
    CHECK(yaml_parser_initialize(&reader->parser));
    yaml_parser_set_input_string(&reader->parser, text.data, text.len);
    struct error *error = read_events(reader);
    yaml_parser_delete(&reader->parser);
    TRY(error);
    *ret_root = reader->composer.root;
    return NULL;
}
