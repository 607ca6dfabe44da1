/* apply.h - the arguments of `gramme apply`. */
#ifndef GRAMME_CLI_APPLY_H
#define GRAMME_CLI_APPLY_H

#include "cli/apply_service.h"

struct apply_options {
    const char *file; /* - : standard input */
    struct template_options template;
    struct service_options service;
    bool dry_run;
    bool allow_data_loss;
};

/* -1 when the command is to run, else its exit status. What it points to lives in the arena or in
 * the arguments. */
int apply_parse(struct arena *arena, int argc, char **argv, struct apply_options *ret_options);

#endif
