/* project.h - selecting parts of an item. */
#ifndef GRAMME_EXPR_PROJECT_H
#define GRAMME_EXPR_PROJECT_H

#include "expr/bind.h"

/* A map with what the tree's paths select, which may be nothing. */
void project_tree(const struct path_node *tree, struct value item, struct value_builder *out);

#endif
