/* txn.c - outcomes of commits as the engine sees them. */
#include "engine/txn.h"

struct error *txn_commit(struct store_txn *txn, enum store_durability durability,
                         bool *ret_conflict) {
    enum store_outcome outcome;
    *ret_conflict = false;
    TRY(store_commit(txn, durability, &outcome));
    if (outcome == STORE_UNKNOWN)
        return error_local(txn->arena, "the store does not know whether it committed");
    if (outcome == STORE_FENCED)
        return error_local(txn->arena, "another server leads this store now");
    *ret_conflict = outcome == STORE_CONFLICT;
    return NULL;
}

struct error *txn_too_many_conflicts(struct arena *arena) {
    return error_local(arena, "the store found a conflict %d times", TXN_ATTEMPTS_MAX);
}

struct error *txn_commit_step(struct store_txn *txn, enum store_durability durability) {
    enum store_outcome outcome;
    TRY(store_commit(txn, durability, &outcome));
    if (outcome == STORE_COMMITTED)
        return NULL;
    return error_local(txn->arena, "the step was not committed");
}
