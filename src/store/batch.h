/* batch.h - many records into a store that is being filled: a commit for each megabyte of them.
 *
 * Nothing is durable before store_sync(). Memory: what is not committed yet; errors in the arena
 * that is given. Threads: one. */
#ifndef GRAMME_STORE_BATCH_H
#define GRAMME_STORE_BATCH_H

#include "store/store.h"

enum { STORE_BATCH_BYTES = 1 << 20 };

struct store_batch {
    struct store *to;
    struct arena arena;    /* of the transaction */
    struct store_txn *txn; /* NULL: none is open */
    size_t bytes;          /* since the last commit */
};

void store_batch_init(struct store_batch *batch, struct store *to);
/* What is not committed is gone. */
void store_batch_release(struct store_batch *batch);

struct error *store_batch_put(struct store_batch *batch, struct arena *arena,
                              const struct store_key *key, struct slice value);
struct error *store_batch_commit(struct store_batch *batch, struct arena *arena);

#endif
