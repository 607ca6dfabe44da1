/* test_dump.c - dumps: what goes in comes out, on every engine, as it was at one moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/container.h"
#include "store/dump/format.h"
#include "store/memory/memory.h"
#include "support/dump_fixture.h"

static const struct store_keyspace more[] = {{.name = "zero"}, {.name = "two"}, {.name = "one"}};

static void assert_round_trip(struct dump_fixture *fixture, struct store *from, struct store *to) {
    struct dump_summary summary;
    struct slice dump = dump_of(fixture, from);
    assert_null(dump_load(fixture, dump, to, &summary));
    assert_true(slice_is(summary.program, "test 1"));
    assert_int_equal(summary.made_ms, DUMP_NOW_MS);
    assert_int_equal(summary.keyspace_count, 2);
    assert_true(slice_is(summary.names[0], "one"));
    assert_true(slice_is(summary.names[1], "two"));
    assert_int_equal(summary.bytes, dump.len);
    /* A dump is a function of what is in the store. */
    assert_true(slice_equal(dump_of(fixture, to), dump));
    store_close(from);
    store_close(to);
}

static void what_goes_in_comes_out(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture),
                 *rocksdb = dump_rocksdb_store(fixture, "small");
    dump_fill_small(fixture, store);
    dump_fill_small(fixture, rocksdb);
    assert_round_trip(fixture, store, dump_rocksdb_store(fixture, "from memory"));
    assert_round_trip(fixture, rocksdb, dump_memory_store(fixture));
}

static void an_empty_store(void **state) {
    struct dump_fixture *fixture = *state;
    struct dump_summary summary;
    struct store *store = dump_memory_store(fixture);
    assert_null(dump_load(fixture, dump_of(fixture, store), NULL, &summary));
    assert_int_equal(summary.record_count, 0);
    assert_round_trip(fixture, store, dump_memory_store(fixture));
}

static void large_values_and_long_keys(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture),
                 *rocksdb = dump_rocksdb_store(fixture, "large");
    struct dump_summary summary;
    dump_fill_large(fixture, store);
    dump_fill_large(fixture, rocksdb);
    assert_null(dump_try(fixture, store, &summary));
    assert_int_equal(summary.records[0], 12);
    assert_int_equal(summary.records[1], 5000);
    assert_int_equal(summary.record_count, 5012);
    assert_true(summary.bytes > 6 << 20);
    assert_round_trip(fixture, store, dump_rocksdb_store(fixture, "large from memory"));
    assert_round_trip(fixture, rocksdb, dump_memory_store(fixture));
}

static void the_bytes_are_those_of_the_format(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    dump_fill_small(fixture, store);
    struct slice dump = dump_of(fixture, store);
    static const uint8_t expected[] = "gramme dump\n\1\0\0\0"
                                      "H\0\0\0\x18\0\0\0\0\0\0\0\xc4\x8f\x0c\x90"
                                      "\x87\xd6\x12\0\0\0\0\0\6test 1\2\3one\3two"
                                      "R\0\0\0\x22\0\0\0\3\0\0\0\x23\x22\x07\x05"
                                      "\0\0\1\0a\1\7\6ardvarkanimal\4\4\6wolfanimal"
                                      "R\0\0\0\x10\0\0\0\2\0\0\0\x11\x22\x33\x44"
                                      "\1\0\1\2\0\0\xff\0\1\5aagain"
                                      "T\0\0\0\x18\0\0\0\0\0\0\0\x11\x22\x33\x44"
                                      "\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\x8a\0\0\0\0\0\0\0";
    uint8_t *masked = arena_copy(&fixture->arena, dump.data, dump.len);
    assert_int_equal(dump.len, sizeof(expected) - 1);
    /* The checksums are compared apart, with those of zlib. */
    static const size_t crcs[] = {28, 68, 118, 150};
    for (size_t i = 0; i < sizeof(crcs) / sizeof(*crcs); i++)
        memcpy(masked + crcs[i], expected + crcs[i], 4);
    assert_memory_equal(masked, expected, dump.len);
    assert_int_equal(load_u32(dump.data + 28), crc32(crc32(0, dump.data, 28), dump.data + 32, 24));
    assert_string_equal(dump_verdict(fixture, dump), "");
    store_close(store);
}

