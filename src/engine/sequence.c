/* sequence.c - the last number, stored and in memory. */
#include "engine/sequence.h"

#include "engine/keyspace.h"
#include "engine/state.h"
#include "engine/txn.h"

struct error *sequence_load(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    struct store_key key = catalog_key(sequence_key());
    struct slice record;
    TRY(store_get(txn, &key, &record));
    uint64_t last;
    TRY(sequence_decode(arena, record, &last));
    engine->last_sequence = last;
    return NULL;
}

uint64_t sequence_next(const struct engine *engine, int64_t now_ms) {
    uint64_t now = sequence_at(now_ms);
    return now > engine->last_sequence ? now : engine->last_sequence + 1;
}

void sequence_put(struct store_txn *txn, uint64_t last) {
    struct store_key key = catalog_key(sequence_key());
    store_put(txn, &key, sequence_encode(txn->arena, last));
}

void sequence_used(struct engine *engine, uint64_t last) {
    engine->last_sequence = last;
}

struct error *sequence_keep_time(struct engine *engine, struct arena *arena) {
    uint64_t last = sequence_next(engine, clock_now_ms(engine->options.clock));
    struct store_txn *txn;
    bool conflict;
    TRY(store_begin(engine->store, arena, STORE_WRITE, &txn));
    sequence_put(txn, last);
    struct error *error = txn_commit(txn, engine->options.durability, &conflict);
    store_end(txn);
    if (error == NULL && !conflict)
        sequence_used(engine, last);
    return error;
}
