/* format.c - the record that makes a store a gramme database (codec/format.h), found or made.
 *
 * A store without the record and without anything else is new; without the record but with tables
 * it is damaged. */
#include "codec/format.h"
#include "engine/keyspace.h"
#include "engine/state.h"

enum { FIRST_ID = 1 };

static void put_record(struct engine *engine, struct store_txn *txn) {
    struct format_record record = {engine->keys, engine->next_id};
    struct store_key key = catalog_key(format_key());
    store_put(txn, &key, format_encode(txn->arena, &record));
}

void format_store_next_id(struct engine *engine, struct store_txn *txn) {
    put_record(engine, txn);
}

static struct error *check_empty(struct arena *arena, struct store_txn *txn) {
    for (uint8_t keyspace = 0; keyspace < KEYSPACE_COUNT; keyspace++) {
        struct store_range all = {keyspace, SLICE_LITERAL("\0"), SLICE_NONE};
        struct store_scan *scan;
        TRY(store_scan_open(txn, &all, false, &scan));
        bool found = false;
        struct slice key, value;
        struct error *error = store_scan_next(scan, &found, &key, &value);
        store_scan_close(scan);
        TRY(error);
        if (found)
            return error_local(arena, "the database is damaged: it has data but no format record");
    }
    return NULL;
}

static struct error *create(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    TRY(check_empty(arena, txn));
    random_fill(engine->options.random, engine->keys.secret, sizeof(engine->keys.secret));
    engine->next_id = FIRST_ID;
    put_record(engine, txn);
    enum store_outcome outcome;
    TRY(store_commit(txn, STORE_DURABLE, &outcome));
    if (outcome != STORE_COMMITTED)
        return error_local(arena, "the database could not be created");
    return NULL;
}

static struct error *load(struct engine *engine, struct arena *arena, struct slice bytes) {
    struct format_record record;
    TRY(format_decode(arena, bytes, &record));
    engine->keys = record.keys;
    engine->next_id = record.next_id;
    return NULL;
}

struct error *format_load_or_create(struct engine *engine, struct arena *arena) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_WRITE, &txn));
    struct store_key key = catalog_key(format_key());
    struct slice record = SLICE_NONE;
    struct error *error = store_get(txn, &key, &record);
    if (error == NULL)
        error = slice_present(record) ? load(engine, arena, record) : create(engine, arena, txn);
    store_end(txn);
    return error;
}
