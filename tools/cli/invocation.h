/* invocation.h - a command with the values that it was called with.
 * Memory: texts point into the arguments, everything else lives in the arena. */
#ifndef GRAMME_CLI_INVOCATION_H
#define GRAMME_CLI_INVOCATION_H

#include "cli/command.h"

enum { OPTIONS_MAX = 64 };

struct invocation {
    struct arena *arena;
    const struct command *command;
    void *values; /* the command's struct */
    bool help;    /* was asked for, and nothing was read */
    bool given[OPTIONS_MAX];
    bool turned_off[OPTIONS_MAX]; /* flags, by a variable or a file; they exclude nothing */
    size_t argument_count;
    struct slice excluded; /* variables that an option of the command line excludes; or empty */
};

/* One value of the command's struct, whatever way its text came; NULL for a flag. */
struct error *option_set(struct arena *arena, void *values, const struct option *option,
                         const char *text);

#endif
