/* memory.c - the memory engine behind the seam: transactions over versions and trees.
 *
 * A reader pins the current version at its first read and holds it until it ends, which keeps its
 * slices alive; it takes no lock after that. The writer edits copies of the roots as its puts come
 * (nobody can see them) and commits by publishing them; ending without a commit abandons them.
 * A snapshot is a version that stays pinned, and keeps what the store is made of also when that is
 * closed; a store that begins as one shares its objects, and holds it in turn.
 * Memory: transactions and scans live in the caller's arena, data in malloc'ed objects.
 * Threads: readers anywhere; `edit` and `roots` belong to the one writer. */
#include "store/memory/memory.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "store/memory/versions.h"

struct memory_store {
    struct store base;
    atomic_size_t holders;            /* whoever opened it, and its snapshots */
    struct memory_snapshot *began_as; /* NULL: empty */
    struct versions versions;
    struct tree_edit edit; /* of the open write transaction, version 0 before its first write */
    struct node *roots[STORE_KEYSPACES_MAX];
};

struct memory_snapshot {
    atomic_size_t references;
    struct memory_store *store;
    struct version *version; /* pinned */
};

struct memory_txn {
    struct store_txn base;
    struct version *version; /* pinned at the first read */
};

struct memory_scan {
    struct store_scan base;
    bool reverse;
    struct slice bound; /* where to stop; forward: absent for none */
    struct cursor cursor;
};

static struct memory_store *memory_of(struct store *store) {
    return container_of(store, struct memory_store, base);
}

static void let_go(struct memory_store *memory) {
    if (atomic_fetch_sub_explicit(&memory->holders, 1, memory_order_acq_rel) > 1)
        return;
    versions_release(&memory->versions);
    memory_snapshot_unref(memory->began_as);
    free(memory);
}

static void memory_close(struct store *store) {
    struct memory_store *memory = memory_of(store);
    versions_clear(&memory->versions); /* but for what snapshots hold */
    let_go(memory);
}

static struct error *memory_begin(struct store *store, struct arena *arena, enum store_mode mode,
                                  struct store_txn **ret_txn) {
    (void)store;
    (void)mode;
    struct memory_txn *txn = arena_alloc(arena, sizeof(*txn));
    txn->version = NULL;
    *ret_txn = &txn->base;
    return NULL;
}

static void edit_forget(struct memory_store *memory) {
    memory->edit = (struct tree_edit){0};
}

/* Puts back what the edit touched: its own objects go, and those it retired live on. */
static void edit_abandon(struct memory_store *memory) {
    for (size_t i = 0; i < STORE_KEYSPACES_MAX; i++)
        tree_abandon(&memory->edit, memory->roots[i]);
    for (struct object *object = memory->edit.retired.first; object != NULL; object = object->next)
        object->whole = false;
    edit_forget(memory);
}

static void memory_end(struct store_txn *base) {
    struct memory_txn *txn = container_of(base, struct memory_txn, base);
    struct memory_store *memory = memory_of(base->store);
    if (txn->version != NULL)
        version_unpin(txn->version);
    if (base->mode == STORE_WRITE && memory->edit.version != 0)
        edit_abandon(memory);
}

static const struct version *txn_version(struct store_txn *base) {
    struct memory_txn *txn = container_of(base, struct memory_txn, base);
    if (txn->version == NULL)
        txn->version = versions_pin(&memory_of(base->store)->versions);
    return txn->version;
}

static struct error *memory_get_many(struct store_txn *txn, size_t count,
                                     const struct store_key *keys, struct slice *ret_values) {
    const struct version *version = txn_version(txn);
    for (size_t i = 0; i < count; i++) {
        const struct record *record = tree_find(version->roots[keys[i].keyspace], keys[i].key);
        ret_values[i] = record == NULL ? SLICE_NONE : record_value(record);
    }
    return NULL;
}

static struct error *memory_scan_open(struct store_txn *txn, const struct store_range *range,
                                      bool reverse, struct store_scan **ret_scan) {
    const struct version *version = txn_version(txn);
    struct memory_scan *scan = arena_alloc(txn->arena, sizeof(*scan));
    struct slice bound = reverse ? range->first : range->last;
    scan->reverse = reverse;
    scan->bound = slice_present(bound) ? arena_slice(txn->arena, bound) : SLICE_NONE;
    cursor_seek(&scan->cursor, version->roots[range->keyspace],
                reverse ? range->last : range->first);
    *ret_scan = &scan->base;
    return NULL;
}

