/* variables.h - the variables of Serverless: ${self:custom.x}, ${opt:stage, 'dev'}, ${env:X},
 * ${file(tables.yml):Resources}, ${param:x}, ${sls:stage}, ${aws:region}, ${strToBool(x)}.
 *
 * A text that is one variable becomes what that stands for, a list or a mapping as well; in a
 * longer text each becomes a part of it. ${Name} and ${AWS::Region} belong to Fn::Sub and stay.
 * What cannot be told here (an address in another service, a value that nobody gave) becomes
 * NODE_UNKNOWN, which says why; whoever needs it complains.
 * Bounds: those of resolving (template.h). Memory: the template's arena. */
#ifndef GRAMME_TEMPLATE_VARIABLES_H
#define GRAMME_TEMPLATE_VARIABLES_H

#include "template/template.h"

struct variable_file {
    struct slice path;
    const struct node *root; /* NULL: it cannot be read */
    struct variable_file *next;
};

struct variables {
    struct template *t;
    const struct node *root; /* what ${self:...} is about */
    struct variable_file *files;
};

/* Everything in it worked out. */
struct error *variables_resolve(struct variables *variables, const struct node *node,
                                const struct node **ret_node);
/* What "self:a.b" and its like stand for; what lies within is not worked out. NODE_NULL: there is
 * no such value. */
struct error *variables_look_up(struct variables *variables, struct slice address, struct mark mark,
                                const struct node **ret_node);

/* Whether a file is one that would have to be run to know what is in it. */
bool variables_is_program(struct slice path);

/* ---- for variables.c and variable_sources.c ---- */

/* A text's own variables told, as far as what it stands for itself. */
struct error *variables_evaluate(struct variables *variables, const struct node *node,
                                 const struct node **ret_node);
/* An unknown value that says what to do about a variable that none of its sources has. */
const struct node *variable_missing(struct template *t, struct slice inside, struct mark mark);

#endif
