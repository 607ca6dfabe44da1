/* format.c - the record that makes a store a gramme database (codec/format.h), found or made.
 *
 * A store without the record and without anything else is new; without the record but with tables
 * it is damaged. */
#include "engine/format.h"

#include "engine/keyspace.h"

enum { FIRST_ID = 1 };

void format_put(const struct format_record *format, struct store_txn *txn) {
    struct store_key key = catalog_key(format_key());
    store_put(txn, &key, format_encode(txn->arena, format));
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

static struct error *create(struct format_record *format, const struct random *random,
                            struct arena *arena, struct store_txn *txn) {
    TRY(check_empty(arena, txn));
    random_fill(random, format->keys.secret, sizeof(format->keys.secret));
    format->next_id = FIRST_ID;
    format_put(format, txn);
    enum store_outcome outcome;
    TRY(store_commit(txn, STORE_DURABLE, &outcome));
    if (outcome != STORE_COMMITTED)
        return error_local(arena, "the database could not be created");
    return NULL;
}

struct error *format_load_or_create(struct format_record *format,
                                    const struct engine_options *options, struct arena *arena) {
    struct store_txn *txn;
    enum store_held held; /* nothing is known yet that could be stale */
    TRY(store_begin(options->store, arena, STORE_WRITE, &txn));
    struct store_key key = catalog_key(format_key());
    struct slice record = SLICE_NONE;
    struct error *error = store_hold(txn, &held);
    if (error == NULL)
        error = store_get(txn, &key, &record);
    if (error == NULL)
        error = slice_present(record) ? format_decode(arena, record, format)
                                      : create(format, options->random, arena, txn);
    store_end(txn);
    return error;
}

struct error *format_find(struct format_record *format, const struct engine_options *options,
                          struct arena *arena) {
    struct store_txn *txn;
    TRY(store_begin(options->store, arena, STORE_READ_LATEST, &txn));
    struct store_key key = catalog_key(format_key());
    struct slice record = SLICE_NONE;
    struct error *error = store_get(txn, &key, &record);
    if (error == NULL)
        error = slice_present(record) ? format_decode(arena, record, format)
                                      : error_local(arena, "there is no database yet");
    store_end(txn);
    return error;
}

struct error *format_load(struct format_record *format, struct arena *arena,
                          struct store_txn *txn) {
    struct store_key key = catalog_key(format_key());
    struct slice bytes;
    struct format_record record;
    TRY(store_get(txn, &key, &bytes));
    TRY(format_decode(arena, bytes, &record));
    if (memcmp(&record.keys, &format->keys, sizeof(record.keys)) != 0)
        return error_local(arena, "the store holds another database");
    format->next_id = record.next_id;
    return NULL;
}
