/* help.h - help, printed from the tables in 80 columns. */
#ifndef GRAMME_CLI_HELP_H
#define GRAMME_CLI_HELP_H

#include "cli/command.h"

void help_print(const struct command *command, FILE *out);
/* One line for each command. */
void help_list(const struct command *const *list, FILE *out);

#endif
