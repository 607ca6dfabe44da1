/* batch.c - see batch.h. */
#include "store/batch.h"

void store_batch_init(struct store_batch *batch, struct store *to) {
    *batch = (struct store_batch){.to = to};
    arena_init(&batch->arena);
}

void store_batch_release(struct store_batch *batch) {
    store_end(batch->txn);
    arena_release(&batch->arena);
}

/* Errors outlive the batch's arena. */
static struct error *kept(struct arena *arena, struct error *error) {
    return error == NULL ? NULL : error_local(arena, "%.*s", SLICE_ARGS(error->message));
}

struct error *store_batch_commit(struct store_batch *batch, struct arena *arena) {
    enum store_outcome outcome = STORE_COMMITTED;
    batch->bytes = 0;
    if (batch->txn == NULL)
        return NULL;
    struct error *error = kept(arena, store_commit(batch->txn, STORE_RELAXED, &outcome));
    store_end(batch->txn);
    batch->txn = NULL;
    arena_reset(&batch->arena);
    if (error == NULL && outcome != STORE_COMMITTED)
        error = error_local(arena, "another writes to the store that is being filled");
    return error;
}

struct error *store_batch_put(struct store_batch *batch, struct arena *arena,
                              const struct store_key *key, struct slice value) {
    if (batch->txn == NULL)
        TRY(kept(arena, store_begin(batch->to, &batch->arena, STORE_WRITE, &batch->txn)));
    store_put(batch->txn, key, value);
    batch->bytes += key->key.len + value.len;
    return batch->bytes < STORE_BATCH_BYTES ? NULL : store_batch_commit(batch, arena);
}
