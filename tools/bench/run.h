/* run.h - a whole measurement: the workers' threads, a look at them once a second, the sum. */
#ifndef GRAMME_BENCH_RUN_H
#define GRAMME_BENCH_RUN_H

#include "bench/worker.h"

enum { RUN_SECONDS_MAX = 86400 };

/* What happened in a second, or in the part of one at the end. */
struct run_second {
    double at_s; /* its end, counted from the beginning of the measurement */
    double length_s;
    uint64_t replies;
    uint64_t errors;
    uint64_t p50_ns;
    uint64_t p90_ns;
    uint64_t p99_ns;
    uint64_t p999_ns;
    uint64_t max_ns;
};

/* Told once a second. Negative `at_s`: the warm-up. */
struct run_observer {
    void (*second)(struct run_observer *observer, const struct run_second *second, uint64_t replies,
                   uint64_t errors);
};

struct run_result {
    struct tally *tally;
    struct run_second *seconds;
    size_t second_count;
    double duration_s; /* of the measurement */
    double cpu_share;  /* of the workers' threads that was spent computing, 0 to 1 */
    double cpu_us;     /* per request */
    enum run_stop stop;
};

/* Until the time is over, the operations are done, or SIGINT or SIGTERM comes, which end the run
 * and not the process. The result lives in the arena. */
struct error *run(struct arena *arena, const struct run_settings *settings,
                  struct run_observer *observer, struct run_result *ret_result);

#endif
