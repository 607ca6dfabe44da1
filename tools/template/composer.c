/* composer.c - see composer.h. */
#include "template/composer.h"

#include "base/check.h"

void composer_init(struct composer *composer, const struct document *document) {
    *composer = (struct composer){.document = document};
}

static struct composer_frame *top(struct composer *composer) {
    return composer->depth == 0 ? NULL : &composer->frames[composer->depth - 1];
}

bool composer_wants_name(const struct composer *composer) {
    if (composer->depth == 0)
        return false;
    const struct composer_frame *frame = &composer->frames[composer->depth - 1];
    return frame->mapping && !frame->named;
}

static void frame_append(struct arena *arena, struct composer_frame *frame,
                         struct node_member member) {
    if (frame->count == frame->capacity) {
        size_t capacity = frame->capacity == 0 ? 4 : 2 * frame->capacity;
        struct node_member *larger = ARENA_ARRAY(arena, struct node_member, capacity);
        if (frame->count > 0)
            memcpy(larger, frame->members, frame->count * sizeof(*larger));
        frame->members = larger;
        frame->capacity = capacity;
    }
    frame->members[frame->count++] = member;
}

static struct error *count_node(struct composer *composer, struct mark mark) {
    int most = composer->document->generous ? PLAN_NODE_COUNT_MAX : NODE_COUNT_MAX;
    if (++composer->node_count > (size_t)most)
        return document_error(composer->document, mark, "more than %d values", most);
    return NULL;
}

/* A completed value goes where it belongs: to the open container, or it is the document. */
static struct error *add(struct composer *composer, const struct node *node) {
    if (composer->depth + node->depth > NODE_DEPTH_MAX)
        return document_error(composer->document, node->mark, "nested more than %d levels deep",
                              NODE_DEPTH_MAX);
    composer->last = node;
    struct composer_frame *frame = top(composer);
    if (frame == NULL) {
        composer->root = node;
    } else if (!frame->mapping) {
        frame_append(composer->document->arena, frame, (struct node_member){.value = node});
    } else if (slice_is(frame->next.name, "<<")) {
        frame->merge = node;
        frame->named = false;
    } else {
        frame->next.value = node;
        frame_append(composer->document->arena, frame, frame->next);
        frame->named = false;
    }
    return NULL;
}

static const struct node *wrap(struct composer *composer, const struct node *node,
                               struct slice function, struct mark mark) {
    if (!slice_present(function))
        return node;
    struct node_member member = {.name = function, .mark = mark, .value = node};
    return node_mapping(composer->document->arena, &member, 1, mark);
}

struct error *composer_begin(struct composer *composer, bool mapping, struct composer_tag tag,
                             struct mark mark) {
    TRY(count_node(composer, mark));
    if (composer->depth == NODE_DEPTH_MAX)
        return document_error(composer->document, mark, "nested more than %d levels deep",
                              NODE_DEPTH_MAX);
    composer->frames[composer->depth++] = (struct composer_frame){
        .mapping = mapping, .mark = mark, .function = tag.function, .anchor = tag.anchor};
    return NULL;
}

/* ---- merging: `<<: *common` ---- */

static bool frame_has(const struct composer_frame *frame, struct slice name) {
    for (size_t i = 0; i < frame->count; i++)
        if (slice_equal(frame->members[i].name, name))
            return true;
    return false;
}

static struct error *merge_mapping(struct composer *composer, struct composer_frame *frame,
                                   const struct node *from) {
    if (from->kind != NODE_MAPPING)
        return document_error(composer->document, from->mark,
                              "<< takes a mapping or a list of mappings");
    for (size_t i = 0; i < from->count; i++) {
        TRY(count_node(composer, frame->mark));
        if (frame_has(frame, from->members[i].name))
            continue;
        if (frame->count == NODE_MEMBERS_MAX)
            return document_error(composer->document, frame->mark, "more than %d members",
                                  NODE_MEMBERS_MAX);
        frame_append(composer->document->arena, frame, from->members[i]);
    }
    return NULL;
}

static struct error *merge(struct composer *composer, struct composer_frame *frame) {
    const struct node *from = frame->merge;
    if (from == NULL)
        return NULL;
    if (from->kind != NODE_SEQUENCE)
        return merge_mapping(composer, frame, from);
    for (size_t i = 0; i < from->count; i++)
        TRY(merge_mapping(composer, frame, from->items[i]));
    return NULL;
}

/* ---- values ---- */

static const struct node *sequence_of(struct arena *arena, const struct composer_frame *frame) {
    const struct node **items = ARENA_ARRAY(arena, const struct node *, frame->count + 1);
    for (size_t i = 0; i < frame->count; i++)
        items[i] = frame->members[i].value;
    return node_sequence(arena, items, frame->count, frame->mark);
}

struct error *composer_end(struct composer *composer, struct slice *ret_anchor) {
    struct composer_frame *frame = top(composer);
    CHECK(frame != NULL && !frame->named);
    TRY(merge(composer, frame));
    struct arena *arena = composer->document->arena;
    const struct node *node = frame->mapping
                                  ? node_mapping(arena, frame->members, frame->count, frame->mark)
                                  : sequence_of(arena, frame);
    composer->depth--;
    *ret_anchor = frame->anchor;
    return add(composer, wrap(composer, node, frame->function, frame->mark));
}

struct error *composer_name(struct composer *composer, struct slice name, struct mark mark) {
    struct composer_frame *frame = top(composer);
    CHECK(composer_wants_name(composer));
    if (frame->count == NODE_MEMBERS_MAX)
        return document_error(composer->document, mark, "more than %d members", NODE_MEMBERS_MAX);
    if (frame_has(frame, name) || (frame->merge != NULL && slice_is(name, "<<")))
        return document_error(composer->document, mark, "'%.*s' is there twice", SLICE_ARGS(name));
    frame->next = (struct node_member){.name = name, .mark = mark};
    frame->named = true;
    return NULL;
}

struct error *composer_scalar(struct composer *composer, struct slice text, bool quoted,
                              struct slice function, struct mark mark) {
    TRY(count_node(composer, mark));
    struct node *node = node_scalar(composer->document->arena, text, mark);
    node->quoted = quoted;
    return add(composer, wrap(composer, node, function, mark));
}

struct error *composer_null(struct composer *composer, struct mark mark) {
    TRY(count_node(composer, mark));
    return add(composer, node_of_kind(composer->document->arena, NODE_NULL, mark));
}

struct error *composer_shared(struct composer *composer, const struct node *node,
                              struct mark mark) {
    TRY(count_node(composer, mark));
    return add(composer, node);
}
