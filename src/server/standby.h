/* standby.h - the standby that a server reads from, when what is read may be a moment old.
 *
 * A thread of its own looks at it some times in a second: how far it is in the log of the server
 * that takes the writes, and whether it has heard of the tables, users and keys that are known
 * here. Only then, and while it is not further behind than it may be, it is read. How far behind it
 * is is told by the log and by no clock but ours: it has all that was written when the position
 * that it has reached now was that of the other server. */
#ifndef GRAMME_SERVER_STANDBY_H
#define GRAMME_SERVER_STANDBY_H

#include "engine/eventual.h"

struct standby;

struct standby_options {
    const char *url; /* which stays */
    uint64_t lag_ms; /* how far it may be behind */
};

struct standby *standby_new(const struct standby_options *options);
/* `primary` is read beside it, and stays until standby_stop(). */
struct error *standby_start(struct arena *arena, struct standby *standby, struct store *primary);
void standby_stop(struct standby *standby);
/* After the last read. standby_free(NULL) is fine. */
void standby_free(struct standby *standby);

struct eventual *standby_eventual(struct standby *standby);
/* What is known here is of this number of changes. Any thread. */
void standby_pin(struct standby *standby, uint64_t number);
/* How far it was behind when it was looked at last; below 0: nobody knows. Any thread. */
double standby_lag_s(const struct standby *standby);

#endif
