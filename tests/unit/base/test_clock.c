/* test_clock.c - the clock that can be moved, and times as text. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/timestamp.h"

enum { THREADS = 4, MOVES = 1000 };

static enum clock_moved advance(struct movable_clock *clock, int64_t ms) {
    return movable_clock_move(clock, &(struct clock_move){.advance_ms = ms});
}

static void stand_still(struct movable_clock *clock, int64_t now_ms) {
    struct clock_move move = {.now_ms = now_ms, .set_running = true, .running = false};
    assert_int_equal(movable_clock_move(clock, &move), CLOCK_MOVED);
}

static void starts_at_the_systems_time(void **state) {
    (void)state;
    struct movable_clock clock;
    int64_t before = clock_now_ms(&system_clock);
    movable_clock_init(&clock);
    assert_in_range(clock_now_ms(&clock.clock) - before + 5, 0, 1000);
    assert_true(movable_clock_is_running(&clock));
}

static void stands_still_and_runs_again(void **state) {
    (void)state;
    struct movable_clock clock;
    movable_clock_init(&clock);
    stand_still(&clock, 4000000000000);
    assert_false(movable_clock_is_running(&clock));
    assert_int_equal(clock_now_ms(&clock.clock), 4000000000000);
    assert_int_equal(advance(&clock, 1500), CLOCK_MOVED);
    assert_int_equal(clock_now_ms(&clock.clock), 4000000001500);
    struct clock_move run = {.set_running = true, .running = true};
    assert_int_equal(movable_clock_move(&clock, &run), CLOCK_MOVED);
    assert_in_range(clock_now_ms(&clock.clock), 4000000001500, 4000000060000);
    assert_true(movable_clock_is_running(&clock));
}

static void goes_forward_only_and_not_too_far(void **state) {
    (void)state;
    struct movable_clock clock;
    movable_clock_init(&clock);
    stand_still(&clock, 4000000000000);
    assert_int_equal(advance(&clock, -1), CLOCK_WOULD_GO_BACK);
    struct clock_move back = {.now_ms = 3999999999999, .advance_ms = 10, .set_running = true};
    assert_int_equal(movable_clock_move(&clock, &back), CLOCK_WOULD_GO_BACK);
    assert_int_equal(advance(&clock, INT64_MAX), CLOCK_TOO_FAR);
    assert_int_equal(advance(&clock, CLOCK_MAX_MS), CLOCK_TOO_FAR);
    struct clock_move far = {.now_ms = INT64_MAX};
    assert_int_equal(movable_clock_move(&clock, &far), CLOCK_TOO_FAR);
    assert_int_equal(clock_now_ms(&clock.clock), 4000000000000);
    struct clock_move both = {.now_ms = 4000000000005, .advance_ms = 10};
    assert_int_equal(movable_clock_move(&clock, &both), CLOCK_MOVED);
    assert_int_equal(clock_now_ms(&clock.clock), 4000000000015);
}

static void *move_often(void *context) {
    struct movable_clock *clock = context;
    for (int i = 0; i < MOVES; i++)
        advance(clock, 1);
    return NULL;
}

static void no_move_of_many_threads_is_lost(void **state) {
    (void)state;
    struct movable_clock clock;
    movable_clock_init(&clock);
    stand_still(&clock, 4000000000000);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, move_often, &clock), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(clock_now_ms(&clock.clock), 4000000000000 + (int64_t)THREADS * MOVES);
}

static void times_as_text(void **state) {
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000"},
        {1709210096007, "2024-02-29T12:34:56.007"},
        {CLOCK_MAX_MS, "2200-01-01T00:00:00.000"},
        {CLOCK_MAX_MS + 1, "2200-01-01T00:00:00.000"},
        {INT64_MAX, "2200-01-01T00:00:00.000"},
        {-1, "1970-01-01T00:00:00.000"},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[TIMESTAMP_CHARS + 1];
        timestamp_print(cases[i].ms, text);
        assert_string_equal(text, cases[i].text);
        struct slice second = timestamp_of_second(&arena, cases[i].ms);
        assert_int_equal(second.len, 20);
        assert_memory_equal(second.data, cases[i].text, 19);
        assert_int_equal(second.data[19], 'Z');
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_as_text),
        cmocka_unit_test(starts_at_the_systems_time),
        cmocka_unit_test(stands_still_and_runs_again),
        cmocka_unit_test(goes_forward_only_and_not_too_far),
        cmocka_unit_test(no_move_of_many_threads_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
