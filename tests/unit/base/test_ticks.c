/* test_ticks.c - ticks go as the monotonic clock does, whatever they are counted by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/ticks.h"

enum { PASS_NS = 20 * 1000 * 1000 };

/* Ticks are read between two looks at the clock, so that a pause of this thread does no harm. */
static void goes_as_the_clock(void) {
    uint64_t before_ns = monotonic_ns(), from = ticks_now(), after_ns = monotonic_ns();
    struct timespec pause = {.tv_nsec = PASS_NS};
    nanosleep(&pause, NULL);
    uint64_t least_ns = monotonic_ns() - after_ns, to = ticks_now();
    uint64_t most_ns = monotonic_ns() - before_ns;
    assert_in_range(ticks_ns(from, to), least_ns - least_ns / 200, most_ns + most_ns / 200);
}

static void are_nanoseconds_at_first(void **state) {
    (void)state;
    assert_false(ticks.of_processor);
    assert_int_equal(ticks_ns(100, 350), 250);
    goes_as_the_clock();
}

static void go_as_the_clock(void **state) {
    (void)state;
    ticks_start();
    goes_as_the_clock();
}

static void never_go_back(void **state) {
    (void)state;
    assert_int_equal(ticks_ns(1001, 1000), 0);
    assert_int_equal(ticks_ns(1000, 1000), 0);
}

static void last_for_years(void **state) {
    (void)state;
    uint64_t year_ns = UINT64_C(365) * 86400 * 1000000000;
    ticks = (struct ticks){.of_processor = false, .ns_scaled = UINT64_C(1) << 31};
    assert_int_equal(ticks_ns(5, 5 + 2 * year_ns), year_ns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_nanoseconds_at_first),
        cmocka_unit_test(go_as_the_clock),
        cmocka_unit_test(never_go_back),
        cmocka_unit_test(last_for_years),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
