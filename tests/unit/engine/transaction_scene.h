/* transaction_scene.h - the tables, actions and looks at the store of the tests of transactions.
 * Included after cmocka.h. */
#ifndef GRAMME_TESTS_TRANSACTION_SCENE_H
#define GRAMME_TESTS_TRANSACTION_SCENE_H

#include <stdlib.h>

#include "support/transaction_fixture.h"

static struct store *store; /* of the fixture; the engine owns it */
static struct transact_run run;

static inline void open_on(struct engine_fixture *f, struct store *on,
                           uint64_t collection_bytes_max) {
    struct engine_options options = fixture_options(on);
    options.clock = &fixture_clock.clock;
    options.collection_bytes_max = collection_bytes_max;
    assert_null(fixture_open_with(f, &options));
}

static inline int set_up(void **state) {
    struct engine_fixture *f = calloc(1, sizeof(*f));
    fixture_clock.now_ms = 1700000000000;
    store = fixture_store();
    open_on(f, store, 160);
    assert_null(fixture_create_table(f, "T", VALUE_NONE));
    assert_null(fixture_create_indexed(f, "I"));
    *state = f;
    return 0;
}

static inline int tear_down(void **state) {
    fixture_close(*state);
    free(*state);
    return 0;
}

#define KEY(name) "{\"pk\":{\"S\":\"" name "\"}}"
#define COUNTED(name, n) "{\"n\":{\"N\":\"" n "\"},\"pk\":{\"S\":\"" name "\"}}"
#define INDEXED(sk, g, l)                                                                       \
    "{\"g\":{\"S\":\"" g "\"},\"l\":{\"N\":\"" l "\"},\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk \
    "\"}}"
#define PUT(name) \
    { .kind = WRITE_PUT, .table = "T", .attributes = KEY(name) }
#define ADD_ONE(name)                                                                      \
    {                                                                                      \
        .kind = WRITE_UPDATE, .table = "T", .attributes = KEY(name), .update = "ADD n :n", \
        .values = "{\":n\":{\"N\":\"1\"}}"                                                 \
    }
#define END \
    { .table = NULL }

static inline const char *get(struct engine_fixture *f, const char *table, const char *key) {
    const char *json;
    assert_null(fixture_get(f, table, key, &json));
    return json;
}

static inline void assert_stats(const struct table_stats *stats, int64_t items, int64_t bytes) {
    assert_int_equal(stats->item_count, items);
    assert_int_equal(stats->size_bytes, bytes);
}

/* How many records of a keyspace begin with the byte; -1: any. */
static inline size_t count_records(enum engine_keyspace keyspace, int first) {
    struct arena arena;
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {.keyspace = (uint8_t)keyspace};
    size_t count = 0;
    arena_init(&arena);
    assert_null(store_begin(store, &arena, STORE_READ, &txn));
    assert_null(store_scan_open(txn, &all, false, &scan));
    for (bool found = true; found;) {
        struct slice key, value;
        assert_null(store_scan_next(scan, &found, &key, &value));
        count += found && (first < 0 || key.data[0] == first);
    }
    store_scan_close(scan);
    store_end(txn);
    arena_release(&arena);
    return count;
}

#endif
