/* txn.h - how the engine's transactions end. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_TXN_H
#define GRAMME_ENGINE_TXN_H

#include "store/store.h"

/* Commits. A conflict means that nothing happened: the caller runs its transaction again, a few
 * times at most. */
enum { TXN_ATTEMPTS_MAX = 10 };
struct error *txn_commit(struct store_txn *txn, enum store_durability durability,
                         bool *ret_conflict);
struct error *txn_too_many_conflicts(struct arena *arena);
/* Commits a step of a chore, which is done again when it fails for whatever reason. */
struct error *txn_commit_step(struct store_txn *txn, enum store_durability durability);

#endif
