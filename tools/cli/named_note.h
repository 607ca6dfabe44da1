/* named_note.h - that what a command did to a data directory was not done to those below it. */
#ifndef GRAMME_CLI_NAMED_NOTE_H
#define GRAMME_CLI_NAMED_NOTE_H

#include "base/arena.h"

/* Says so on standard error, if there are name spaces; `command` is what takes one of them. */
void named_note(struct arena *arena, const char *directory, const char *command);

#endif
