/* writer.c - commits numbered batches to a store on a disk that may fail, and says what came of it.
 *
 *   writer write DIR FIRST COUNT   prints a line for each batch: "done N" or "failed N: why"
 *   writer check DIR LAST          prints "N keys" for each batch up to LAST that has any
 *
 * Each batch puts keys in every keyspace and deletes those of an older batch, with buffers so small
 * that it is flushed and compacted all the time. When the store does not open it prints
 * "refused: why" and ends with status 3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "store/rocksdb/rocksdb.h"

enum { KEYSPACES = 2, BATCH_KEYS = 12, BATCHES_KEPT = 50, VALUE_BYTES = 1500 };

static const struct store_keyspace keyspaces[KEYSPACES] = {{.name = "first", .point_reads = true},
                                                           {.name = "second"}};

static struct store *open_store(struct arena *arena, const char *directory) {
    struct rocksdb_store_options options = {
        .directory = directory, .create = true, .write_buffer_bytes = 128 * 1024};
    struct store *store = NULL;
    struct error *error = rocksdb_store_open(arena, &options, keyspaces, KEYSPACES, &store);
    if (error == NULL)
        return store;
    printf("refused: %.*s\n", SLICE_ARGS(error->message));
    exit(3);
}

static struct store_key batch_key(struct arena *arena, unsigned batch, unsigned i) {
    /* Scattered, so that files overlap and are merged. */
    return (struct store_key){(uint8_t)(i % KEYSPACES),
                              arena_printf(arena, "%02u-%08u", i, batch * 2654435761u)};
}

static struct error *commit_batch(struct store *store, struct arena *arena, unsigned batch) {
    static uint8_t value[VALUE_BYTES];
    struct store_txn *txn;
    enum store_outcome outcome;
    for (size_t i = 0; i < sizeof(value); i++)
        value[i] = (uint8_t)(batch * 31 + i * 7 % 251);
    TRY(store_begin(store, arena, STORE_WRITE, &txn));
    for (unsigned i = 0; i < BATCH_KEYS; i++) {
        struct store_key key = batch_key(arena, batch, i);
        store_put(txn, &key, slice_of(value, sizeof(value)));
        if (batch > BATCHES_KEPT) {
            key = batch_key(arena, batch - BATCHES_KEPT, i);
            store_delete(txn, &key);
        }
    }
    struct error *error = store_commit(txn, STORE_DURABLE, &outcome);
    CHECK(error != NULL || outcome == STORE_COMMITTED);
    store_end(txn);
    return error;
}

static void write_batches(const char *directory, unsigned first, unsigned count) {
    struct arena arena;
    arena_init(&arena);
    struct store *store = open_store(&arena, directory);
    for (unsigned batch = first; batch < first + count; batch++) {
        struct error *error = commit_batch(store, &arena, batch);
        if (error == NULL)
            printf("done %u\n", batch);
        else
            printf("failed %u: %.*s\n", batch, SLICE_ARGS(error->message));
        fflush(stdout);
        arena_reset(&arena);
    }
    store_close(store);
    arena_release(&arena);
}

static unsigned keys_of_batch(struct store_txn *txn, struct arena *arena, unsigned batch) {
    struct store_key keys[BATCH_KEYS];
    struct slice values[BATCH_KEYS];
    unsigned found = 0;
    for (unsigned i = 0; i < BATCH_KEYS; i++)
        keys[i] = batch_key(arena, batch, i);
    struct error *error = store_get_many(txn, BATCH_KEYS, keys, values);
    if (error != NULL) {
        printf("unreadable: %.*s\n", SLICE_ARGS(error->message));
        exit(4);
    }
    for (unsigned i = 0; i < BATCH_KEYS; i++)
        found += slice_present(values[i]) && values[i].len == VALUE_BYTES &&
                 values[i].data[0] == (uint8_t)(batch * 31);
    return found;
}

static void check_batches(const char *directory, unsigned last) {
    struct arena arena;
    struct store_txn *txn;
    arena_init(&arena);
    struct store *store = open_store(&arena, directory);
    CHECK(store_begin(store, &arena, STORE_READ, &txn) == NULL);
    for (unsigned batch = 1; batch <= last; batch++) {
        unsigned found = keys_of_batch(txn, &arena, batch);
        if (found > 0)
            printf("%u %u\n", batch, found);
    }
    store_end(txn);
    store_close(store);
    arena_release(&arena);
}

int main(int count, char **arguments) {
    if (count == 5 && strcmp(arguments[1], "write") == 0)
        write_batches(arguments[2], (unsigned)atoi(arguments[3]), (unsigned)atoi(arguments[4]));
    else if (count == 4 && strcmp(arguments[1], "check") == 0)
        check_batches(arguments[2], (unsigned)atoi(arguments[3]));
    else
        return 2;
    return 0;
}
