/* reading.h - reads of a server that does not lead: an engine that follows what the leader changes.
 *
 * It reads items from the store as the leader does, and knows the tables from its catalog, which
 * the leader may have changed since. So each reply is confirmed: after the items were read, the
 * store is asked for the number of changes of the catalog (store_changes). While that is what it
 * was when the call began, the catalog was true all the time, the moment of the read included. Else
 * the catalog is read again, and so is the request. A thread of its own asks, once for all replies
 * that wait.
 *
 * Threads: started and stopped by the main thread; `ask` on any. */
#ifndef GRAMME_SERVER_READING_H
#define GRAMME_SERVER_READING_H

#include "engine/options.h"
#include "pipeline/thread.h"

struct reading;

/* Takes the store over, also on failure. Its workers come later. */
struct error *reading_open(struct arena *arena, const struct engine_options *options,
                           struct reading **ret_reading);
struct error *reading_start(struct arena *arena, struct reading *reading,
                            const struct workers_options *options);
/* After the last reply. reading_close(NULL) is fine. */
void reading_close(struct reading *reading);

/* False: it is better to hand on for a moment. Any thread. */
bool reading_is_ready(struct reading *reading);
struct engine *reading_engine(struct reading *reading);
struct workers *reading_workers(struct reading *reading);
const struct confirming *reading_confirming(struct reading *reading);
/* How often the catalog was read again, and how many replies were confirmed. Any thread. */
uint64_t reading_reloads(const struct reading *reading);
uint64_t reading_confirmed(const struct reading *reading);

#endif
