/* read.c - transactions, point reads and scans of the RocksDB engine.
 *
 * A STORE_READ takes a snapshot at its first read. A STORE_WRITE takes none: nobody else writes
 * while it is open, so what it reads cannot change under it.
 * Memory: values are not copied but pinned where RocksDB has them, until the transaction ends;
 * transactions, scans and the bounds of scans live in the caller's arena.
 * Threads: a transaction belongs to one thread at a time. */
#include "base/check.h"
#include "base/container.h"
#include "store/rocksdb/internal.h"

enum {
    BATCHED_GET_MIN = 4, /* fewer keys cost less one by one */
    BATCHED_GET_MAX = 64,
};

static const char *const reading = "The store failed to read";

struct error *rocksdb_txn_begin(struct store *store, struct arena *arena, enum store_mode mode,
                                struct store_txn **ret_txn) {
    if (mode == STORE_WRITE)
        TRY(rocksdb_gate_check_writable(rocksdb_of(store), arena));
    TRY(rocksdb_gate_enter(rocksdb_of(store), arena));
    if (mode == STORE_WRITE)
        rocksdb_batch_begin(rocksdb_of(store));
    struct rocksdb_txn *txn = arena_alloc(arena, sizeof(*txn));
    txn->snapshot = NULL;
    txn->read_at = NULL;
    txn->first_pins.older = NULL;
    txn->first_pins.count = 0;
    txn->pins = &txn->first_pins;
    *ret_txn = &txn->base;
    return NULL;
}

void rocksdb_txn_end(struct store_txn *base) {
    struct rocksdb_txn *txn = container_of(base, struct rocksdb_txn, base);
    struct rocksdb_store *store = rocksdb_of_txn(base);
    for (struct pin_chunk *chunk = txn->pins; chunk != NULL; chunk = chunk->older) {
        for (size_t i = 0; i < chunk->count; i++)
            rocks.pinnableslice_destroy(chunk->values[i]);
    }
    if (txn->snapshot != NULL) {
        rocks.readoptions_destroy(txn->read_at);
        rocks.release_snapshot(store->db, txn->snapshot);
    }
    if (base->mode == STORE_WRITE)
        rocksdb_batch_reset(store);
    rocksdb_gate_leave(store);
}

/* The moment this transaction reads at; NULL for now. */
static const rocksdb_snapshot_t *txn_snapshot(struct rocksdb_txn *txn) {
    if (txn->base.mode == STORE_READ && txn->snapshot == NULL) {
        txn->snapshot = rocks.create_snapshot(rocksdb_of_txn(&txn->base)->db);
        txn->read_at = rocks.readoptions_create();
        rocks.readoptions_set_snapshot(txn->read_at, txn->snapshot);
    }
    return txn->snapshot;
}

/* Keeps a value until the transaction ends; absent for NULL. */
static struct slice txn_pin(struct rocksdb_txn *txn, rocksdb_pinnableslice_t *value) {
    if (value == NULL)
        return SLICE_NONE;
    if (txn->pins->count == PINS_PER_CHUNK) {
        struct pin_chunk *chunk = arena_alloc(txn->base.arena, sizeof(*chunk));
        chunk->older = txn->pins;
        chunk->count = 0;
        txn->pins = chunk;
    }
    txn->pins->values[txn->pins->count++] = value;
    size_t len;
    const char *data = rocks.pinnableslice_value(value, &len);
    return len == 0 ? SLICE_LITERAL("") : slice_of(data, len);
}

static struct error *get_one(struct rocksdb_txn *txn, const rocksdb_readoptions_t *options,
                             const struct store_key *key, struct slice *ret_value) {
    struct rocksdb_store *store = rocksdb_of_txn(&txn->base);
    char *text = NULL;
    rocksdb_pinnableslice_t *value =
        rocks.get_pinned_cf(store->db, options, store->keyspaces[key->keyspace],
                            (const char *)key->key.data, key->key.len, &text);
    if (text != NULL)
        return rocksdb_error(txn->base.arena, reading, text);
    *ret_value = txn_pin(txn, value);
    return NULL;
}

/* Keys of one keyspace that are looked up together. */
struct get_batch {
    size_t count;
    const char *keys[BATCHED_GET_MAX];
    size_t lens[BATCHED_GET_MAX];
    size_t places[BATCHED_GET_MAX]; /* in ret_values */
};

/* Every value is pinned, even after an error, so that none leaks. */
static struct error *get_batch_run(struct rocksdb_txn *txn, const rocksdb_readoptions_t *options,
                                   uint8_t keyspace, struct get_batch *batch,
                                   struct slice *ret_values) {
    struct rocksdb_store *store = rocksdb_of_txn(&txn->base);
    rocksdb_pinnableslice_t *values[BATCHED_GET_MAX];
    char *texts[BATCHED_GET_MAX];
    rocks.batched_multi_get_cf(store->db, options, store->keyspaces[keyspace], batch->count,
                               batch->keys, batch->lens, values, texts, false);
    struct error *error = NULL;
    for (size_t i = 0; i < batch->count; i++) {
        if (texts[i] != NULL)
            error = rocksdb_error(txn->base.arena, reading, texts[i]);
        ret_values[batch->places[i]] = txn_pin(txn, values[i]);
    }
    batch->count = 0;
    return error;
}