static void unknown_keyspaces_are_refused(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    struct memory_source source = {{memory_source_read}, dump_of(fixture, store), 7};
    struct dump_read_options options = {.source = &source.base, .keyspaces = more};
    struct dump_summary summary;
    options.keyspace_count = 2; /* zero, two */
    struct error *error = dump_read(&fixture->arena, &options, &summary);
    assert_non_null(error);
    assert_string_equal((const char *)error->message.data,
                        "the backup has a keyspace 'one', which this version of gramme does not "
                        "know: it was made by test 1");
    store_close(store);
}

static void keyspaces_go_by_their_names(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture), *other = NULL;
    dump_fill_small(fixture, store);
    assert_null(memory_store_open(&fixture->arena, more, 3, &other));
    struct memory_source source = {{memory_source_read}, dump_of(fixture, store), 1};
    struct dump_read_options options = {
        .source = &source.base, .keyspaces = more, .keyspace_count = 3, .store = other};
    struct dump_summary summary;
    assert_null(dump_read(&fixture->arena, &options, &summary));
    struct store_txn *txn = NULL;
    struct store_key keys[] = {
        {0, SLICE_LITERAL("a")}, {1, SLICE_LITERAL("a")}, {2, SLICE_LITERAL("aardwolf")}};
    struct slice values[3];
    assert_null(store_begin(other, &fixture->arena, STORE_READ, &txn));
    assert_null(store_get_many(txn, 3, keys, values));
    assert_null(values[0].data);
    assert_true(slice_is(values[1], "again"));
    assert_true(slice_is(values[2], "animal"));
    store_end(txn);
    store_close(store);
    store_close(other);
}

static void only_an_empty_store_is_loaded(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    struct dump_summary summary;
    dump_put(fixture, store, 1, "here", "already");
    struct error *error = dump_load(fixture, dump_of(fixture, store), store, &summary);
    assert_non_null(error);
    assert_string_equal((const char *)error->message.data,
                        "a backup is loaded into an empty store, and this one is not empty");
    store_close(store);
}

/* The copy that passes through is the dump itself. */
static void a_dump_is_passed_on_as_it_is(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    dump_fill_large(fixture, store);
    struct slice dump = dump_of(fixture, store);
    struct memory_source source = {{memory_source_read}, dump, 4096};
    struct dump_read_options options = {.source = &source.base,
                                        .keyspaces = dump_keyspaces,
                                        .keyspace_count = DUMP_KEYSPACES,
                                        .sink = &fixture->sink.base};
    struct dump_summary summary;
    buffer_reset(&fixture->sink.bytes);
    assert_null(dump_read(&fixture->arena, &options, &summary));
    assert_true(slice_equal(buffer_slice(&fixture->sink.bytes), dump));
    store_close(store);
}

/* Writers go on while a dump is made: it has what was there when it began. */
struct writing_progress {
    struct dump_progress base;
    struct dump_fixture *fixture;
    struct store *store;
    int blocks;
};

static void write_meanwhile(struct dump_progress *base, uint64_t records, uint64_t bytes) {
    (void)records;
    (void)bytes;
    struct writing_progress *progress = container_of(base, struct writing_progress, base);
    if (++progress->blocks == 2) {
        dump_put(progress->fixture, progress->store, 1, "key 000000", "changed");
        dump_put(progress->fixture, progress->store, 1, "zzz", "new");
    }
}

static void a_dump_is_of_one_moment(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_rocksdb_store(fixture, "moment");
    dump_fill_large(fixture, store);
    struct slice before = dump_of(fixture, store);
    struct writing_progress progress = {{write_meanwhile}, fixture, store, 0};
    struct dump_summary summary;
    fixture->progress = &progress.base;
    assert_null(dump_try(fixture, store, &summary));
    fixture->progress = NULL;
    assert_true(progress.blocks > 2);
    assert_true(slice_equal(buffer_slice(&fixture->sink.bytes), before));
    assert_false(slice_equal(dump_of(fixture, store), before));
    store_close(store);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, dump_setup, dump_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_goes_in_comes_out),        TEST(an_empty_store),
        TEST(large_values_and_long_keys),    TEST(the_bytes_are_those_of_the_format),
        TEST(unknown_keyspaces_are_refused), TEST(keyspaces_go_by_their_names),
        TEST(only_an_empty_store_is_loaded), TEST(a_dump_is_passed_on_as_it_is),
        TEST(a_dump_is_of_one_moment),
    };
    return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
