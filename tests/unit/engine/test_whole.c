/* test_whole.c - a store in which several servers have counted and numbered, each for itself, read
 * as one: by copies, comparisons and dumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/container.h"
#include "codec/catalog_keys.h"
#include "codec/format.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "engine/dump_check.h"
#include "engine/keyspaces.h"
#include "engine/whole.h"
#include "store/copy.h"
#include "store/memory/memory.h"

static struct arena arena;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

/* ---- stores ---- */

static void set(struct store *store, struct slice key, struct slice value) {
    struct store_txn *txn;
    enum store_outcome outcome;
    struct store_key at = {KEYSPACE_CATALOG, key};
    assert_null(store_begin(store, &arena, STORE_WRITE, &txn));
    store_put(txn, &at, value);
    assert_null(store_commit(txn, STORE_RELAXED, &outcome));
    store_end(txn);
}

static struct store *new_store(void) {
    struct store *store;
    assert_null(memory_store_open(&arena, engine_keyspaces, KEYSPACE_COUNT, &store));
    return store;
}

static struct slice count(int64_t items, int64_t bytes) {
    return statistics_encode(&arena, items, bytes);
}

static struct slice number(uint64_t number) {
    return sequence_encode(&arena, number);
}

/* What is the same however many write. */
static struct store *store_begun(void) {
    struct store *store = new_store();
    struct format_record format = {.next_id = 9};
    set(store, format_key(), format_encode(&arena, &format));
    set(store, statistics_key(&arena, 2), count(5, 50));
    set(store, record_key(&arena, SLICE_LITERAL("a"), SLICE_LITERAL("b")), SLICE_LITERAL("c"));
    return store;
}

static struct store *store_of_many(bool leader_has_number) {
    struct store *store = store_begun();
    set(store, statistics_key(&arena, 1), count(-7, -70));
    set(store, part_statistics_key(&arena, 1, 1), count(10, 130));
    set(store, part_statistics_key(&arena, 1, 15), count(1, 4));
    set(store, statistics_key(&arena, 3), count(1, 1));
    set(store, part_statistics_key(&arena, 3, 2), count(-1, -1));
    set(store, part_statistics_key(&arena, 4, 2), count(2, 2)); /* of what is gone */
    if (leader_has_number)
        set(store, sequence_key(), number(100));
    set(store, part_sequence_key(&arena, 1), number(90));
    set(store, part_sequence_key(&arena, 2), number(117));
    set(store, part_sequence_key(&arena, 15), number(111));
    return store;
}

static struct store *store_of_one(void) {
    struct store *store = store_begun();
    set(store, statistics_key(&arena, 1), count(4, 64));
    set(store, statistics_key(&arena, 3), count(0, 0));
    set(store, sequence_key(), number(117));
    return store;
}

static const char *difference(struct store *one, struct store *other, store_look *look) {
    struct copy_options options = {.from = one, .to = other, .look = look};
    struct copy_totals totals;
    struct error *error = store_compare(&arena, &options, &totals);
    return error == NULL ? "" : (const char *)error->message.data;
}

/* ---- dumps ---- */

struct sink {
    struct dump_sink base;
    struct buffer bytes;
};

static struct error *sink_write(struct dump_sink *base, struct arena *errors, struct slice bytes) {
    (void)errors;
    buffer_append_slice(&container_of(base, struct sink, base)->bytes, bytes);
    return NULL;
}

static struct slice dump(struct store *store, store_look *look) {
    struct sink sink = {.base = {sink_write}};
    buffer_init(&sink.bytes, 1 << 20);
    struct dump_write_options options = {.store = store,
                                         .keyspaces = engine_keyspaces,
                                         .keyspace_count = KEYSPACE_COUNT,
                                         .program = "test",
                                         .sink = &sink.base,
                                         .look = look};
    struct dump_summary summary;
    assert_null(dump_write(&arena, &options, &summary));
    struct slice bytes = arena_slice(&arena, buffer_slice(&sink.bytes));
    buffer_release(&sink.bytes);
    return bytes;
}

struct source {
    struct dump_source base;
    struct slice bytes;
};

static struct error *source_read(struct dump_source *base, struct arena *errors, void *bytes,
                                 size_t size, size_t *ret_len) {
    struct source *source = container_of(base, struct source, base);
    (void)errors;
    *ret_len = size < source->bytes.len ? size : source->bytes.len;
    memcpy(bytes, source->bytes.data, *ret_len);
    source->bytes = slice_skip(source->bytes, *ret_len);
    return NULL;
}

/* What is said of a dump that is to become a database. */
static const char *verdict(struct slice bytes) {
    struct source source = {{source_read}, bytes};
    struct dump_checker checker;
    dump_checker_init(&checker);
    struct dump_read_options options = {.source = &source.base,
                                        .keyspaces = engine_keyspaces,
                                        .keyspace_count = KEYSPACE_COUNT,
                                        .check = &checker.base};
    struct dump_summary summary;
    struct error *error = dump_read(&arena, &options, &summary);
    dump_checker_release(&checker);
    return error == NULL ? "" : (const char *)error->message.data;
}

/* ---- tests ---- */

static void parts_are_seen_as_one(void **state) {
    (void)state;
    struct store *one = store_of_one();
    for (int i = 0; i < 2; i++) {
        struct store *many = store_of_many(i == 0), *copy = new_store();
        struct copy_options options = {.from = many, .to = copy, .look = engine_look_whole};
        struct copy_totals totals;
        assert_string_not_equal(difference(many, one, NULL), "");
        assert_string_equal(difference(many, one, engine_look_whole), "");
        assert_null(store_copy(&arena, &options, &totals));
        assert_int_equal(totals.records, 6);
        assert_string_equal(difference(copy, one, NULL), "");
        store_close(many);
        store_close(copy);
    }
    store_close(one);
}

static void differences_of_sums_are_found(void **state) {
    (void)state;
    struct store *one = store_of_one(), *many = store_of_many(true);
    set(many, part_statistics_key(&arena, 1, 3), count(0, 1));
    assert_string_not_equal(difference(many, one, engine_look_whole), "");
    set(many, part_statistics_key(&arena, 1, 3), count(0, 0));
    assert_string_equal(difference(many, one, engine_look_whole), "");
    set(many, part_sequence_key(&arena, 3), number(118));
    assert_string_not_equal(difference(many, one, engine_look_whole), "");
    store_close(one);
    store_close(many);
}

static void a_dump_has_no_parts(void **state) {
    (void)state;
    struct store *one = store_of_one(), *many = store_of_many(true);
    assert_true(slice_equal(dump(many, engine_look_whole), dump(one, NULL)));
    assert_string_equal(verdict(dump(one, NULL)), "");
    assert_non_null(strstr(verdict(dump(many, NULL)), "it is of one of several servers"));
    set(one, statistics_key(&arena, 1), count(-1, 0));
    assert_non_null(strstr(verdict(dump(one, NULL)), "the statistics of a table are damaged"));
    store_close(one);
    store_close(many);
}

/* What cannot be added up is not passed on as if it were right. */
static void damage_is_told(void **state) {
    (void)state;
    struct store *one = store_of_one(), *many = store_of_many(true);
    set(many, part_statistics_key(&arena, 1, 1), SLICE_LITERAL("?"));
    assert_non_null(strstr(difference(many, one, engine_look_whole), "are damaged"));
    store_close(one);
    store_close(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_are_seen_as_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(differences_of_sums_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dump_has_no_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("whole", tests, NULL, NULL);
}
