/* sequence.c - the last number, stored and in memory. */
#include "engine/sequence.h"

#include "engine/keyspace.h"

struct error *sequence_load(struct sequence *sequence, struct arena *arena, struct store_txn *txn) {
    struct store_key key = catalog_key(sequence_key());
    struct slice record;
    TRY(store_get(txn, &key, &record));
    uint64_t last;
    TRY(sequence_decode(arena, record, &last));
    if (last > sequence->last)
        sequence_used(sequence, last);
    return NULL;
}

uint64_t sequence_next(const struct sequence *sequence, int64_t now_ms) {
    uint64_t now = sequence_at(now_ms), last = sequence->last;
    return now > last ? now : last + 1;
}

void sequence_put(struct store_txn *txn, uint64_t last) {
    struct store_key key = catalog_key(sequence_key());
    store_put(txn, &key, sequence_encode(txn->arena, last));
}
