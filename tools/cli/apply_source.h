/* apply_source.h - the texts that `gramme apply` reads: its template, and what that takes in. */
#ifndef GRAMME_CLI_APPLY_SOURCE_H
#define GRAMME_CLI_APPLY_SOURCE_H

#include "template/template.h"

/* The whole file, or standard input for "-"; of one that is too long for a template, so much that
 * it shows. */
struct error *apply_read(struct arena *arena, const char *name, struct slice *ret_text);

/* Tells who has given what is made of a template, or makes one, in its place. */
struct error *apply_check_kind(struct arena *arena, const char *name, struct slice text);

/* The environment, and files beside the template, whose name has to outlive the answer. */
struct template_surroundings apply_surroundings(const char *const *template_name);

#endif
