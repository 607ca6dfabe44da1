/* crowd.c - three clocks compared. */
#include "base/crowd.h"

#include <sched.h>
#include <time.h>

enum {
    LOOK_MS = 50,
    /* Of the processor that would be this thread's: a third is what the store's own threads take to
     * keep up with it. */
    LEFT_PERCENT = 35,
};

static int64_t read_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Processors that this thread may run on. */
static int64_t processors(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? count : 1;
}

bool crowd_look(struct crowd *crowd) {
    int64_t now_ns = read_ns(CLOCK_MONOTONIC), elapsed_ns = now_ns - crowd->looked_ns;
    if (elapsed_ns < (int64_t)LOOK_MS * 1000000)
        return crowd->crowded;
    int64_t process_ns = read_ns(CLOCK_PROCESS_CPUTIME_ID);
    int64_t thread_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
    int64_t others_ns = process_ns - crowd->process_ns - (thread_ns - crowd->thread_ns);
    *crowd = (struct crowd){
        .looked_ns = now_ns,
        .process_ns = process_ns,
        .thread_ns = thread_ns,
        .crowded = others_ns > elapsed_ns / 100 * ((processors() - 1) * 100 + LEFT_PERCENT),
    };
    return crowd->crowded;
}
