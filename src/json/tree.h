/* tree.h - a JSON text as a tree, for whoever has to look at it in another order than it comes in.
 *
 * Requests are never read like this: on their way nothing builds a tree. Tools read templates and
 * the answers of a server so, which are few and small.
 * Memory: the arena; texts without escapes are slices of the input, which must outlive the tree. */
#ifndef GRAMME_JSON_TREE_H
#define GRAMME_JSON_TREE_H

#include "json/reader.h"

struct json_value {
    enum json_token kind; /* the token that it begins with: JSON_OBJECT_BEGIN, JSON_STRING ... */
    size_t at;            /* where that is in the input */
    struct slice text;    /* of a string (unescaped) or a number (as written); else absent */
    struct slice name;    /* of an object's member; else absent */
    size_t name_at;
    const struct json_value *first; /* member or item; NULL: none */
    const struct json_value *next;  /* of the same object or array */
};

/* NULL when the input is not one well-formed value; `ret_wrong_at`, unless it is NULL, then gets
 * where the first token that is wrong begins. */
const struct json_value *json_tree_read(struct arena *arena, struct slice input,
                                        size_t *ret_wrong_at);

/* The first member of that name. NULL when there is none, or `object` is no object or NULL. */
const struct json_value *json_find(const struct json_value *object, const char *name);
/* The text of the member of that name, when it is a string; else absent. */
struct slice json_find_text(const struct json_value *object, const char *name);
/* Of a member that is an array: its first item; else NULL. */
const struct json_value *json_find_items(const struct json_value *object, const char *name);

#endif
