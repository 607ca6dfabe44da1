/* options.h - reads a command's arguments as its tables tell.
 *
 * `--name value` and `--name=value` are the same; `--` ends the options; `-` is an argument; the
 * later of two values wins. `--help` and `-h` come before everything that may be wrong.
 * Memory: texts point into the arguments, everything else lives in the arena. */
#ifndef GRAMME_CLI_OPTIONS_H
#define GRAMME_CLI_OPTIONS_H

#include "cli/invocation.h"

/* The error's text says what is wrong, without the command's name. */
struct error *options_read(struct arena *arena, const struct command *command, int argc,
                           char *const *argv, struct invocation *ret_invocation);
/* What variables and files say to the command, without arguments, and not looked at together. */
struct error *options_read_settings(struct arena *arena, const struct command *command,
                                    struct invocation *ret_invocation);
/* Whether it was, and is not only a preset; a name that is not in the tables is a bug. */
bool options_given(const struct invocation *invocation, const char *name);

/* The account that ARNs have when none is given, and the form of one. */
#define ACCOUNT_PRESET "000000000000"
bool option_is_account(const char *text);

#endif
