/* store.c - the seam's one door: checks the rules of store.h, then hands over to the engine.
 *
 * Invariants: an engine never sees a key of a wrong size, a range whose ends have crossed, a read
 * after a write, or a second writer. Memory: none of its own. Threads: those of store.h. */
#include "store/store.h"

#include "base/check.h"

void store_init(struct store *store, const struct store_engine *engine, size_t keyspace_count) {
    CHECK(keyspace_count >= 1 && keyspace_count <= STORE_KEYSPACES_MAX);
    store->engine = engine;
    store->keyspace_count = (uint8_t)keyspace_count;
    store->groups = 1;
    store->writer = 0;
    atomic_init(&store->writing, false);
}

void store_close(struct store *store) {
    if (store == NULL)
        return;
    CHECK(!atomic_load(&store->writing));
    store->engine->close(store);
}

static void writer_enter(struct store *store) {
    CHECK(!atomic_exchange(&store->writing, true));
}

static void writer_leave(struct store *store) {
    atomic_store(&store->writing, false);
}

struct error *store_begin(struct store *store, struct arena *arena, enum store_mode mode,
                          struct store_txn **ret_txn) {
    if (mode == STORE_WRITE)
        writer_enter(store);
    struct store_txn *txn = NULL;
    struct error *error = store->engine->begin(store, arena, mode, &txn);
    if (error != NULL) {
        if (mode == STORE_WRITE)
            writer_leave(store);
        return error;
    }
    txn->store = store;
    txn->arena = arena;
    txn->mode = mode;
    txn->wrote = false;
    txn->over = false;
    txn->scans_open = 0;
    txn->groups = 0;
    *ret_txn = txn;
    return NULL;
}

void store_end(struct store_txn *txn) {
    if (txn == NULL)
        return;
    CHECK(txn->scans_open == 0);
    struct store *store = txn->store;
    bool writer = txn->mode == STORE_WRITE;
    store->engine->end(txn);
    if (writer)
        writer_leave(store);
}

static void check_may_read(const struct store_txn *txn) {
    CHECK(!txn->wrote && !txn->over);
}

static void check_may_write(const struct store_txn *txn) {
    CHECK(txn->mode == STORE_WRITE && !txn->over);
}

static void check_key(const struct store_txn *txn, const struct store_key *key) {
    CHECK(key->keyspace < txn->store->keyspace_count);
    CHECK(key->key.data != NULL && key->key.len >= 1 && key->key.len <= STORE_KEY_MAX);
}

/* With a present `first`, and `last` not before it. */
static struct store_range range_normalise(const struct store *store,
                                          const struct store_range *range) {
    struct store_range normal = *range;
    CHECK(normal.keyspace < store->keyspace_count);
    CHECK(normal.first.len <= STORE_BOUND_MAX && normal.last.len <= STORE_BOUND_MAX);
    if (!slice_present(normal.first))
        normal.first = SLICE_LITERAL("");
    if (slice_present(normal.last) && slice_compare(normal.last, normal.first) < 0)
        normal.last = normal.first;
    return normal;
}

struct error *store_get_many(struct store_txn *txn, size_t count, const struct store_key *keys,
                             struct slice *ret_values) {
    check_may_read(txn);
    for (size_t i = 0; i < count; i++)
        check_key(txn, &keys[i]);
    if (count == 0)
        return NULL;
    return txn->store->engine->get_many(txn, count, keys, ret_values);
}

void store_get_many_start(struct store_txn *txn, struct store_fetch *fetch) {
    check_may_read(txn);
    CHECK(txn->mode != STORE_WRITE && fetch->count > 0);
    for (size_t i = 0; i < fetch->count; i++) {
        check_key(txn, &fetch->keys[i]);
        CHECK(fetch->keys[i].keyspace == fetch->keys[0].keyspace);
    }
    const struct store_engine *engine = txn->store->engine;
    txn->over = true;
    fetch->txn = txn;
    fetch->error = NULL;
    if (engine->get_many_start != NULL) {
        engine->get_many_start(fetch);
        return;
    }
    fetch->error = engine->get_many(txn, fetch->count, fetch->keys, fetch->values);
    fetch->done(fetch);
}

