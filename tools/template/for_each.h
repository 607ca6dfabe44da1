/* for_each.h - Fn::ForEach of the transform AWS::LanguageExtensions, in Resources, Outputs and
 * Conditions: what a loop makes takes its place before anything of these is looked at, but for the
 * conditions that a loop's values depend on. */
#ifndef GRAMME_TEMPLATE_FOR_EACH_H
#define GRAMME_TEMPLATE_FOR_EACH_H

#include "template/template.h"

/* The document without loops, whose conditions the template has then. Parameters have their values
 * by now. */
struct error *for_each_expand(struct template *t, const struct node *root,
                              const struct node **ret_root);

#endif
