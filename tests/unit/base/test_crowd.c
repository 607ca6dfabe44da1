/* test_crowd.c - a thread notices that another one wants the processor, and that it stops. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/crowd.h"

static atomic_bool over;

static void *spin(void *context) {
    (void)context;
    while (!atomic_load(&over))
        ;
    return NULL;
}

/* False when it does not come to be so for a long time. */
static bool becomes(struct crowd *crowd, bool crowded) {
    const struct timespec pause = {0, 5000000};
    for (int i = 0; i < 4000; i++) {
        if (crowd_look(crowd) == crowded)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static void it_notices(void **state) {
    (void)state;
    struct crowd crowd = {0};
    pthread_t other;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    size_t processor = 0;
    while (!CPU_ISSET(processor, &all))
        processor++;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_true(becomes(&crowd, false));
    assert_int_equal(pthread_create(&other, NULL, spin, NULL), 0);
    assert_true(becomes(&crowd, true));
    atomic_store(&over, true);
    pthread_join(other, NULL);
    assert_true(becomes(&crowd, false));
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_notices)};
    return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}
