/* fault.c - counts the calls that may fail, and fails the chosen one.
 *
 * Memory: the wrapper is malloc'ed; its transactions and scans live in the caller's arena beside
 * those they wrap. Threads: any that the inner store allows; the counters are atomic, so that with
 * several threads exactly one call is the n-th. */
#include "store/fault/fault.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"

struct fault_store {
    struct store base;
    struct store_engine engine; /* the functions below with the capabilities of the inner store */
    struct store *inner;
    enum fault fault;
    uint64_t n;
    atomic_uint_fast64_t calls;
    atomic_uint_fast64_t commits;
    atomic_bool fired;
};

struct fault_txn {
    struct store_txn base;
    struct store_txn *inner;
};

struct fault_scan {
    struct store_scan base;
    struct store_scan *inner;
};

static struct fault_store *fault_of(struct store *store) {
    return container_of(store, struct fault_store, base);
}

static struct store_txn *inner_txn(struct store_txn *txn) {
    return container_of(txn, struct fault_txn, base)->inner;
}

static struct store_scan *inner_scan(struct store_scan *scan) {
    return container_of(scan, struct fault_scan, base)->inner;
}

/* Counts a call; an error when it is the one to fail. */
static struct error *call_count(struct fault_store *store, struct arena *arena, const char *name) {
    uint64_t call = atomic_fetch_add(&store->calls, 1) + 1;
    bool fails = (store->fault == FAULT_ERROR && call == store->n) ||
                 (store->fault == FAULT_ERROR_FROM_HERE && call >= store->n) ||
                 (store->fault == FAULT_GONE_APPLIED && atomic_load(&store->fired));
    if (!fails)
        return NULL;
    atomic_store(&store->fired, true);
    return error_local(arena, "injected fault: call %llu, %s", (unsigned long long)call, name);
}

static void fault_close(struct store *base) {
    struct fault_store *store = fault_of(base);
    store_close(store->inner);
    free(store);
}

static struct error *fault_begin(struct store *base, struct arena *arena, enum store_mode mode,
                                 struct store_txn **ret_txn) {
    struct fault_store *store = fault_of(base);
    TRY(call_count(store, arena, "begin"));
    struct fault_txn *txn = ARENA_NEW(arena, struct fault_txn);
    TRY(store_begin(store->inner, arena, mode, &txn->inner));
    *ret_txn = &txn->base;
    return NULL;
}

static void fault_end(struct store_txn *txn) {
    store_end(inner_txn(txn));
}

static struct error *fault_get_many(struct store_txn *txn, size_t count,
                                    const struct store_key *keys, struct slice *ret_values) {
    TRY(call_count(fault_of(txn->store), txn->arena, "get_many"));
    return store_get_many(inner_txn(txn), count, keys, ret_values);
}

static struct error *fault_scan_open(struct store_txn *txn, const struct store_range *range,
                                     bool reverse, struct store_scan **ret_scan) {
    TRY(call_count(fault_of(txn->store), txn->arena, "scan_open"));
    struct fault_scan *scan = ARENA_NEW(txn->arena, struct fault_scan);
    TRY(store_scan_open(inner_txn(txn), range, reverse, &scan->inner));
    *ret_scan = &scan->base;
    return NULL;
}

static struct error *fault_scan_next(struct store_scan *scan, bool *ret_found,
                                     struct slice *ret_key, struct slice *ret_value) {
    TRY(call_count(fault_of(scan->txn->store), scan->txn->arena, "scan_next"));
    return store_scan_next(inner_scan(scan), ret_found, ret_key, ret_value);
}

static void fault_scan_close(struct store_scan *scan) {
    store_scan_close(inner_scan(scan));
}

static void fault_put(struct store_txn *txn, const struct store_key *key, struct slice value) {
    store_put(inner_txn(txn), key, value);
}

static void fault_remove(struct store_txn *txn, const struct store_key *key) {
    store_delete(inner_txn(txn), key);
}

static void fault_remove_range(struct store_txn *txn, const struct store_range *range) {
    store_delete_range(inner_txn(txn), range);
}

static void fault_drop_range(struct store_txn *txn, const struct store_range *range) {
    store_drop_range(inner_txn(txn), range);
}

