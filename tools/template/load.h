/* load.h - a template from a text of any form that is known. */
#ifndef GRAMME_TEMPLATE_LOAD_H
#define GRAMME_TEMPLATE_LOAD_H

#include "template/template.h"

/* Reads it, finds its sections and gives every parameter its value; likewise of the stacks within
 * it whose templates are files. The text must outlive the template. */
struct error *template_load(struct arena *arena, const struct template_options *options,
                            struct slice text, struct template **ret_template);

#endif
