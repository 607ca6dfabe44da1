/* help.h - help, printed from the tables in 80 columns. */
#ifndef GRAMME_CLI_HELP_H
#define GRAMME_CLI_HELP_H

#include "cli/command.h"

void help_print(const struct command *command, FILE *out);
/* One line for each command, then one for each family; either list ends with NULL. */
void help_list(const struct command *const *list, const struct command_family *const *families,
               FILE *out);
void help_print_family(const struct command_family *family, FILE *out);
/* A line of a list: the text begins at the column, and goes on there in the next line. */
void help_entry(FILE *out, size_t column, const char *label, const char *text);

#endif
