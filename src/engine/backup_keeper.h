/* backup_keeper.h - when the first backup expires (backup_change.h). Private to this folder; commit
 * thread. */
#ifndef GRAMME_ENGINE_BACKUP_KEEPER_H
#define GRAMME_ENGINE_BACKUP_KEEPER_H

#include "store/store.h"

struct backup_keeper {
    int64_t expire_ms; /* INT64_MAX: none does */
};

/* Looks at all backups, whatever was known. */
struct error *backup_keeper_load(struct backup_keeper *keeper, struct arena *arena,
                                 struct store_txn *txn);

/* One that expires then is there. */
static inline void backup_keeper_expect(struct backup_keeper *keeper, int64_t expiry_ms) {
    if (expiry_ms < keeper->expire_ms)
        keeper->expire_ms = expiry_ms;
}

#endif
