/* test_records.c - records beside the tables: kinds apart, changes all or none, kept across an end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/record.h"
#include "store/fault/fault.h"
#include "support/engine_fixture.h"
#include "support/shared_store.h"

#define RECORD(kind_, name_, value_) \
    { .kind = SLICE_LITERAL(kind_), .name = SLICE_LITERAL(name_), .value = SLICE_LITERAL(value_) }
#define GONE(kind_, name_) \
    { .kind = SLICE_LITERAL(kind_), .name = SLICE_LITERAL(name_) }

/* All records of the kind as one text. */
static const char *all(struct engine_fixture *f, const char *kind) {
    struct record *records;
    size_t count;
    assert_null(engine_read_records(f->engine, &f->arena, slice_text(kind), &records, &count));
    struct slice text = SLICE_LITERAL("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%.*s=%.*s ", SLICE_ARGS(text),
                            SLICE_ARGS(records[i].name), SLICE_ARGS(records[i].value));
    return (const char *)text.data;
}

static struct error *change(struct engine_fixture *f, const struct record *changes, size_t count) {
    return engine_change_records(f->engine, &f->arena, changes, count);
}

static void kinds_are_apart(void **state) {
    (void)state;
    struct engine_fixture f;
    assert_null(fixture_open(&f, fixture_store()));
    const struct record changes[] = {RECORD("user", "b", "2"), RECORD("user", "a", "1"),
                                     RECORD("use", "r", "x"), RECORD("users", "a", "y")};
    assert_null(change(&f, changes, 4));
    assert_string_equal(all(&f, "user"), "a=1 b=2 ");
    assert_string_equal(all(&f, "use"), "r=x ");
    assert_string_equal(all(&f, "role"), "");
    fixture_close(&f);
}

static void they_change_and_go(void **state) {
    (void)state;
    struct engine_fixture f;
    assert_null(fixture_open(&f, fixture_store()));
    const struct record first[] = {RECORD("k", "a", "1"), RECORD("k", "b", "2")};
    const struct record then[] = {GONE("k", "a"), RECORD("k", "b", "3"), GONE("k", "never")};
    assert_null(change(&f, first, 2));
    assert_null(change(&f, then, 3));
    assert_string_equal(all(&f, "k"), "b=3 ");
    fixture_close(&f);
}

static void a_range_of_them_goes(void **state) {
    (void)state;
    struct engine_fixture f;
    assert_null(fixture_open(&f, fixture_store()));
    const struct record first[] = {RECORD("k", "a", "1"), RECORD("k", "b", "2"),
                                   RECORD("k", "bc", "3"), RECORD("k", "c", "4"),
                                   RECORD("l", "b", "5")};
    const struct record then[] = {
        {.kind = SLICE_LITERAL("k"), .name = SLICE_LITERAL("b"), .until = SLICE_LITERAL("c")}};
    assert_null(change(&f, first, 5));
    assert_null(change(&f, then, 1));
    assert_string_equal(all(&f, "k"), "a=1 c=4 ");
    assert_string_equal(all(&f, "l"), "b=5 ");
    fixture_close(&f);
}

static void some_are_found_by_name(void **state) {
    (void)state;
    struct engine_fixture f;
    assert_null(fixture_open(&f, fixture_store()));
    const struct record first[] = {RECORD("k", "a", "1"), RECORD("l", "b", "2")};
    struct record wanted[] = {GONE("l", "b"), GONE("l", "a"), GONE("k", "a")};
    assert_null(change(&f, first, 2));
    assert_null(engine_find_records(f.engine, &f.arena, wanted, 3));
    assert_true(slice_is(wanted[0].value, "2"));
    assert_false(slice_present(wanted[1].value));
    assert_true(slice_is(wanted[2].value, "1"));
    fixture_close(&f);
}

static void another_engine_finds_them(void **state) {
    (void)state;
    struct store *shared = shared_store_new(fixture_store());
    struct store *again = shared_store_again(shared);
    struct engine_fixture f;
    const struct record changes[] = {RECORD("k", "a", "1")};
    assert_null(fixture_open(&f, shared));
    assert_null(change(&f, changes, 1));
    fixture_close(&f);
    assert_null(fixture_open(&f, again));
    assert_string_equal(all(&f, "k"), "a=1 ");
    fixture_close(&f);
}

static void a_failed_change_is_told(void **state) {
    (void)state;
    struct engine_fixture f;
    struct store *faulty = fault_store_new(fixture_store());
    assert_null(fixture_open(&f, faulty));
    const struct record changes[] = {RECORD("k", "a", "1")};
    fault_store_arm(faulty, FAULT_ERROR_FROM_HERE, 1);
    assert_non_null(change(&f, changes, 1));
    fault_store_arm(faulty, FAULT_NONE, 0);
    assert_string_equal(all(&f, "k"), "");
    assert_null(change(&f, changes, 1));
    assert_string_equal(all(&f, "k"), "a=1 ");
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_apart),           cmocka_unit_test(they_change_and_go),
        cmocka_unit_test(a_range_of_them_goes),      cmocka_unit_test(some_are_found_by_name),
        cmocka_unit_test(another_engine_finds_them), cmocka_unit_test(a_failed_change_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
