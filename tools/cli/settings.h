/* settings.h - options that come from elsewhere than the command line.
 *
 * A command that has settings (command.h) takes each of its options from a variable as well, as
 * GRAMME_PORT, and from a file that --config or GRAMME_CONFIG names: a line `port = 8001` for each,
 * with # before what is only for people. What stands on the command line wins over variables, they
 * over the file; what is excluded by an option that wins is left out, and not told as an error.
 *
 * A flag is on with 1, true, yes or on, in a file also by its name alone, and off with 0, false, no
 * or off. An option that may be given several times has commas between its values, or several
 * lines.
 * An empty variable is none; one that is about no option is somebody else's.
 * Memory: the invocation's arena. */
#ifndef GRAMME_CLI_SETTINGS_H
#define GRAMME_CLI_SETTINGS_H

#include "cli/invocation.h"

/* After the command line was read, before options are looked at together. The errors say where. */
struct error *settings_read(struct invocation *invocation);
/* Whether a variable turns a flag on. */
bool settings_turn_on(const char *variable);
/* The name of an option's variable, in the arena. */
const char *settings_variable(struct arena *arena, const struct option *option);

#endif
