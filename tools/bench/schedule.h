/* schedule.h - when requests are due, at a fixed rate.
 *
 * Request i is due at begin + i / rate, whether or not those before it have been answered. One that
 * is sent late keeps its due time, and its latency counts from there: a stalled server shows in the
 * figures as long as the requests that it held up would have waited, not as one slow request.
 * Threads: one. */
#ifndef GRAMME_BENCH_SCHEDULE_H
#define GRAMME_BENCH_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
    uint64_t begin_ns;
    double interval_ns;
    uint64_t next; /* number of the next request */
};

static inline void schedule_init(struct schedule *schedule, uint64_t begin_ns, double rate) {
    *schedule = (struct schedule){.begin_ns = begin_ns, .interval_ns = 1e9 / rate};
}

/* Of the next request. */
static inline uint64_t schedule_due_ns(const struct schedule *schedule) {
    return schedule->begin_ns + (uint64_t)((double)schedule->next * schedule->interval_ns);
}

/* True, once for every request whose time has come. */
static inline bool schedule_take(struct schedule *schedule, uint64_t now_ns, uint64_t *ret_due_ns) {
    uint64_t due = schedule_due_ns(schedule);
    if (due > now_ns)
        return false;
    schedule->next++;
    *ret_due_ns = due;
    return true;
}

/* Requests that are due before that moment and were not taken. */
static inline uint64_t schedule_behind(const struct schedule *schedule, uint64_t now_ns) {
    if (now_ns <= schedule->begin_ns)
        return 0;
    uint64_t due =
        (uint64_t)((double)(now_ns - schedule->begin_ns - 1) / schedule->interval_ns) + 1;
    return due > schedule->next ? due - schedule->next : 0;
}

#endif
