/* process.h - runs a program and takes what it prints, within bounds of size and time. */
#ifndef GRAMME_CLIENT_PROCESS_H
#define GRAMME_CLIENT_PROCESS_H

#include "base/arena.h"
#include "base/buffer.h"

/* Splits a command line into words as a shell does, without expanding anything: blanks part words,
 * quotes and backslashes keep them together. NULL-terminated, in the arena; NULL when a quote is
 * not closed or there is no word. */
char **process_words(struct arena *arena, const char *command);

/* Runs the program that the first word names, looked for in PATH. Its output goes to `out`, within
 * its maximum; its input and its errors are the caller's. A program that takes longer is killed.
 * Returns NULL when it ended with status 0, else what happened, in the arena. */
const char *process_run(struct arena *arena, char *const *words, int64_t timeout_ms,
                        struct buffer *out);

#endif
