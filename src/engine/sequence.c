/* sequence.c - the last number, stored and in memory. */
#include "engine/sequence.h"

#include "engine/keyspace.h"

/* Who leads has the record of a store with one writer. */
static struct store_key key_of(struct arena *arena, uint32_t writer) {
    return catalog_key(writer == 0 ? sequence_key() : part_sequence_key(arena, writer));
}

struct error *sequence_load(struct sequence *sequence, struct arena *arena, struct store_txn *txn) {
    struct store_key keys[STORE_WRITERS_MAX];
    struct slice records[STORE_WRITERS_MAX];
    uint32_t writers = txn->store->groups > 1 ? STORE_WRITERS_MAX : 1;
    for (uint32_t writer = 0; writer < writers; writer++)
        keys[writer] = key_of(arena, writer);
    TRY(store_get_many(txn, writers, keys, records));
    for (uint32_t writer = 0; writer < writers; writer++) {
        uint64_t last;
        TRY(sequence_decode(arena, records[writer], &last));
        if (last > sequence->last)
            sequence_used(sequence, last);
    }
    return NULL;
}

uint64_t sequence_next(const struct sequence *sequence, const struct store *store, int64_t now_ms) {
    uint64_t now = sequence_at(now_ms), last = sequence->last;
    uint64_t next = now > last ? now : last + 1;
    if (store->groups == 1)
        return next;
    uint64_t own = next - next % STORE_WRITERS_MAX + store->writer;
    return own >= next ? own : own + STORE_WRITERS_MAX;
}

void sequence_put(struct store_txn *txn, uint64_t last) {
    struct store_key key = key_of(txn->arena, txn->store->writer);
    store_put(txn, &key, sequence_encode(txn->arena, last));
}
