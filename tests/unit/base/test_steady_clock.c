/* test_steady_clock.c - a clock beside a system clock that is set at will. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/steady_clock.h"

#define START_MS INT64_C(1800000000000)
#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static int64_t system_at, steady_at;

static int64_t system_ms(void) {
    return system_at;
}

static int64_t steady_ms(void) {
    return steady_at;
}

static void start(struct steady_clock *clock, int64_t hold_ms) {
    steady_clock_init(clock, hold_ms);
    clock->system_ms = system_ms;
    clock->steady_ms = steady_ms;
    system_at = START_MS;
    steady_at = 1000;
    clock->ahead_ms = system_at - steady_at;
}

static void pass(int64_t ms) {
    system_at += ms;
    steady_at += ms;
}

/* How far the clock is from its start. */
static int64_t since_start(struct steady_clock *clock) {
    return clock_now_ms(&clock->clock) - START_MS;
}

static void goes_as_the_system_does(void **state) {
    (void)state;
    struct steady_clock clock;
    steady_clock_init(&clock, HOUR);
    int64_t off_ms = clock_now_ms(&clock.clock) - clock_now_ms(&system_clock);
    assert_in_range(off_ms + 1000, 0, 2000);
    start(&clock, HOUR);
    pass(10 * DAY);
    assert_int_equal(since_start(&clock), 10 * DAY);
}

static void follows_small_steps(void **state) {
    (void)state;
    struct steady_clock clock;
    start(&clock, HOUR);
    for (int i = 1; i <= 10; i++) {
        pass(1000);
        system_at += STEADY_CLOCK_JUMP_MS;
        assert_int_equal(since_start(&clock), i * (1000 + STEADY_CLOCK_JUMP_MS));
    }
    system_at -= MINUTE;
    pass(1000);
    assert_int_equal(since_start(&clock), 10 * STEADY_CLOCK_JUMP_MS + 11000 - MINUTE);
}

static void a_jump_that_goes_away_was_none(void **state) {
    (void)state;
    struct steady_clock clock;
    start(&clock, HOUR);
    for (int direction = -1; direction <= 1; direction += 2) {
        int64_t before = since_start(&clock);
        pass(1000);
        system_at += direction * 400 * DAY;
        assert_int_equal(since_start(&clock), before + 1000);
        pass(3000);
        assert_int_equal(since_start(&clock), before + 4000);
        system_at -= direction * 400 * DAY;
        pass(1000);
        assert_int_equal(since_start(&clock), before + 5000);
        assert_false(clock.doubted);
    }
}

static void a_jump_that_lasts_is_followed(void **state) {
    (void)state;
    struct steady_clock clock;
    start(&clock, HOUR);
    system_at += 400 * DAY;
    pass(1000);
    assert_int_equal(since_start(&clock), 1000);
    pass(HOUR - 1);
    assert_int_equal(since_start(&clock), HOUR + 999);
    pass(1000);
    assert_int_equal(since_start(&clock), 400 * DAY + HOUR + 999 + 1000);
}

static void another_jump_begins_anew(void **state) {
    (void)state;
    struct steady_clock clock;
    start(&clock, HOUR);
    system_at += 400 * DAY;
    pass(1000);
    assert_int_equal(since_start(&clock), 1000);
    pass(HOUR - 1000);
    system_at -= 300 * DAY;
    assert_int_equal(since_start(&clock), HOUR);
    pass(HOUR - 1000);
    assert_int_equal(since_start(&clock), 2 * HOUR - 1000);
    pass(1000);
    assert_int_equal(since_start(&clock), 100 * DAY + 2 * HOUR);
}

static void who_does_not_hold_follows(void **state) {
    (void)state;
    struct steady_clock clock;
    start(&clock, 0);
    system_at += 400 * DAY;
    pass(1000);
    assert_int_equal(since_start(&clock), 400 * DAY + 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_as_the_system_does),
        cmocka_unit_test(follows_small_steps),
        cmocka_unit_test(a_jump_that_goes_away_was_none),
        cmocka_unit_test(a_jump_that_lasts_is_followed),
        cmocka_unit_test(another_jump_begins_anew),
        cmocka_unit_test(who_does_not_hold_follows),
    };
    return cmocka_run_group_tests_name("steady_clock", tests, NULL, NULL);
}
