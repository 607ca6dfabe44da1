/* run.c - see run.h. */
#include "bench/run.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/check.h"

#define SECOND UINT64_C(1000000000)

struct thread {
    pthread_t id;
    struct worker *worker;
    int done; /* an eventfd */
};

struct runner {
    const struct run_settings *settings;
    struct run_observer *observer;
    struct run_shared shared;
    struct thread *threads;
    unsigned running;
    int done;
    int signals;
    double cpu_before_s;
    uint64_t started_ns;
    uint64_t tick_ns; /* when the last look was */
    struct histogram *before, *now, *between;
    uint64_t errors_before;
    struct buffer seconds; /* struct run_second */
};

/* ---- threads ---- */

static void *thread_main(void *argument) {
    const struct thread *thread = argument;
    uint64_t one = 1;
    worker_run(thread->worker);
    CHECK(write(thread->done, &one, sizeof(one)) == sizeof(one));
    return NULL;
}

static struct error *make_workers(struct arena *arena, struct runner *runner) {
    const struct run_settings *settings = runner->settings;
    runner->threads = ARENA_ARRAY(arena, struct thread, settings->threads);
    for (unsigned i = 0; i < settings->threads; i++) {
        runner->threads[i].done = runner->done;
        TRY(worker_new(arena, settings, &runner->shared, i, &runner->threads[i].worker));
    }
    return NULL;
}

static void start_threads(struct runner *runner) {
    for (unsigned i = 0; i < runner->settings->threads; i++) {
        CHECK(pthread_create(&runner->threads[i].id, NULL, thread_main, &runner->threads[i]) == 0);
        runner->running++;
    }
}