static struct error *get_batched(struct rocksdb_txn *txn, const rocksdb_readoptions_t *options,
                                 size_t count, const struct store_key *keys,
                                 struct slice *ret_values) {
    struct get_batch batch = {.count = 0};
    for (uint8_t keyspace = 0; keyspace < txn->base.store->keyspace_count; keyspace++) {
        for (size_t i = 0; i < count; i++) {
            if (keys[i].keyspace != keyspace)
                continue;
            batch.keys[batch.count] = (const char *)keys[i].key.data;
            batch.lens[batch.count] = keys[i].key.len;
            batch.places[batch.count] = i;
            if (++batch.count == BATCHED_GET_MAX)
                TRY(get_batch_run(txn, options, keyspace, &batch, ret_values));
        }
        if (batch.count > 0)
            TRY(get_batch_run(txn, options, keyspace, &batch, ret_values));
    }
    return NULL;
}

struct error *rocksdb_txn_get_many(struct store_txn *base, size_t count,
                                   const struct store_key *keys, struct slice *ret_values) {
    struct rocksdb_txn *txn = container_of(base, struct rocksdb_txn, base);
    const rocksdb_readoptions_t *options =
        txn_snapshot(txn) != NULL ? txn->read_at : rocksdb_of_txn(base)->read_latest;
    if (count >= BATCHED_GET_MIN)
        return get_batched(txn, options, count, keys, ret_values);
    for (size_t i = 0; i < count; i++)
        TRY(get_one(txn, options, &keys[i], &ret_values[i]));
    return NULL;
}

struct error *rocksdb_scan_open(struct store_txn *base, const struct store_range *range,
                                bool reverse, struct store_scan **ret_scan) {
    struct rocksdb_store *store = rocksdb_of_txn(base);
    const rocksdb_snapshot_t *snapshot = txn_snapshot(container_of(base, struct rocksdb_txn, base));
    struct rocksdb_scan *scan = ARENA_NEW(base->arena, struct rocksdb_scan);
    scan->reverse = reverse;
    scan->first = arena_slice(base->arena, range->first);
    scan->options = rocks.readoptions_create();
    rocks.readoptions_set_snapshot(scan->options, snapshot);
    rocks.readoptions_set_background_purge_on_iterator_cleanup(scan->options, 1);
    /* Who reads a keyspace from end to end reads it once: the cache is for the others. */
    bool whole = range->first.len == 0 && !slice_present(range->last);
    rocks.readoptions_set_fill_cache(scan->options, !whole);
    if (reverse)
        rocks.readoptions_set_iterate_lower_bound(scan->options, (const char *)scan->first.data,
                                                  scan->first.len);
    if (slice_present(range->last)) {
        struct slice last = arena_slice(base->arena, range->last);
        rocks.readoptions_set_iterate_upper_bound(scan->options, (const char *)last.data, last.len);
    }
    scan->iterator =
        rocks.create_iterator_cf(store->db, scan->options, store->keyspaces[range->keyspace]);
    *ret_scan = &scan->base;
    return NULL;
}

static void scan_move(struct rocksdb_scan *scan) {
    bool started = scan->started;
    scan->started = true;
    if (scan->reverse && started)
        rocks.iter_prev(scan->iterator);
    else if (scan->reverse)
        rocks.iter_seek_to_last(scan->iterator);
    else if (started)
        rocks.iter_next(scan->iterator);
    else
        rocks.iter_seek(scan->iterator, (const char *)scan->first.data, scan->first.len);
}

struct error *rocksdb_scan_next(struct store_scan *base, bool *ret_found, struct slice *ret_key,
                                struct slice *ret_value) {
    struct rocksdb_scan *scan = container_of(base, struct rocksdb_scan, base);
    if (!scan->started || rocks.iter_valid(scan->iterator))
        scan_move(scan);
    if (!rocks.iter_valid(scan->iterator)) {
        char *text = NULL;
        rocks.iter_get_error(scan->iterator, &text);
        if (text != NULL)
            return rocksdb_error(base->txn->arena, reading, text);
        *ret_found = false;
        return NULL;
    }
    size_t len;
    const char *data = rocks.iter_key(scan->iterator, &len);
    *ret_key = slice_of(data, len);
    data = rocks.iter_value(scan->iterator, &len);
    *ret_value = len == 0 ? SLICE_LITERAL("") : slice_of(data, len);
    *ret_found = true;
    return NULL;
}

void rocksdb_scan_close(struct store_scan *base) {
    struct rocksdb_scan *scan = container_of(base, struct rocksdb_scan, base);
    rocks.iter_destroy(scan->iterator);
    rocks.readoptions_destroy(scan->options);
}
