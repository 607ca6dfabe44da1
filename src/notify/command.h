/* command.h - one attempt to hand a parcel to a program, which reads it from its standard input.
 *
 * The program is started directly, with its words as they are: nothing is expanded or quoted. It is
 * the first of a process group, which goes with it when its time is over. Its output is thrown
 * away, its errors come out where those of the server do. Threads: the courier's. */
#ifndef GRAMME_NOTIFY_COMMAND_H
#define GRAMME_NOTIFY_COMMAND_H

#include "notify/parcel.h"

struct command_run;

/* NULL, and the outcome is set: it did not start. */
struct command_run *command_start(const struct parcel *parcel, struct outcome *ret_outcome);
/* A descriptor that is readable when the program has ended. */
int command_descriptor(const struct command_run *run);
/* False: it still runs. */
bool command_ended(struct command_run *run, struct outcome *ret_outcome);
/* Kills it if it still runs. command_free(NULL) is fine. */
void command_free(struct command_run *run);

#endif
