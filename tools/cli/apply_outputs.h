/* apply_outputs.h - what `gramme apply` prints at the end: the outputs of a template. */
#ifndef GRAMME_CLI_APPLY_OUTPUTS_H
#define GRAMME_CLI_APPLY_OUTPUTS_H

#include "template/template.h"

struct error *apply_show_outputs(struct template *t);

#endif
