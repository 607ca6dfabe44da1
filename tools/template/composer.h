/* composer.h - puts a document's tree together from what a reader of YAML or JSON meets.
 *
 * The reader calls begin, name, scalar and end in the order of the text; the composer keeps the
 * open containers on a stack of its own, checks depth, count and duplicate names, and merges `<<`.
 * A container or scalar may come with the name of a function: `!Ref x` becomes {"Ref": "x"}.
 * Memory: the document's arena. */
#ifndef GRAMME_TEMPLATE_COMPOSER_H
#define GRAMME_TEMPLATE_COMPOSER_H

#include "template/node.h"

struct composer_frame {
    bool mapping;
    struct mark mark;
    struct slice function;       /* absent: none */
    struct slice anchor;         /* absent: none */
    struct node_member *members; /* of a sequence: only the values */
    size_t count;
    size_t capacity;
    struct node_member next; /* its name is there, its value comes */
    bool named;
    const struct node *merge; /* the value of `<<` */
};

struct composer {
    const struct document *document;
    struct composer_frame frames[NODE_DEPTH_MAX];
    size_t depth; /* open containers */
    size_t node_count;
    const struct node *last; /* the value that was completed last */
    const struct node *root;
};

/* What may stand before a value in YAML. */
struct composer_tag {
    struct slice function;
    struct slice anchor;
};

void composer_init(struct composer *composer, const struct document *document);
struct error *composer_begin(struct composer *composer, bool mapping, struct composer_tag tag,
                             struct mark mark);
/* After the end `last` is the container, and `ret_anchor` its anchor. */
struct error *composer_end(struct composer *composer, struct slice *ret_anchor);
/* In a mapping the text is a name or a value by turns; see composer_wants_name(). */
bool composer_wants_name(const struct composer *composer);
struct error *composer_name(struct composer *composer, struct slice name, struct mark mark);
struct error *composer_scalar(struct composer *composer, struct slice text, bool quoted,
                              struct slice function, struct mark mark);
struct error *composer_null(struct composer *composer, struct mark mark);
/* A value that is there already: an alias. */
struct error *composer_shared(struct composer *composer, const struct node *node, struct mark mark);

#endif
