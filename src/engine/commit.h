/* commit.h - the commit thread, by which everything changes. Private to this folder. */
#ifndef GRAMME_ENGINE_COMMIT_H
#define GRAMME_ENGINE_COMMIT_H

#include "base/error.h"

struct engine;

struct error *commit_start(struct engine *engine, struct arena *arena);
/* After all that waits is done. */
void commit_stop(struct engine *engine);

#endif
