/* copy_step.h - making copies (copy.h), a step at a time. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_COPY_STEP_H
#define GRAMME_ENGINE_COPY_STEP_H

#include "codec/copy.h"
#include "engine/chore.h"
#include "store/store.h"

struct engine;

/* A chore: does one step of one copy. */
struct error *copy_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

/* Drops what only a copy kept of its source's history; for the transaction that ends it. */
void copy_release_source(struct engine *engine, struct arena *arena, struct store_txn *txn,
                         const struct copy_state *state);

#endif