static const struct record *scan_step(struct memory_scan *scan) {
    const struct record *record =
        scan->reverse ? cursor_take_previous(&scan->cursor) : cursor_take_next(&scan->cursor);
    if (record == NULL || !slice_present(scan->bound))
        return record;
    int order = slice_compare(record_key(record), scan->bound);
    if (scan->reverse ? order >= 0 : order < 0)
        return record;
    scan->cursor.depth = 0; /* stays at its end */
    return NULL;
}

static struct error *memory_scan_next(struct store_scan *base, bool *ret_found,
                                      struct slice *ret_key, struct slice *ret_value) {
    const struct record *record = scan_step(container_of(base, struct memory_scan, base));
    *ret_found = record != NULL;
    if (record != NULL) {
        *ret_key = record_key(record);
        *ret_value = record_value(record);
    }
    return NULL;
}

static void memory_scan_close(struct store_scan *scan) {
    (void)scan;
}

/* The writer's copy of the roots, made at its first write. */
static struct tree_edit *txn_edit(struct store_txn *txn) {
    struct memory_store *memory = memory_of(txn->store);
    if (memory->edit.version == 0) {
        const struct version *current = memory->versions.current;
        memory->edit =
            (struct tree_edit){.version = current->number + 1, .shared = memory->versions.shared};
        memcpy(memory->roots, current->roots, sizeof(memory->roots));
    }
    return &memory->edit;
}

static void memory_put(struct store_txn *txn, const struct store_key *key, struct slice value) {
    tree_put(txn_edit(txn), &memory_of(txn->store)->roots[key->keyspace], key->key, value);
}

static void memory_remove(struct store_txn *txn, const struct store_key *key) {
    tree_remove(txn_edit(txn), &memory_of(txn->store)->roots[key->keyspace], key->key);
}

static void memory_remove_range(struct store_txn *txn, const struct store_range *range) {
    tree_remove_range(txn_edit(txn), &memory_of(txn->store)->roots[range->keyspace], range->first,
                      range->last);
}

static struct error *memory_commit(struct store_txn *txn, enum store_durability durability,
                                   enum store_outcome *ret_outcome) {
    (void)durability;
    struct memory_store *memory = memory_of(txn->store);
    if (memory->edit.version != 0) {
        versions_publish(&memory->versions, &memory->edit, memory->roots);
        edit_forget(memory);
    }
    *ret_outcome = STORE_COMMITTED;
    return NULL;
}

static struct error *memory_sync(struct store *store, struct arena *arena) {
    (void)store;
    (void)arena;
    return NULL;
}

static const struct store_engine memory_engine = {
    .name = "memory",
    .capabilities = 0,
    .close = memory_close,
    .begin = memory_begin,
    .end = memory_end,
    .get_many = memory_get_many,
    .scan_open = memory_scan_open,
    .scan_next = memory_scan_next,
    .scan_close = memory_scan_close,
    .put = memory_put,
    .remove = memory_remove,
    .remove_range = memory_remove_range,
    .commit = memory_commit,
    .sync = memory_sync,
};

static struct memory_store *memory_new(size_t keyspace_count) {
    struct memory_store *memory = calloc(1, sizeof(*memory));
    CHECK(memory != NULL);
    store_init(&memory->base, &memory_engine, keyspace_count);
    atomic_init(&memory->holders, 1);
    return memory;
}

struct error *memory_store_open(struct arena *arena, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store) {
    (void)arena;
    (void)keyspaces;
    struct memory_store *memory = memory_new(count);
    versions_init(&memory->versions);
    *ret_store = &memory->base;
    return NULL;
}

/* ---- snapshots ---- */

struct memory_snapshot *memory_store_snapshot(struct store *store) {
    struct memory_store *memory = memory_of(store);
    struct memory_snapshot *snapshot = malloc(sizeof(*snapshot));
    CHECK(snapshot != NULL && store->engine == &memory_engine);
    atomic_init(&snapshot->references, 1);
    atomic_fetch_add_explicit(&memory->holders, 1, memory_order_relaxed);
    snapshot->store = memory;
    snapshot->version = versions_pin(&memory->versions);
    return snapshot;
}

struct memory_snapshot *memory_snapshot_ref(struct memory_snapshot *snapshot) {
    atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
    return snapshot;
}

/* As deep as snapshots of stores that began as snapshots are. */
void memory_snapshot_unref(struct memory_snapshot *snapshot) {
    if (snapshot == NULL ||
        atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) > 1)
        return;
    version_unpin(snapshot->version);
    let_go(snapshot->store);
    free(snapshot);
}

struct store *memory_store_fork(struct memory_snapshot *snapshot) {
    struct memory_store *memory = memory_new(snapshot->store->base.keyspace_count);
    memory->began_as = memory_snapshot_ref(snapshot);
    versions_init_from(&memory->versions, snapshot->version);
    return &memory->base;
}
