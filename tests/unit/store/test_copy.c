/* test_copy.c - a store copied into another, and differences that are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/container.h"
#include "store/copy.h"
#include "support/dump_fixture.h"

struct counter {
    struct copy_observer base;
    int calls;
    uint64_t records;
};

static void report(struct copy_observer *base, uint64_t records, uint64_t bytes) {
    struct counter *counter = container_of(base, struct counter, base);
    assert_true(records >= counter->records && bytes > 0);
    counter->records = records;
    counter->calls++;
}

static const char *difference(struct dump_fixture *fixture, struct store *one,
                              struct store *other) {
    struct copy_options options = {.from = one, .to = other};
    struct copy_totals totals;
    struct error *error = store_compare(&fixture->arena, &options, &totals);
    return error == NULL ? "" : (const char *)error->message.data;
}

static void everything_is_copied(void **state) {
    struct dump_fixture *fixture = *state;
    struct counter counter = {.base = {report}};
    struct store *from = dump_memory_store(fixture), *to = dump_rocksdb_store(fixture, "to");
    struct copy_options options = {.from = from, .to = to, .observer = &counter.base};
    struct copy_totals totals = {0}, compared = {0};
    dump_fill_large(fixture, from);
    assert_null(store_copy(&fixture->arena, &options, &totals));
    assert_true(totals.records > 0 && totals.bytes > 2 << 20);
    assert_true(counter.calls > 2);
    assert_int_equal(counter.records, totals.records);
    counter.records = 0;
    assert_null(store_compare(&fixture->arena, &options, &compared));
    assert_int_equal(compared.records, totals.records);
    assert_int_equal(compared.bytes, totals.bytes);
    /* The dumps of both are the same, which is another's opinion. */
    struct slice dump = dump_of(fixture, from);
    assert_true(slice_equal(dump, dump_of(fixture, to)));
    store_close(from);
    store_close(to);
}

static struct copy_totals compared(struct dump_fixture *fixture, struct store *one,
                                   struct store *other) {
    struct copy_options options = {.from = one, .to = other};
    struct copy_totals totals;
    assert_null(store_compare(&fixture->arena, &options, &totals));
    return totals;
}

/* A hash tells where a key ends and its value begins, and what stands in which keyspace. */
static void hashes_tell_contents_apart(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *one = dump_memory_store(fixture), *other = dump_memory_store(fixture);
    bool empty = false;
    assert_null(store_is_empty(&fixture->arena, one, &empty));
    assert_true(empty);
    struct copy_totals none = compared(fixture, one, other);
    assert_memory_equal(none.hashes[0], none.hashes[1], SHA256_BYTES);
    dump_put(fixture, one, 1, "a", "bc");
    dump_put(fixture, other, 1, "a", "bc");
    assert_null(store_is_empty(&fixture->arena, one, &empty));
    assert_false(empty);
    struct copy_totals first = compared(fixture, one, other);
    assert_int_equal(first.keyspaces[0].records, 0);
    assert_int_equal(first.keyspaces[1].records, 1);
    assert_int_equal(first.keyspaces[1].bytes, 3);
    assert_memory_equal(first.hashes[0], none.hashes[0], SHA256_BYTES);
    assert_memory_not_equal(first.hashes[1], none.hashes[1], SHA256_BYTES);
    store_close(other);
    other = dump_memory_store(fixture);
    dump_put(fixture, other, 1, "ab", "c");
    struct copy_totals second = compared(fixture, other, other);
    assert_memory_not_equal(first.hashes[1], second.hashes[1], SHA256_BYTES);
    store_close(one);
    store_close(other);
}

static void differences_are_found(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *from = dump_memory_store(fixture), *to = dump_memory_store(fixture);
    assert_string_equal(difference(fixture, from, to), "");
    dump_put(fixture, from, 0, "a", "1");
    assert_string_equal(difference(fixture, from, to),
                        "the copy differs from what was copied after 0 records");
    assert_string_not_equal(difference(fixture, to, from), "");
    dump_put(fixture, to, 0, "a", "2");
    assert_string_not_equal(difference(fixture, from, to), "");
    dump_put(fixture, to, 0, "a", "1");
    assert_string_equal(difference(fixture, from, to), "");
    dump_put(fixture, from, 1, "b", "1");
    dump_put(fixture, to, 1, "c", "1");
    assert_string_equal(difference(fixture, from, to),
                        "the copy differs from what was copied after 1 records");
    store_close(from);
    store_close(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_is_copied, dump_setup, dump_teardown),
        cmocka_unit_test_setup_teardown(hashes_tell_contents_apart, dump_setup, dump_teardown),
        cmocka_unit_test_setup_teardown(differences_are_found, dump_setup, dump_teardown),
    };
    return cmocka_run_group_tests_name("copy", tests, NULL, NULL);
}
