/* serverless.h - a serverless.yml: what of it is a CloudFormation template. */
#ifndef GRAMME_TEMPLATE_SERVERLESS_H
#define GRAMME_TEMPLATE_SERVERLESS_H

#include "template/template.h"

/* Has `service`, and no Resources of its own. */
bool serverless_is(const struct node *root);
/* Its `resources`, one mapping or several, as one template without variables. Names the stack as
 * Serverless does, unless a name was given. */
struct error *serverless_template(struct template *t, const struct node *root,
                                  const struct node **ret_template);

#endif
