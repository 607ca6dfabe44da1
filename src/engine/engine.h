/* engine.h - DynamoDB's verbs on a store: open and close.
 *
 * An engine owns a store, the catalog of tables, and the commit thread by which everything changes.
 * Reads run on the caller's thread (read.h); writes are handed to the commit thread as jobs
 * (write.h, catalog_job.h). */
#ifndef GRAMME_ENGINE_ENGINE_H
#define GRAMME_ENGINE_ENGINE_H

#include "engine/catalog.h"
#include "engine/keyspaces.h"
#include "engine/options.h"

struct engine;
struct item_write;

struct error *engine_open(struct arena *arena, const struct engine_options *options,
                          struct engine **ret_engine);
/* Finishes what is queued, then stops. engine_close(NULL) is fine. */
void engine_close(struct engine *engine);

/* With options.stepped: runs what was submitted, and one step of each chore whose time it is. */
void engine_step(struct engine *engine);

/* The tables there are; lives as long as the engine. */
struct catalog *engine_catalog(struct engine *engine);

/* To be called when someone else wrote to the store: everything that the engine knows of it is read
 * again, between what was submitted before and what comes after. Tables that are as they were stay
 * the same ones; those that are gone are dropped for the calls that still hold them. On an error
 * the engine goes on with what it knew. Waits for it; any thread but the engine's own. */
struct error *engine_reload(struct engine *engine, struct arena *arena);

/* With options.follows: as engine_reload(), at once. One thread at a time. */
struct error *engine_look_again(struct engine *engine, struct arena *arena);

/* Whether the store is on another machine, and a read takes a round trip: then a thread that has
 * other things to do does not wait for it (reader_fetch). */
bool engine_store_is_far(const struct engine *engine);

/* Whether several servers write at once, each in groups of keys of its own, mostly (hold.h); how
 * many groups there are, and which one a write that was prepared is to be done in. */
bool engine_is_shared(const struct engine *engine);
uint32_t engine_groups(const struct engine *engine);
uint32_t engine_group_of(const struct engine *engine, const struct item_write *write);

/* How many jobs wait for the commit thread. Any thread. */
size_t engine_queue_length(struct engine *engine);
/* How often a record was read that is not what was written. Any thread. */
uint64_t engine_damage_found(const struct engine *engine);

/* To be called when the clock was set forward, so that what has its time now is done now. The time
 * is stored, soon. Any thread. */
void engine_time_moved(struct engine *engine);
/* Moves the clock that the engine was opened with, and stores the time before anything is done at
 * it, so that a later run never begins before what this one did, nor before *ret_now_ms. Waits for
 * that; any thread but the engine's own. */
enum clock_moved engine_move_clock(struct engine *engine, struct movable_clock *clock,
                                   const struct clock_move *move, int64_t *ret_now_ms);
/* The time that the data had come to when it was opened: that of the last number there was then; 0:
 * there was none. What happened since is not told. */
int64_t engine_time_at_open_ms(const struct engine *engine);

#endif
