/* load.h - all that the engine knows of its store, read from it. Private to this folder. */
#ifndef GRAMME_ENGINE_LOAD_H
#define GRAMME_ENGINE_LOAD_H

#include "base/error.h"
#include "engine/commit_queue.h"

struct engine;

/* Makes every owner look at the store, whatever it knew. On an error some may have looked and
 * others not: what each knows is true by itself, and the next time brings them together. Before the
 * commit thread starts, or on it. */
struct error *engine_load(struct engine *engine, struct arena *arena);

/* The same as a job. */
struct load_job {
    struct waited_job waited;
    struct arena *arena;
    struct error *error; /* the result */
};

#endif