struct error *store_scan_open(struct store_txn *txn, const struct store_range *range, bool reverse,
                              struct store_scan **ret_scan) {
    check_may_read(txn);
    struct store_range normal = range_normalise(txn->store, range);
    struct store_scan *scan = NULL;
    TRY(txn->store->engine->scan_open(txn, &normal, reverse, &scan));
    scan->txn = txn;
    txn->scans_open++;
    *ret_scan = scan;
    return NULL;
}

struct error *store_scan_next(struct store_scan *scan, bool *ret_found, struct slice *ret_key,
                              struct slice *ret_value) {
    check_may_read(scan->txn);
    return scan->txn->store->engine->scan_next(scan, ret_found, ret_key, ret_value);
}

void store_scan_close(struct store_scan *scan) {
    if (scan == NULL)
        return;
    CHECK(scan->txn->scans_open > 0);
    scan->txn->scans_open--;
    scan->txn->store->engine->scan_close(scan);
}

void store_put(struct store_txn *txn, const struct store_key *key, struct slice value) {
    check_may_write(txn);
    check_key(txn, key);
    CHECK(slice_present(value) && value.len <= UINT32_MAX);
    txn->wrote = true;
    txn->store->engine->put(txn, key, value);
}

void store_delete(struct store_txn *txn, const struct store_key *key) {
    check_may_write(txn);
    check_key(txn, key);
    txn->wrote = true;
    txn->store->engine->remove(txn, key);
}

typedef void remove_call(struct store_txn *txn, const struct store_range *range);

static void remove_by(struct store_txn *txn, const struct store_range *range, remove_call *call) {
    check_may_write(txn);
    struct store_range normal = range_normalise(txn->store, range);
    txn->wrote = true;
    if (slice_present(normal.last) && slice_equal(normal.first, normal.last))
        return;
    call(txn, &normal);
}

void store_delete_range(struct store_txn *txn, const struct store_range *range) {
    remove_by(txn, range, txn->store->engine->remove_range);
}

void store_drop_range(struct store_txn *txn, const struct store_range *range) {
    const struct store_engine *engine = txn->store->engine;
    remove_by(txn, range, engine->drop_range == NULL ? engine->remove_range : engine->drop_range);
}

struct error *store_commit(struct store_txn *txn, enum store_durability durability,
                           enum store_outcome *ret_outcome) {
    check_may_write(txn);
    txn->over = true;
    return txn->store->engine->commit(txn, durability, ret_outcome);
}

struct error *store_hold(struct store_txn *txn, enum store_held *ret_held) {
    check_may_write(txn);
    check_may_read(txn);
    *ret_held = STORE_HELD_SAME;
    return txn->store->groups == 1 ? NULL : txn->store->engine->hold(txn, ret_held);
}

struct error *store_lead(struct store *store, struct arena *arena, uint32_t wait_ms,
                         bool *ret_leads) {
    CHECK(!atomic_load(&store->writing));
    *ret_leads = true;
    return store->engine->lead == NULL ? NULL
                                       : store->engine->lead(store, arena, wait_ms, ret_leads);
}

bool store_leads(struct store *store) {
    return store->engine->leads == NULL || store->engine->leads(store);
}

void store_maintain(struct store *store) {
    if (store->engine->maintain != NULL)
        store->engine->maintain(store);
}

struct error *store_changes(struct store *store, struct arena *arena, uint64_t *ret_number) {
    *ret_number = 0;
    return store->engine->changes == NULL ? NULL : store->engine->changes(store, arena, ret_number);
}

struct error *store_sync(struct store *store, struct arena *arena) {
    return store->engine->sync(store, arena);
}

struct error *store_reclaim(struct store *store, struct arena *arena,
                            const struct store_range *range, uint64_t *moment, bool *ret_done) {
    struct store_range normal = range_normalise(store, range);
    *ret_done = true;
    if (store->engine->reclaim == NULL)
        return NULL;
    return store->engine->reclaim(store, arena, &normal, moment, ret_done);
}

size_t store_statistics(struct store *store, struct arena *arena,
                        struct store_statistic ret_list[STORE_STATISTICS_MAX]) {
    return store->engine->statistics == NULL ? 0
                                             : store->engine->statistics(store, arena, ret_list);
}
