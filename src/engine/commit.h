/* commit.h - the commit thread, by which everything changes. Private to this folder.
 *
 * What the thread does is a row of turns, each of which takes what waits, runs it and steps the
 * chores. With options.stepped there is no thread, and the caller of the engine takes them. */
#ifndef GRAMME_ENGINE_COMMIT_H
#define GRAMME_ENGINE_COMMIT_H

#include "base/error.h"

struct engine;

struct error *commit_start(struct engine *engine, struct arena *arena);
/* Stores a number of now: what comes later is after it, whoever writes. Before the thread starts.
 */
struct error *commit_keep_time(struct engine *engine, struct arena *arena);
/* One turn, without waiting for anything; the engine is stepped. */
void commit_step(struct engine *engine);
/* After all that waits is done. */
void commit_stop(struct engine *engine);

#endif
