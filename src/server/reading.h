/* reading.h - reads of a server that does not lead: an engine that follows what the leader changes,
 * and where several write (ADR 22) writes as well.
 *
 * It reads items from the store as the leader does, and knows the tables from its catalog, and
 * users, roles and keys from their directory, which the leader may have changed since. So each
 * reply is confirmed: after the items were read, the store is asked for the number of changes of
 * both (store_changes). While that is what it was when the call began, all of it was true all the
 * time, the moment of the read included. Else it is loaded again, and the request starts anew. A
 * thread of its own asks, once for all replies that wait.
 *
 * Threads: started and stopped by the main thread; `ask` on any. */
#ifndef GRAMME_SERVER_READING_H
#define GRAMME_SERVER_READING_H

#include "engine/options.h"
#include "pipeline/thread.h"

struct access_options;
struct iam;
struct reading;
struct standby;
struct standby_options;

struct reading_options {
    struct engine_options engine;
    /* Of the engine that is opened; NULL: signatures are not verified. Then it is never ready while
     * there are keys: some server of the store verifies, and this one was started wrongly. */
    const struct access_options *access;
    /* From which it reads what may be a moment old; NULL: there is none. */
    const struct standby_options *standby;
};

/* Takes the store over, also on failure. Its workers come later. */
struct error *reading_open(struct arena *arena, const struct reading_options *options,
                           struct reading **ret_reading);
struct error *reading_start(struct arena *arena, struct reading *reading, unsigned workers);
/* After the last reply. reading_close(NULL) is fine. */
void reading_close(struct reading *reading);

/* False: it is better to hand on for a moment. Any thread. */
bool reading_is_ready(struct reading *reading);
struct engine *reading_engine(struct reading *reading);
struct store *reading_store(struct reading *reading);
struct workers *reading_workers(struct reading *reading);
/* NULL: signatures are not verified. */
struct iam *reading_iam(struct reading *reading);
/* NULL: there is none. */
struct standby *reading_standby(const struct reading *reading);
const struct confirming *reading_confirming(struct reading *reading);
/* How often it was loaded again, how many replies were confirmed, and how many were not. Any
 * thread. */
uint64_t reading_reloads(const struct reading *reading);
uint64_t reading_confirmed(const struct reading *reading);
uint64_t reading_anew(const struct reading *reading);

#endif
