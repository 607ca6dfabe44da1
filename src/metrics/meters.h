/* meters.h - what a server counts while it works: of each table, each global index and each
 * operation, and of the commit thread.
 *
 * Every thread has meters of its own, which it alone writes; whoever wants numbers adds up those of
 * all threads (meters_read). So counting costs a few loads and stores in memory that no other
 * processor writes to.
 *
 * A table is found by its id, and told apart by its name: one that is made again under its name
 * goes on where the last one stopped. What is about no table is counted under METER_NO_TABLE. The
 * number of tables, indexes and operations is bounded for each thread; what comes after that is
 * counted together, under METER_OTHER.
 *
 * Threads: a struct meter_thread, and all that hangs on it, is written by the thread that joined
 * with it. Memory: all of it lives as long as the meters. */
#ifndef GRAMME_METRICS_METERS_H
#define GRAMME_METRICS_METERS_H

#include "metrics/meter.h"

struct meters;
struct meter_thread;

struct meters *meters_new(void);
void meters_free(struct meters *meters); /* NULL is fine; no thread counts any more */
/* The meters of one more thread. From any thread. */
struct meter_thread *meters_join(struct meters *meters);
/* It counts no more. What it counted stays, and who joins next goes on with it: there are never
 * more than threads that were there at once. */
void meters_leave(struct meters *meters, struct meter_thread *thread);

/* ---- counting: on the thread of the meters ---- */

/* The table's; its name is copied when it is new. */
struct meter_table *meter_table(struct meter_thread *thread, uint32_t id, struct slice name);
/* What is about no table. */
struct meter_table *meter_no_table(struct meter_thread *thread);
struct meter_operation *meter_operation(struct meter_thread *thread, struct meter_table *table,
                                        unsigned operation);
struct meter_index *meter_index(struct meter_thread *thread, struct meter_table *table,
                                struct slice name);
struct meter_commit *meter_commit(struct meter_thread *thread);

/* That `events` items of a request were refused. `index` is absent when it is the table itself that
 * refuses. */
static inline void meter_throttled(struct meter_thread *thread, struct meter_table *table,
                                   struct slice index, enum meter_throttle why, uint64_t events) {
    struct meter_resource *resource =
        slice_present(index) ? &meter_index(thread, table, index)->own : &table->own;
    counter_add(&resource->throttled[why], events);
}

/* That a request was refused as a whole. */
static inline void meter_throttled_request(struct meter_thread *thread, struct meter_table *table,
                                           unsigned operation) {
    counter_add(&meter_operation(thread, table, operation)->throttled, 1);
}

void meter_group(struct meter_commit *commit, uint64_t writes);

/* ---- reading: from any thread ---- */

/* The sums of all threads, as meters that nobody writes. */
struct meter_sums {
    struct meter_table **tables; /* by name */
    size_t table_count;
    struct meter_commit commit;
};

/* `take`: the extremes of all spreads begin anew. One reader only may do that. In the arena. */
void meters_read(struct meters *meters, struct arena *arena, bool take,
                 struct meter_sums *ret_sums);

#endif
