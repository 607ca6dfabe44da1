/* test_recent.c - whether what was read of a key some commits ago is still right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/recent.h"

/* A near store has none of this; a far one is played. */
static const struct store_engine far_engine = {.capabilities = STORE_REMOTE},
                                 near_engine = {.capabilities = STORE_PERSISTENT};

static struct slice key_of(uint8_t ret_key[40], uint8_t number) {
    memset(ret_key, number, 40);
    return slice_of(ret_key, 40);
}

static uint64_t commit(struct recent *recent, struct slice key) {
    recent_begin(recent);
    recent_note(recent, key);
    recent_committed(recent);
    return atomic_load(&recent->committed);
}

static void what_was_read_before_a_write_is_not_right_after_it(void **state) {
    (void)state;
    const struct store store = {.engine = &far_engine};
    struct recent recent = {0};
    uint8_t bytes[2][40];
    struct slice one = key_of(bytes[0], 1), other = key_of(bytes[1], 2);
    recent_init(&recent, &store);
    assert_true(recent_is_since(&recent, one, 0));
    uint64_t seen = commit(&recent, one);
    assert_false(recent_is_since(&recent, one, seen - 1));
    assert_true(recent_is_since(&recent, one, seen));
    assert_true(recent_is_since(&recent, other, seen - 1));
    commit(&recent, other);
    assert_true(recent_is_since(&recent, one, seen));
    assert_false(recent_is_since(&recent, other, seen));
    recent_release(&recent);
}

/* Who reads while one is under way may see it or not; and one that failed may have happened. */
static void a_commit_counts_from_its_beginning(void **state) {
    (void)state;
    const struct store store = {.engine = &far_engine};
    struct recent recent = {0};
    uint8_t bytes[2][40];
    struct slice one = key_of(bytes[0], 1), other = key_of(bytes[1], 2);
    recent_init(&recent, &store);
    uint64_t before = atomic_load(&recent.committed);
    recent_begin(&recent);
    recent_note(&recent, one);
    assert_int_equal(atomic_load(&recent.committed), before);
    assert_false(recent_is_since(&recent, one, before));
    uint64_t later = commit(&recent, other);
    assert_false(recent_is_since(&recent, one, before));
    assert_true(recent_is_since(&recent, one, later));
    recent_release(&recent);
}

static void nothing_is_right_after_someone_else_wrote(void **state) {
    (void)state;
    const struct store store = {.engine = &far_engine};
    struct recent recent = {0};
    uint8_t bytes[40];
    struct slice key = key_of(bytes, 1);
    recent_init(&recent, &store);
    uint64_t seen = commit(&recent, key);
    recent_forget(&recent);
    assert_false(recent_is_since(&recent, key, seen));
    assert_true(recent_is_since(&recent, key, atomic_load(&recent.committed)));
    recent_release(&recent);
}

static void a_near_store_has_none(void **state) {
    (void)state;
    const struct store store = {.engine = &near_engine};
    struct recent recent = {0};
    recent_init(&recent, &store);
    assert_null(recent.numbers);
    recent_release(&recent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_read_before_a_write_is_not_right_after_it),
        cmocka_unit_test(a_commit_counts_from_its_beginning),
        cmocka_unit_test(nothing_is_right_after_someone_else_wrote),
        cmocka_unit_test(a_near_store_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
