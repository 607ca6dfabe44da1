/* test_limits.c - all that limits one table or index, by a clock that stands still until it is
 * moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "throttle/limits.h"

enum { UNIT = 2 };

struct scene {
    struct movable_clock clock;
    struct throttle *throttle;
    struct limits *limits;
};

static void begin(struct scene *scene, struct limits_setting setting) {
    movable_clock_init(&scene->clock);
    movable_clock_move(&scene->clock, &(struct clock_move){.set_running = true});
    scene->throttle = throttle_new(&scene->clock.clock, 300);
    scene->limits = limits_new(7);
    limits_set(scene->throttle, scene->limits, &setting);
}

static void end(struct scene *scene) {
    limits_free(scene->limits);
    throttle_free(scene->throttle);
}

static void wait_ms(struct scene *scene, int64_t ms) {
    movable_clock_move(&scene->clock, &(struct clock_move){.advance_ms = ms});
}

/* How many of one unit are let in; what said no to the next is in *ret_kinds. Each has a key of its
 * own, unless it is said which. */
static int let_in(struct scene *scene, enum limit_direction direction, const uint64_t *key,
                  int most, unsigned *ret_kinds) {
    static uint64_t another = 0;
    for (int count = 0;; count++) {
        another += UINT64_C(0x9e3779b97f4a7c15);
        struct limits_use use = {direction, true, key == NULL ? another : *key,
                                 throttle_now_ms(scene->throttle)};
        *ret_kinds = count == most ? 0 : limits_check(scene->throttle, scene->limits, &use, UNIT);
        if (count == most || *ret_kinds != 0)
            return count;
        limits_take(scene->throttle, scene->limits, &use, UNIT);
    }
}

static void provisioned_units_are_by_direction(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    begin(&scene, (struct limits_setting){.units = {10, 5}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 5);
    assert_int_equal(kinds, 1 << LIMIT_PROVISIONED);
    assert_int_equal(let_in(&scene, LIMIT_READS, NULL, 100, &kinds), 10);
    wait_ms(&scene, 60000);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 1000, &kinds), 300);
    end(&scene);
}

static void another_rate_holds_at_once(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    begin(&scene, (struct limits_setting){.units = {1, 5}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 5);
    limits_set(scene.throttle, scene.limits, &(struct limits_setting){.units = {1, 50}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 0);
    wait_ms(&scene, 100);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 5);
    end(&scene);
}

static void a_maximum_keeps_nothing(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    begin(&scene,
          (struct limits_setting){.on_demand = true, .units = {0, 5}, .warm = {12000, 4000}});
    wait_ms(&scene, 60000);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 5);
    assert_int_equal(kinds, 1 << LIMIT_MAX_ON_DEMAND);
    assert_int_equal(let_in(&scene, LIMIT_READS, NULL, 13000, &kinds), 12000);
    assert_int_equal(kinds, 1 << LIMIT_KEY_RANGE);
    end(&scene);
}

static void on_demand_serves_twice_its_peak(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    begin(&scene, (struct limits_setting){.on_demand = true, .warm = {100, 100}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 1000, &kinds), 100);
    wait_ms(&scene, 10000);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 1000, &kinds), 100);
    wait_ms(&scene, 30 * 60 * 1000);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 1000, &kinds), 200);
    limits_set(scene.throttle, scene.limits,
               &(struct limits_setting){.on_demand = true, .units = {0, 1000}, .warm = {100, 100}});
    wait_ms(&scene, 1000);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 1000, &kinds), 200);
    end(&scene);
}

static void a_key_has_its_own_limit(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    uint64_t key = 42;
    begin(&scene, (struct limits_setting){.units = {40000, 40000}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, &key, 5000, &kinds), 1000);
    assert_int_equal(kinds, 1 << LIMIT_KEY_RANGE);
    assert_int_equal(let_in(&scene, LIMIT_READS, &key, 5000, &kinds), 3000);
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 5000, &kinds), 5000);
    end(&scene);
}

static void all_that_say_no_are_told(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    uint64_t key = 42;
    begin(&scene, (struct limits_setting){.units = {1, 1000}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, &key, 5000, &kinds), 1000);
    assert_int_equal(kinds, 1 << LIMIT_PROVISIONED | 1 << LIMIT_KEY_RANGE);
    end(&scene);
}

static void a_switch_of_the_mode_begins_anew(void **state) {
    (void)state;
    struct scene scene;
    unsigned kinds;
    begin(&scene, (struct limits_setting){.units = {5, 5}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 5);
    limits_set(scene.throttle, scene.limits,
               &(struct limits_setting){.on_demand = true, .warm = {12000, 4000}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 100);
    limits_set(scene.throttle, scene.limits, &(struct limits_setting){.units = {5, 5}});
    assert_int_equal(let_in(&scene, LIMIT_WRITES, NULL, 100, &kinds), 5);
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(provisioned_units_are_by_direction),
        cmocka_unit_test(another_rate_holds_at_once),
        cmocka_unit_test(a_maximum_keeps_nothing),
        cmocka_unit_test(on_demand_serves_twice_its_peak),
        cmocka_unit_test(a_key_has_its_own_limit),
        cmocka_unit_test(all_that_say_no_are_told),
        cmocka_unit_test(a_switch_of_the_mode_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
