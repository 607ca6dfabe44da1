/* sequence.c - the record of the last number: version 1 (u8), number (u64 le). */
#include "engine/sequence.h"

#include "base/bytes.h"
#include "engine/keyspace.h"
#include "engine/state.h"
#include "engine/txn.h"

enum { SEQUENCE_VERSION = 1, SEQUENCE_BYTES = 9 };

struct error *sequence_load(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    struct store_key key = catalog_key(sequence_key());
    struct slice record;
    TRY(store_get(txn, &key, &record));
    if (!slice_present(record))
        return NULL;
    if (record.len != SEQUENCE_BYTES || record.data[0] != SEQUENCE_VERSION)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "the record of the last change is damaged or of a newer version");
    engine->last_sequence = load_u64(record.data + 1);
    return NULL;
}

uint64_t sequence_next(const struct engine *engine, int64_t now_ms) {
    uint64_t now = sequence_at(now_ms);
    return now > engine->last_sequence ? now : engine->last_sequence + 1;
}

void sequence_put(struct store_txn *txn, uint64_t last) {
    struct store_key key = catalog_key(sequence_key());
    uint8_t record[SEQUENCE_BYTES] = {SEQUENCE_VERSION};
    store_u64(record + 1, last);
    store_put(txn, &key, slice_of(record, sizeof(record)));
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