/* The fault that this commit has, if any; FAULT_ERROR is call_count's. */
static enum fault commit_fault(struct fault_store *store) {
    bool chosen = atomic_fetch_add(&store->commits, 1) + 1 == store->n;
    bool outcome = store->fault == FAULT_CONFLICT || store->fault == FAULT_UNKNOWN_APPLIED ||
                   store->fault == FAULT_UNKNOWN_LOST || store->fault == FAULT_GONE_APPLIED;
    if (!chosen || !outcome)
        return FAULT_NONE;
    atomic_store(&store->fired, true);
    return store->fault;
}

static struct error *fault_commit(struct store_txn *txn, enum store_durability durability,
                                  enum store_outcome *ret_outcome) {
    struct fault_store *store = fault_of(txn->store);
    TRY(call_count(store, txn->arena, "commit"));
    enum fault fault = commit_fault(store);
    if (fault == FAULT_CONFLICT || fault == FAULT_UNKNOWN_LOST) {
        *ret_outcome = fault == FAULT_CONFLICT ? STORE_CONFLICT : STORE_UNKNOWN;
        return NULL;
    }
    TRY(store_commit(inner_txn(txn), durability, ret_outcome));
    if (fault == FAULT_UNKNOWN_APPLIED)
        *ret_outcome = STORE_UNKNOWN;
    if (fault == FAULT_GONE_APPLIED)
        return error_local(txn->arena, "injected fault: the store is gone");
    return NULL;
}

static struct error *fault_sync(struct store *base, struct arena *arena) {
    struct fault_store *store = fault_of(base);
    TRY(call_count(store, arena, "sync"));
    return store_sync(store->inner, arena);
}

static struct error *fault_lead(struct store *base, struct arena *arena, uint32_t wait_ms,
                                bool *ret_leads) {
    return store_lead(fault_of(base)->inner, arena, wait_ms, ret_leads);
}

static bool fault_leads(struct store *base) {
    return store_leads(fault_of(base)->inner);
}

static void fault_maintain(struct store *base) {
    store_maintain(fault_of(base)->inner);
}

/* Never fails, and is not counted: nobody waits for it, so it comes at any time. */
static struct error *fault_reclaim(struct store *base, struct arena *arena,
                                   const struct store_range *range, uint64_t *moment,
                                   bool *ret_done) {
    return store_reclaim(fault_of(base)->inner, arena, range, moment, ret_done);
}

static size_t fault_statistics(struct store *base, struct arena *arena,
                               struct store_statistic ret_list[STORE_STATISTICS_MAX]) {
    return store_statistics(fault_of(base)->inner, arena, ret_list);
}

static const struct store_engine fault_engine = {
    .name = "fault",
    .capabilities = STORE_CONFLICTS,
    .close = fault_close,
    .begin = fault_begin,
    .end = fault_end,
    .get_many = fault_get_many,
    .scan_open = fault_scan_open,
    .scan_next = fault_scan_next,
    .scan_close = fault_scan_close,
    .put = fault_put,
    .remove = fault_remove,
    .remove_range = fault_remove_range,
    .drop_range = fault_drop_range,
    .commit = fault_commit,
    .sync = fault_sync,
    .lead = fault_lead,
    .leads = fault_leads,
    .maintain = fault_maintain,
    .reclaim = fault_reclaim,
    .statistics = fault_statistics,
};

struct store *fault_store_new(struct store *inner) {
    struct fault_store *store = calloc(1, sizeof(*store));
    CHECK(store != NULL);
    store->engine = fault_engine;
    store->engine.capabilities |= inner->engine->capabilities;
    store->inner = inner;
    store_init(&store->base, &store->engine, inner->keyspace_count);
    return &store->base;
}

void fault_store_arm(struct store *base, enum fault fault, uint64_t n) {
    CHECK(base->engine->close == fault_close);
    struct fault_store *store = fault_of(base);
    store->fault = fault;
    store->n = n;
    atomic_store(&store->calls, 0);
    atomic_store(&store->commits, 0);
    atomic_store(&store->fired, false);
}

uint64_t fault_store_calls(const struct store *store) {
    return atomic_load(&container_of(store, const struct fault_store, base)->calls);
}

uint64_t fault_store_commits(const struct store *store) {
    return atomic_load(&container_of(store, const struct fault_store, base)->commits);
}

bool fault_store_fired(const struct store *store) {
    return atomic_load(&container_of(store, const struct fault_store, base)->fired);
}
