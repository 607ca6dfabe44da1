/* test_schedule.c - requests at a fixed rate: none too early, none twice, none forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/schedule.h"

#define BEGIN UINT64_C(5000000000)

static void requests_are_due_evenly(void **state) {
    (void)state;
    struct schedule schedule;
    uint64_t due = 0;
    schedule_init(&schedule, BEGIN, 1000);
    assert_false(schedule_take(&schedule, BEGIN - 1, &due));
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(schedule_due_ns(&schedule), BEGIN + i * 1000000);
        assert_false(schedule_take(&schedule, BEGIN + i * 1000000 - 1, &due));
        assert_true(schedule_take(&schedule, BEGIN + i * 1000000, &due));
        assert_int_equal(due, BEGIN + i * 1000000);
    }
}

/* After a stall all that were due meanwhile come at once, each with its own time. */
static void a_stall_leaves_nothing_out(void **state) {
    (void)state;
    struct schedule schedule;
    uint64_t due = 0, taken = 0, now = BEGIN + UINT64_C(2000000000);
    schedule_init(&schedule, BEGIN, 100);
    assert_int_equal(schedule_behind(&schedule, now), 200);
    while (schedule_take(&schedule, now, &due))
        assert_int_equal(due, BEGIN + 10000000 * taken++);
    assert_int_equal(taken, 201); /* the one that is due now is the last */
    assert_int_equal(schedule_behind(&schedule, now), 0);
    assert_int_equal(schedule_behind(&schedule, now + 10000001), 1);
}

/* The interval of 3,000 a second is no whole number of nanoseconds: no drift comes of it. */
static void rates_do_not_drift(void **state) {
    (void)state;
    struct schedule schedule;
    schedule_init(&schedule, BEGIN, 3000);
    schedule.next = UINT64_C(3000) * 86400;
    uint64_t due = schedule_due_ns(&schedule), exact = BEGIN + UINT64_C(86400000000000);
    assert_true(due > exact - 1000000 && due < exact + 1000000);
}

static void nothing_is_behind_before_the_beginning(void **state) {
    (void)state;
    struct schedule schedule;
    schedule_init(&schedule, BEGIN, 10);
    assert_int_equal(schedule_behind(&schedule, 0), 0);
    assert_int_equal(schedule_behind(&schedule, BEGIN), 0);
    assert_int_equal(schedule_behind(&schedule, BEGIN + 1), 1);
    assert_int_equal(schedule_behind(&schedule, BEGIN + 100000001), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_due_evenly),
        cmocka_unit_test(a_stall_leaves_nothing_out),
        cmocka_unit_test(rates_do_not_drift),
        cmocka_unit_test(nothing_is_behind_before_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
