/* shared_store.c - hands every call on; those who write wait for each other.
 *
 * Memory: transactions and scans live in the caller's arena beside those they wrap.
 * Threads: any. */
#include "support/shared_store.h"
#include "base/container.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"

struct shared {
    struct store *inner;
    pthread_mutex_t writer; /* held from begin to end */
    atomic_uint handles;
};

struct handle {
    struct store base;
    struct shared *shared;
};

struct shared_txn {
    struct store_txn base;
    struct store_txn *inner;
};

struct shared_scan {
    struct store_scan base;
    struct store_scan *inner;
};

static struct shared *shared_of(struct store *store) {
    return container_of(store, struct handle, base)->shared;
}

static struct store_txn *inner_txn(struct store_txn *txn) {
    return container_of(txn, struct shared_txn, base)->inner;
}

static struct store_scan *inner_scan(struct store_scan *scan) {
    return container_of(scan, struct shared_scan, base)->inner;
}

static void shared_close(struct store *store) {
    struct shared *shared = shared_of(store);
    free(container_of(store, struct handle, base));
    if (atomic_fetch_sub(&shared->handles, 1) != 1)
        return;
    store_close(shared->inner);
    pthread_mutex_destroy(&shared->writer);
    free(shared);
}

static struct error *shared_begin(struct store *store, struct arena *arena, enum store_mode mode,
                                  struct store_txn **ret_txn) {
    struct shared *shared = shared_of(store);
    struct shared_txn *txn = ARENA_NEW(arena, struct shared_txn);
    if (mode == STORE_WRITE)
        pthread_mutex_lock(&shared->writer);
    struct error *error = store_begin(shared->inner, arena, mode, &txn->inner);
    if (error != NULL && mode == STORE_WRITE)
        pthread_mutex_unlock(&shared->writer);
    *ret_txn = &txn->base;
    return error;
}

static void shared_end(struct store_txn *txn) {
    store_end(inner_txn(txn));
    if (txn->mode == STORE_WRITE)
        pthread_mutex_unlock(&shared_of(txn->store)->writer);
}

static struct error *shared_get_many(struct store_txn *txn, size_t count,
                                     const struct store_key *keys, struct slice *ret_values) {
    return store_get_many(inner_txn(txn), count, keys, ret_values);
}

static struct error *shared_scan_open(struct store_txn *txn, const struct store_range *range,
                                      bool reverse, struct store_scan **ret_scan) {
    struct shared_scan *scan = ARENA_NEW(txn->arena, struct shared_scan);
    TRY(store_scan_open(inner_txn(txn), range, reverse, &scan->inner));
    *ret_scan = &scan->base;
    return NULL;
}

static struct error *shared_scan_next(struct store_scan *scan, bool *ret_found,
                                      struct slice *ret_key, struct slice *ret_value) {
    return store_scan_next(inner_scan(scan), ret_found, ret_key, ret_value);
}

static void shared_scan_close(struct store_scan *scan) {
    store_scan_close(inner_scan(scan));
}

static void shared_put(struct store_txn *txn, const struct store_key *key, struct slice value) {
    store_put(inner_txn(txn), key, value);
}

static void shared_remove(struct store_txn *txn, const struct store_key *key) {
    store_delete(inner_txn(txn), key);
}

static void shared_remove_range(struct store_txn *txn, const struct store_range *range) {
    store_delete_range(inner_txn(txn), range);
}

static struct error *shared_commit(struct store_txn *txn, enum store_durability durability,
                                   enum store_outcome *ret_outcome) {
    return store_commit(inner_txn(txn), durability, ret_outcome);
}

static struct error *shared_sync(struct store *store, struct arena *arena) {
    return store_sync(shared_of(store)->inner, arena);
}

static const struct store_engine shared_engine = {
    .name = "shared",
    .close = shared_close,
    .begin = shared_begin,
    .end = shared_end,
    .get_many = shared_get_many,
    .scan_open = shared_scan_open,
    .scan_next = shared_scan_next,
    .scan_close = shared_scan_close,
    .put = shared_put,
    .remove = shared_remove,
    .remove_range = shared_remove_range,
    .commit = shared_commit,
    .sync = shared_sync,
};

static struct store *handle_new(struct shared *shared) {
    struct handle *handle = calloc(1, sizeof(*handle));
    CHECK(handle != NULL);
    handle->shared = shared;
    atomic_fetch_add(&shared->handles, 1);
    store_init(&handle->base, &shared_engine, shared->inner->keyspace_count);
    return &handle->base;
}

struct store *shared_store_new(struct store *inner) {
    struct shared *shared = calloc(1, sizeof(*shared));
    CHECK(shared != NULL);
    shared->inner = inner;
    pthread_mutex_init(&shared->writer, NULL);
    return handle_new(shared);
}

struct store *shared_store_again(struct store *handle) {
    CHECK(handle->engine == &shared_engine);
    return handle_new(shared_of(handle));
}
