/* dump_fixture.c - stores with known contents, dumps in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/container.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"
#include "support/dump_fixture.h"

const struct store_keyspace dump_keyspaces[DUMP_KEYSPACES] = {{.name = "one"}, {.name = "two"}};

/* ---- ends in memory ---- */

static struct error *memory_write(struct dump_sink *base, struct arena *arena, struct slice bytes) {
    struct memory_sink *sink = container_of(base, struct memory_sink, base);
    if (++sink->calls == sink->fail_at)
        return error_local(arena, "the sink is full");
    buffer_append_slice(&sink->bytes, bytes);
    return NULL;
}

struct error *memory_source_read(struct dump_source *base, struct arena *arena, void *bytes,
                                 size_t size, size_t *ret_len) {
    (void)arena;
    struct memory_source *source = container_of(base, struct memory_source, base);
    size_t len = size < source->step_max ? size : source->step_max;
    len = len < source->bytes.len ? len : source->bytes.len;
    memcpy(bytes, source->bytes.data, len);
    source->bytes = slice_skip(source->bytes, len);
    *ret_len = len;
    return NULL;
}

/* ---- stores ---- */

int dump_setup(void **state) {
    struct dump_fixture *fixture = calloc(1, sizeof(*fixture));
    arena_init(&fixture->arena);
    fixture->sink.base.write = memory_write;
    buffer_init(&fixture->sink.bytes, 64 << 20);
    snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/test_dump.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    *state = fixture;
    return 0;
}

int dump_teardown(void **state) {
    struct dump_fixture *fixture = *state;
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", fixture->directory);
    assert_int_equal(system(command), 0);
    buffer_release(&fixture->sink.bytes);
    arena_release(&fixture->arena);
    free(fixture);
    return 0;
}

struct store *dump_memory_store(struct dump_fixture *fixture) {
    struct store *store = NULL;
    assert_null(memory_store_open(&fixture->arena, dump_keyspaces, DUMP_KEYSPACES, &store));
    return store;
}

struct store *dump_rocksdb_store(struct dump_fixture *fixture, const char *name) {
    struct store *store = NULL;
    struct slice path = arena_printf(&fixture->arena, "%s/%s", fixture->directory, name);
    struct rocksdb_store_options options = {.directory = (const char *)path.data, .create = true};
    assert_null(
        rocksdb_store_open(&fixture->arena, &options, dump_keyspaces, DUMP_KEYSPACES, &store));
    return store;
}

static void put(struct dump_fixture *fixture, struct store *store, uint8_t keyspace,
                struct slice key, struct slice value) {
    struct store_txn *txn = NULL;
    struct store_key at = {keyspace, key};
    enum store_outcome outcome;
    assert_null(store_begin(store, &fixture->arena, STORE_WRITE, &txn));
    store_put(txn, &at, value);
    assert_null(store_commit(txn, STORE_RELAXED, &outcome));
    store_end(txn);
}

void dump_put(struct dump_fixture *fixture, struct store *store, uint8_t keyspace, const char *key,
              const char *value) {
    put(fixture, store, keyspace, slice_text(key), slice_text(value));
}

void dump_fill_small(struct dump_fixture *fixture, struct store *store) {
    dump_put(fixture, store, 0, "a", "");
    dump_put(fixture, store, 0, "aardvark", "animal");
    dump_put(fixture, store, 0, "aardwolf", "animal");
    dump_put(fixture, store, 1, "a", "again");
    put(fixture, store, 1, SLICE_LITERAL("\0"), SLICE_LITERAL("\0\xff"));
}

void dump_fill_large(struct dump_fixture *fixture, struct store *store) {
    static uint8_t bytes[410 * 1024];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 56);
    for (size_t i = 0; i < 12; i++)
        put(fixture, store, 0, slice_of(bytes + i * 100, STORE_KEY_MAX),
            slice_of(bytes + i, sizeof(bytes) - i));
    for (size_t i = 0; i < 5000; i++) {
        struct slice key = arena_printf(&fixture->arena, "key %06zu", i);
        put(fixture, store, 1, key, slice_of(bytes + i, i % 700));
    }
}

/* ---- the calls under test ---- */

struct error *dump_try(struct dump_fixture *fixture, struct store *store,
                       struct dump_summary *ret_summary) {
    struct dump_write_options options = {
        .store = store,
        .keyspaces = dump_keyspaces,
        .keyspace_count = DUMP_KEYSPACES,
        .program = "test 1",
        .now_ms = DUMP_NOW_MS,
        .sink = &fixture->sink.base,
        .progress = fixture->progress,
    };
    buffer_reset(&fixture->sink.bytes);
    fixture->sink.calls = 0;
    return dump_write(&fixture->arena, &options, ret_summary);
}

struct slice dump_of(struct dump_fixture *fixture, struct store *store) {
    struct dump_summary summary;
    assert_null(dump_try(fixture, store, &summary));
    assert_int_equal(summary.bytes, fixture->sink.bytes.len);
    return arena_slice(&fixture->arena, buffer_slice(&fixture->sink.bytes));
}

struct error *dump_load(struct dump_fixture *fixture, struct slice dump, struct store *store,
                        struct dump_summary *ret_summary) {
    struct memory_source source = {{memory_source_read}, dump, 100000};
    struct dump_read_options options = {
        .source = &source.base,
        .keyspaces = dump_keyspaces,
        .keyspace_count = DUMP_KEYSPACES,
        .store = store,
    };
    return dump_read(&fixture->arena, &options, ret_summary);
}

const char *dump_verdict(struct dump_fixture *fixture, struct slice dump) {
    struct dump_summary summary;
    struct error *error = dump_load(fixture, dump, NULL, &summary);
    return error == NULL ? "" : (const char *)error->message.data;
}
