/* form_tree.h - the fields of a form as a tree, the same as that of a JSON text.
 *
 *   Dimensions.member.1.Name=TableName&Dimensions.member.1.Value=t
 *   {"Dimensions": [{"Name": "TableName", "Value": "t"}]}
 *
 * Every value is a string: a form does not tell a number from a text (input.h knows). Items of a
 * list are in the order of their numbers, whatever these are; "entry" with "key" and "value" is
 * how a map comes, and stays so. Of fields of the same name the first counts.
 * Memory: the arena; texts are those of the form. */
#ifndef GRAMME_SERVICE_FORM_TREE_H
#define GRAMME_SERVICE_FORM_TREE_H

#include "json/tree.h"
#include "query/form.h"

enum { FORM_DEPTH_MAX = 32 };

/* The fields are put in order. NULL: a name is no path. */
const struct json_value *form_tree(struct arena *arena, struct form *form);

#endif
