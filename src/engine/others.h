/* others.h - looking at what other servers write, where several do (hold.h): once a second who
 * leads reads how many items they have counted, and forgets from when on nothing expires, since
 * they may have written what expires sooner. Private to this folder. */
#ifndef GRAMME_ENGINE_OTHERS_H
#define GRAMME_ENGINE_OTHERS_H

#include "engine/chore.h"
#include "store/store.h"

struct engine;

struct error *others_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

#endif
