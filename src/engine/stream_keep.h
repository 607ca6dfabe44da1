/* stream_keep.h - what time does to streams. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_STREAM_KEEP_H
#define GRAMME_ENGINE_STREAM_KEEP_H

#include "base/error.h"
#include "engine/chore.h"

struct engine;

/* A chore: closes generations of shards, deletes records that are too old, and streams that ended
 * long ago. */
struct error *stream_keep(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

#endif