static void join_threads(struct runner *runner) {
    for (unsigned i = 0; i < runner->settings->threads; i++)
        pthread_join(runner->threads[i].id, NULL);
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* ---- once a second ---- */

static uint64_t look(struct runner *runner) {
    uint64_t errors = 0;
    histogram_init(runner->now);
    for (unsigned i = 0; i < runner->settings->threads; i++) {
        const struct tally *tally = runner->threads[i].worker->tally;
        errors += tally_get(&tally->errors);
        for (size_t k = 0; k < runner->settings->workload->kind_count; k++)
            histogram_merge(runner->now, &tally->kinds[k].latency);
    }
    return errors;
}

/* Ticks of the warm-up see nothing yet. */
static void tick(struct runner *runner, uint64_t now_ns) {
    uint64_t begin = runner->shared.begin_ns;
    uint64_t since = runner->tick_ns > begin || now_ns <= begin ? runner->tick_ns : begin;
    uint64_t errors = look(runner);
    histogram_between(runner->between, runner->before, runner->now);
    struct run_second second = {
        .at_s = ((double)now_ns - (double)begin) / 1e9,
        .length_s = (double)(now_ns - since) / 1e9,
        .replies = histogram_total(runner->between),
        .errors = errors - runner->errors_before,
        .p50_ns = histogram_quantile(runner->between, 0.5),
        .p90_ns = histogram_quantile(runner->between, 0.9),
        .p99_ns = histogram_quantile(runner->between, 0.99),
        .p999_ns = histogram_quantile(runner->between, 0.999),
        .max_ns = histogram_max(runner->between),
    };
    if (runner->observer != NULL)
        runner->observer->second(runner->observer, &second, histogram_total(runner->now), errors);
    runner->tick_ns = now_ns;
    if (now_ns <= begin)
        return;
    buffer_append(&runner->seconds, &second, sizeof(second));
    struct histogram *swap = runner->before;
    runner->before = runner->now;
    runner->now = swap;
    runner->errors_before = errors;
}

/* Ticks fall on whole seconds of the measurement, and none on its beginning or end. */
static uint64_t next_tick(const struct runner *runner) {
    uint64_t begin = runner->shared.begin_ns, end = runner->shared.end_ns, last = runner->tick_ns;
    uint64_t next = last + SECOND;
    if (last >= begin)
        next = begin + ((last - begin) / SECOND + 1) * SECOND;
    else if (next >= begin)
        next = begin + SECOND;
    /* What comes at the end and after it belongs to one second, which sum_up() adds. */
    return next < end ? next : last + 10 * SECOND;
}

/* Returns when all workers have ended. */
static void watch(struct runner *runner) {
    struct pollfd wait[] = {{.fd = runner->done, .events = POLLIN},
                            {.fd = runner->signals, .events = POLLIN}};
    struct signalfd_siginfo signal;
    uint64_t ended;
    while (runner->running > 0) {
        uint64_t now = bench_now_ns(), next = next_tick(runner);
        struct timespec left = {.tv_sec = 0};
        if (next > now)
            left =
                (struct timespec){(time_t)((next - now) / SECOND), (long)((next - now) % SECOND)};
        ppoll(wait, 2, &left, NULL);
        if (wait[0].revents != 0 && read(runner->done, &ended, sizeof(ended)) == sizeof(ended))
            runner->running -= (unsigned)ended;
        if (wait[1].revents != 0 && read(runner->signals, &signal, sizeof(signal)) > 0)
            atomic_store(&runner->shared.stop, RUN_INTERRUPTED);
        now = bench_now_ns();
        if (runner->running > 0 && now >= next)
            tick(runner, now);
    }
}

/* ---- the whole ---- */

static uint64_t count_requests(const struct tally *tally) {
    return tally_replies(tally) + tally_get(&tally->errors) + tally_get(&tally->warmup);
}

/* The measurement lasts until the last reply, and at least as long as it was meant to. */
static uint64_t end_of(const struct runner *runner) {
    const struct run_shared *shared = &runner->shared;
    uint64_t now = bench_now_ns(), end = shared->begin_ns + 1;
    if (atomic_load(&shared->stop) != RUN_GOES_ON)
        return now > end ? now : end;
    if (shared->end_ns != UINT64_MAX)
        end = shared->end_ns;
    for (unsigned i = 0; i < runner->settings->threads; i++)
        if (runner->threads[i].worker->progress_ns > end)
            end = runner->threads[i].worker->progress_ns;
    return end;
}

static void sum_up(struct arena *arena, struct runner *runner, struct run_result *ret_result) {
    struct run_result result = {.tally = ARENA_NEW(arena, struct tally)};
    uint64_t end = end_of(runner);
    double cpu_s = cpu_seconds() - runner->cpu_before_s;
    double elapsed_s = (double)(bench_now_ns() - runner->started_ns) / 1e9;
    tick(runner, end > runner->tick_ns ? end : runner->tick_ns + 1);
    tally_init(result.tally);
    for (unsigned i = 0; i < runner->settings->threads; i++)
        tally_merge(result.tally, runner->threads[i].worker->tally);
    uint64_t requests = count_requests(result.tally);
    result.duration_s = (double)(end - runner->shared.begin_ns) / 1e9;
    result.cpu_share = cpu_s / (elapsed_s * runner->settings->threads);
    result.cpu_us = requests == 0 ? 0 : cpu_s * 1e6 / (double)requests;
    result.stop = (enum run_stop)atomic_load(&runner->shared.stop);
    result.second_count = runner->seconds.len / sizeof(struct run_second);
    result.seconds = arena_copy(arena, buffer_slice(&runner->seconds).data, runner->seconds.len);
    *ret_result = result;
}

static void begin(struct runner *runner) {
    const struct run_settings *settings = runner->settings;
    runner->cpu_before_s = cpu_seconds();
    runner->started_ns = runner->tick_ns = bench_now_ns();
    runner->shared.begin_ns = runner->started_ns + (uint64_t)(settings->warmup_s * 1e9);
    runner->shared.end_ns = settings->count > 0
                                ? UINT64_MAX
                                : runner->shared.begin_ns + (uint64_t)(settings->seconds * 1e9);
    atomic_init(&runner->shared.tickets, (int64_t)settings->count);
    atomic_init(&runner->shared.stop, RUN_GOES_ON);
}

static struct error *prepare(struct arena *arena, struct runner *runner) {
    const struct run_settings *settings = runner->settings;
    uint64_t seed;
    /* Never the same payloads again: to write what is there already is no write. */
    random_fill(settings->random, &seed, sizeof(seed));
    runner->shared.pool = payload_pool_new(arena, seed);
    runner->before = ARENA_NEW(arena, struct histogram);
    runner->now = ARENA_NEW(arena, struct histogram);
    runner->between = ARENA_NEW(arena, struct histogram);
    histogram_init(runner->before);
    if (settings->endpoint->tls)
        TRY(tls_context_new_client(arena, settings->ca_file, &runner->shared.tls));
    begin(runner);
    return make_workers(arena, runner);
}

static void release(struct runner *runner) {
    for (unsigned i = 0; runner->threads != NULL && i < runner->settings->threads; i++)
        worker_free(runner->threads[i].worker);
    tls_context_free(runner->shared.tls);
    buffer_release(&runner->seconds);
    close(runner->done);
    close(runner->signals);
}

struct error *run(struct arena *arena, const struct run_settings *settings,
                  struct run_observer *observer, struct run_result *ret_result) {
    struct runner runner = {.settings = settings, .observer = observer};
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before); /* the threads inherit it */
    runner.done = eventfd(0, EFD_CLOEXEC);
    runner.signals = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    CHECK(runner.done >= 0 && runner.signals >= 0);
    buffer_init(&runner.seconds, (RUN_SECONDS_MAX + 2) * sizeof(struct run_second));
    struct error *error = prepare(arena, &runner);
    if (error == NULL) {
        start_threads(&runner);
        watch(&runner);
        join_threads(&runner);
        sum_up(arena, &runner, ret_result);
    }
    release(&runner);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
