/* terraform.h - a plan or a state of Terraform as `terraform show -json` prints it: its tables as a
 * CloudFormation template. */
#ifndef GRAMME_TEMPLATE_TERRAFORM_H
#define GRAMME_TEMPLATE_TERRAFORM_H

#include "template/template.h"

/* The text begins as such a plan does, which may be larger than a template. */
bool terraform_begins(struct slice text);
/* Has `format_version`, and `planned_values` or `values`. */
bool terraform_is(const struct node *root);
/* Resources of all modules, called by their addresses; tables take in what other resources say
 * about them. What is known only after an apply becomes NODE_UNKNOWN. */
struct error *terraform_template(struct template *t, const struct node *root,
                                 const struct node **ret_template);

/* ---- for the files that read a plan ---- */

/* What a resource or a block in it says, and which of it is known only later. */
struct terraform_block {
    struct arena *arena;
    struct mark mark; /* the resource: a plan is one line */
    const struct node *values;
    const struct node *unknown; /* may be NULL */
};

/* NULL: not there, null or empty. */
const struct node *terraform_value(const struct terraform_block *block, const char *name);
/* The first block of that name; false: there is none. */
bool terraform_child(const struct terraform_block *block, const char *name, size_t at,
                     struct terraform_block *ret_child);

const struct node *terraform_made(const struct terraform_block *block,
                                  const struct mapping_maker *maker);
const struct node *terraform_text(const struct terraform_block *block, const char *text);
bool terraform_true(const struct terraform_block *block, const char *name);

/* The properties of an aws_dynamodb_table. */
void terraform_table(struct template *t, const struct terraform_block *table,
                     struct mapping_maker *properties);

#endif
