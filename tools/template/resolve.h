/* resolve.h - what the files that work out intrinsic functions share. */
#ifndef GRAMME_TEMPLATE_RESOLVE_H
#define GRAMME_TEMPLATE_RESOLVE_H

#include "template/template.h"

/* {"Fn::Join": [...]}: the name, where it stands, and what it is called with. */
struct function_call {
    struct slice name;
    struct mark mark;
    const struct node *argument;
};

typedef struct error *resolve_function(struct template *t, const struct function_call *call,
                                       const struct node **ret_node);

resolve_function resolve_ref, resolve_get_att, resolve_sub, resolve_join, resolve_select,
    resolve_split, resolve_find_in_map, resolve_if, resolve_elsewhere, resolve_misplaced;

/* The items of an argument that has to be a list of so many. */
struct error *call_items(struct template *t, const struct function_call *call, size_t least,
                         size_t most, const struct node *const **ret_items);
/* Resolves to a scalar, or to an unknown value. */
struct error *resolve_text(struct template *t, const struct node *node,
                           const struct node **ret_text);
/* The value of a parameter, or what a resource is called. */
struct error *resolve_reference(struct template *t, struct slice name, struct mark mark,
                                const struct node **ret_node);
struct error *resolve_attribute(struct template *t, struct slice id, struct slice attribute,
                                struct mark mark, const struct node **ret_node);
/* Counts what resolving has made. */
struct error *resolve_charge(struct template *t, size_t bytes, struct mark mark);
struct error *resolve_new_text(struct template *t, struct slice text, struct mark mark,
                               const struct node **ret_node);

/* A condition function: {"Fn::Equals": ...}, {"Condition": name}. */
struct error *condition_evaluate(struct template *t, const struct node *node, bool *ret_truth);

struct error *parameters_resolve(struct template *t);

#endif
