/* test_snapshot.c - stores in memory that begin as snapshots of each other: whatever becomes of one
 * of them, the others hold what plain copies of them do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "store/copy.h"
#include "store/memory/memory.h"

enum { KEYSPACES = 2, STORES = 6, SNAPSHOTS = 6, ROUNDS = 1500, KEYS = 3000 };

static const struct store_keyspace keyspaces[KEYSPACES] = {{.name = "one"}, {.name = "two"}};

/* A store, and a copy that shares nothing with it and is told the same. */
struct pair {
    struct store *store;
    struct store *copy;
};

struct kept {
    struct memory_snapshot *snapshot;
    struct store *copy;
};

struct family {
    struct arena arena;
    struct pair stores[STORES];
    struct kept snapshots[SNAPSHOTS];
};

static struct store *plain(struct family *family) {
    struct store *store = NULL;
    assert_null(memory_store_open(&family->arena, keyspaces, KEYSPACES, &store));
    return store;
}

static struct store *copy_of(struct family *family, struct store *store) {
    struct copy_options options = {.from = store, .to = plain(family)};
    struct copy_totals totals;
    assert_null(store_copy(&family->arena, &options, &totals));
    return options.to;
}

static void compare(struct family *family, struct store *one, struct store *other) {
    struct copy_options options = {.from = one, .to = other};
    struct copy_totals totals;
    assert_null(store_compare(&family->arena, &options, &totals));
}

static struct store_key key_at(char (*text)[16], uint64_t number) {
    snprintf(*text, sizeof(*text), "key-%08llu", (unsigned long long)(number % KEYS));
    return (struct store_key){(uint8_t)(number % KEYSPACES), slice_text(*text)};
}

static void write_some(struct store_txn *txn, uint64_t seed) {
    char first[16], last[16], value[32];
    for (uint64_t i = 0; i < 40; i++) {
        struct store_key key = key_at(&first, (seed >> 8) * 7 + i * i * 31);
        snprintf(value, sizeof(value), "%llu", (unsigned long long)(seed + i));
        if ((seed + i) % 4 == 0)
            store_delete(txn, &key);
        else
            store_put(txn, &key, slice_text(value));
    }
    if (seed % 8 == 0) {
        struct store_key from = key_at(&first, seed >> 8), to = key_at(&last, (seed >> 8) + 300);
        store_delete_range(txn, &(struct store_range){from.keyspace, from.key, to.key});
    }
}

static void write_to(struct family *family, struct store *store, uint64_t seed) {
    struct store_txn *txn;
    enum store_outcome outcome;
    assert_null(store_begin(store, &family->arena, STORE_WRITE, &txn));
    write_some(txn, seed);
    if (seed % 5 != 0)
        assert_null(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
}

static void drop_snapshot(struct kept *kept) {
    memory_snapshot_unref(kept->snapshot);
    store_close(kept->copy);
    *kept = (struct kept){0};
}

static void drop_store(struct pair *pair) {
    store_close(pair->store);
    store_close(pair->copy);
    *pair = (struct pair){0};
}

/* One of: a store more, as a snapshot or empty; a store less; a snapshot; writes, mostly. */
static void happen(struct family *family, uint64_t seed) {
    struct pair *pair = &family->stores[seed % STORES];
    struct kept *kept = &family->snapshots[(seed >> 8) % SNAPSHOTS];
    unsigned what = (seed >> 16) % 16;
    if (pair->store == NULL) {
        pair->store = kept->snapshot == NULL ? plain(family) : memory_store_fork(kept->snapshot);
        pair->copy = kept->snapshot == NULL ? plain(family) : copy_of(family, kept->copy);
    } else if (what == 0) {
        drop_store(pair);
    } else if (what == 1) {
        drop_snapshot(kept);
        *kept = (struct kept){memory_store_snapshot(pair->store), copy_of(family, pair->copy)};
    } else if (what == 2) {
        drop_snapshot(kept);
    } else {
        write_to(family, pair->store, seed >> 20);
        write_to(family, pair->copy, seed >> 20);
    }
}

static void check_all(struct family *family) {
    for (size_t i = 0; i < STORES; i++)
        if (family->stores[i].store != NULL)
            compare(family, family->stores[i].store, family->stores[i].copy);
    for (size_t i = 0; i < SNAPSHOTS; i++)
        if (family->snapshots[i].snapshot != NULL) {
            struct store *store = memory_store_fork(family->snapshots[i].snapshot);
            compare(family, store, family->snapshots[i].copy);
            store_close(store);
        }
}

static void relatives_share_and_do_not_meet(void **state) {
    (void)state;
    struct family family = {0};
    uint64_t seed = 88172645463325252u;
    arena_init(&family.arena);
    for (int round = 0; round < ROUNDS; round++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        happen(&family, seed);
        if (round % 50 == 0)
            check_all(&family);
        arena_reset(&family.arena);
    }
    check_all(&family);
    for (size_t i = 0; i < STORES; i++)
        drop_store(&family.stores[i]);
    check_all(&family); /* snapshots outlive their stores */
    for (size_t i = 0; i < SNAPSHOTS; i++)
        drop_snapshot(&family.snapshots[i]);
    arena_release(&family.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(relatives_share_and_do_not_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
