/* test_scaling.c - which capacity minutes of use ask for; targets and policies as records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scaling/decide.h"
#include "scaling/stored.h"

/* A table of 10 units, 70 %, between 5 and 100. */
static struct scaling_state table_of(double minute) {
    struct scaling_state state = {
        .capacity = 10, .min = 5, .max = 100, .target = 70, .may_grow = true, .may_shrink = true};
    for (int i = 0; i < SCALING_MINUTES_LOW; i++)
        state.consumed[i] = minute;
    return state;
}

static void assert_decides(const struct scaling_state *state, enum scaling_wish wish, int64_t to) {
    int64_t capacity = -1;
    assert_int_equal(scaling_decide(state, &capacity), wish);
    if (wish != SCALING_STAY)
        assert_int_equal(capacity, to);
}

static void what_is_right_stays(void **unused) {
    (void)unused;
    struct scaling_state state = table_of(420); /* just the target: 7 a second */
    assert_decides(&state, SCALING_STAY, 0);
    state = table_of(379); /* a little below */
    assert_decides(&state, SCALING_STAY, 0);
}

static void two_minutes_above_grow(void **unused) {
    (void)unused;
    struct scaling_state state = table_of(400);
    state.consumed[0] = 840;
    assert_decides(&state, SCALING_STAY, 0);
    state.consumed[1] = 600;
    assert_decides(&state, SCALING_GROW, 20); /* 14 a second are 70 % of 20 */
    state.consumed[0] = 1e9;
    assert_decides(&state, SCALING_GROW, 100);
    state.may_grow = false;
    assert_decides(&state, SCALING_STAY, 0);
    state.may_grow = true;
    state.capacity = 100;
    assert_decides(&state, SCALING_STAY, 0);
}

static void fifteen_minutes_below_shrink(void **unused) {
    (void)unused;
    struct scaling_state state = table_of(252); /* 4.2 a second are 70 % of 6 */
    assert_decides(&state, SCALING_SHRINK, 6);
    state.consumed[14] = 400;
    assert_decides(&state, SCALING_STAY, 0);
    state = table_of(0);
    assert_decides(&state, SCALING_SHRINK, 5);
    state.may_shrink = false;
    assert_decides(&state, SCALING_STAY, 0);
    state.may_shrink = true;
    state.capacity = 5;
    assert_decides(&state, SCALING_STAY, 0);
}

static void resources_and_dimensions(void **unused) {
    (void)unused;
    struct slice table, index;
    struct slice of_index = SLICE_LITERAL("table/orders/index/by-day");
    assert_true(scaling_resource_split(of_index, SCALING_INDEX_READ, &table, &index));
    assert_true(slice_is(table, "orders") && slice_is(index, "by-day"));
    assert_false(scaling_resource_split(of_index, SCALING_TABLE_READ, &table, &index));
    assert_true(
        scaling_resource_split(SLICE_LITERAL("table/t"), SCALING_TABLE_WRITE, &table, &index));
    assert_true(slice_is(table, "t") && !slice_present(index));
    static const char *const wrong[] = {"",  "t",         "table/",         "table/t/",
                                        "x", "table/t/x", "table/t/index/", "index/t"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        for (int dimension = 0; dimension < SCALING_DIMENSION_COUNT; dimension++)
            assert_false(scaling_resource_split(slice_text(wrong[i]),
                                                (enum scaling_dimension)dimension, &table, &index));
}

static void records_come_back(void **unused) {
    (void)unused;
    struct arena arena;
    arena_init(&arena);
    struct scaling_policy policy = {.resource = SLICE_LITERAL("table/t"),
                                    .dimension = SCALING_TABLE_WRITE,
                                    .name = SLICE_LITERAL("p\"1"),
                                    .id = SLICE_LITERAL("id"),
                                    .target = 70.5,
                                    .out_cooldown_s = 60,
                                    .keeps_capacity = true,
                                    .alarm_ids = {SLICE_LITERAL("a"), SLICE_LITERAL("b"),
                                                  SLICE_LITERAL("c"), SLICE_LITERAL("d")},
                                    .table_id = 7,
                                    .grown_ms = 1794744000123};
    struct scaling_policy back;
    struct record record = scaling_policy_record(&arena, &policy);
    assert_null(scaling_policy_of_record(&arena, &record, &back));
    assert_true(slice_equal(back.name, policy.name) && slice_is(back.alarm_ids[3], "d"));
    assert_true(back.target == 70.5 && back.keeps_capacity && back.dimension == policy.dimension);
    assert_int_equal(back.grown_ms, policy.grown_ms);
    assert_int_equal(back.table_id, 7);
    /* Whatever is missing of it, it is not believed. */
    for (size_t len = 0; len < record.value.len; len++) {
        struct record cut = record;
        cut.value.len = len;
        assert_non_null(scaling_policy_of_record(&arena, &cut, &back));
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_stays),
        cmocka_unit_test(two_minutes_above_grow),
        cmocka_unit_test(fifteen_minutes_below_shrink),
        cmocka_unit_test(resources_and_dimensions),
        cmocka_unit_test(records_come_back),
    };
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
