/* scrub.c - see scrub.h. */
#include "store/rocksdb/scrub.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/rocksdb/scrub_mark.h"

enum { NOT_NOW_MS = 10 * 1000, LOOK_EVERY_MS = 60 * 60 * 1000 };

struct scrubber {
    struct table_pace pace;
    struct rocksdb_store *store;
    int64_t period_ms;
    uint64_t rate; /* of the pass under way, bytes a second */
    struct scrub_mark mark;
    atomic_uint_fast64_t bytes; /* that were read */
    atomic_uint_fast64_t faults;
    atomic_int_fast64_t ended_ms;
    pthread_t thread;
    pthread_mutex_t lock; /* of `stopping`, and for the condition */
    pthread_cond_t wake;
    bool stopping;
};

/* ---- waiting ---- */

/* False when it is to stop. */
static bool rest(struct scrubber *scrubber, int64_t ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + ms % 1000 * 1000000;
    until.tv_sec += (time_t)(ms / 1000 + ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&scrubber->lock);
    while (!scrubber->stopping &&
           pthread_cond_timedwait(&scrubber->wake, &scrubber->lock, &until) == 0) {
    }
    bool goes_on = !scrubber->stopping;
    pthread_mutex_unlock(&scrubber->lock);
    return goes_on;
}

/* Before a table is read on, of which so much was read. */
static bool wait_to_read(struct table_pace *base, size_t bytes) {
    struct scrubber *scrubber = container_of(base, struct scrubber, pace);
    atomic_fetch_add(&scrubber->bytes, bytes);
    return rest(scrubber, (int64_t)(bytes * 1000 / scrubber->rate));
}

/* ---- tables ---- */

struct tables {
    uint64_t next;  /* the first behind a number; 0: there is none */
    uint64_t last;  /* of all */
    uint64_t bytes; /* of all */
};

/* "/000012.sst" */
static uint64_t number_of(const char *name) {
    return strtoull(name[0] == '/' ? name + 1 : name, NULL, 10);
}

/* False: not now. */
static bool find_tables(struct scrubber *scrubber, uint64_t behind, struct tables *ret_tables) {
    struct rocksdb_store *store = scrubber->store;
    struct tables tables = {0};
    struct arena arena;
    arena_init(&arena);
    bool entered = rocksdb_gate_enter(store, &arena) == NULL;
    arena_release(&arena);
    if (!entered)
        return false;
    const rocksdb_livefiles_t *files = rocks.livefiles(store->db);
    for (int i = 0; i < rocks.livefiles_count(files); i++) {
        uint64_t number = number_of(rocks.livefiles_name(files, i));
        tables.bytes += rocks.livefiles_size(files, i);
        tables.last = number > tables.last ? number : tables.last;
        if (number > behind && (tables.next == 0 || number < tables.next))
            tables.next = number;
    }
    rocks.livefiles_destroy(files);
    rocksdb_gate_leave(store);
    *ret_tables = tables;
    return true;
}

/* A table that a compaction has replaced meanwhile is gone, and nobody's loss. */
static bool is_in_use(struct scrubber *scrubber, uint64_t number) {
    struct tables tables;
    return !find_tables(scrubber, number - 1, &tables) || tables.next == number;
}

/* False when it is to stop. */
static bool scrub_table(struct scrubber *scrubber, uint64_t number) {
    const char *directory = scrubber->store->config.options.directory;
    char path[4096];
    bool opened;
    snprintf(path, sizeof(path), "%s/%06llu.sst", directory, (unsigned long long)number);
    char *text = extension.table_file_verify(scrubber->store->env, path, &scrubber->pace, &opened);
    bool goes_on = rest(scrubber, 0);
    if (goes_on && text != NULL && is_in_use(scrubber, number)) {
        log_error("the store's file %s is damaged: %s; gramme check tells more, and what to do",
                  path, text);
        scrubber->mark.faults++;
        atomic_store(&scrubber->faults, scrubber->mark.faults + scrubber->mark.last_faults);
    }
    free(text);
    return goes_on;
}

/* ---- a pass ---- */

static void begin_pass(struct scrubber *scrubber) {
    struct scrub_mark *mark = &scrubber->mark;
    if (mark->table != 0)
        return; /* it goes on */
    mark->began_ms = clock_now_ms(&system_clock);
    mark->faults = 0;
}

static void end_pass(struct scrubber *scrubber, uint64_t read) {
    struct scrub_mark *mark = &scrubber->mark;
    mark->table = 0;
    mark->last_faults = mark->faults;
    mark->faults = 0;
    mark->ended_ms = clock_now_ms(&system_clock);
    atomic_store(&scrubber->ended_ms, mark->ended_ms);
    atomic_store(&scrubber->faults, mark->last_faults);
    scrub_mark_write(scrubber->store->config.options.directory, mark);
    log_info("the store's files were read through: %llu bytes, %llu files damaged",
             (unsigned long long)read, (unsigned long long)mark->last_faults);
}

/* Those that are there when it begins, or goes on. */
static void run_pass(struct scrubber *scrubber) {
    const char *directory = scrubber->store->config.options.directory;
    struct scrub_mark *mark = &scrubber->mark;
    uint64_t before = atomic_load(&scrubber->bytes);
    struct tables tables;
    while (!find_tables(scrubber, mark->table, &tables))
        if (!rest(scrubber, NOT_NOW_MS))
            return;
    uint64_t last = tables.last, needed = tables.bytes * 1000 / (uint64_t)scrubber->period_ms;
    scrubber->rate = needed > SCRUB_RATE_MIN ? needed : SCRUB_RATE_MIN;
    begin_pass(scrubber);
    while (tables.next != 0 && tables.next <= last) {
        if (!scrub_table(scrubber, tables.next))
            return;
        mark->table = tables.next;
        scrub_mark_write(directory, mark);
        while (!find_tables(scrubber, mark->table, &tables))
            if (!rest(scrubber, NOT_NOW_MS))
                return;
    }
    end_pass(scrubber, atomic_load(&scrubber->bytes) - before);
}

/* How long to rest before the next pass; a clock that went back does not make it wait. */
static int64_t rest_ms(const struct scrubber *scrubber) {
    const struct scrub_mark *mark = &scrubber->mark;
    int64_t passed_ms = clock_now_ms(&system_clock) - mark->began_ms;
    if (mark->table != 0 || mark->began_ms == 0 || passed_ms < 0 ||
        passed_ms >= scrubber->period_ms)
        return 0;
    int64_t left_ms = scrubber->period_ms - passed_ms;
    return left_ms < LOOK_EVERY_MS ? left_ms : LOOK_EVERY_MS;
}

static bool prepare(struct scrubber *scrubber) {
    struct arena arena;
    arena_init(&arena);
    struct error *error = rocksdb_library_load_extension(&arena);
    if (error != NULL)
        log_error("the store's tables are not scrubbed: %.*s", SLICE_ARGS(error->message));
    arena_release(&arena);
    scrubber->mark = scrub_mark_read(scrubber->store->config.options.directory);
    atomic_store(&scrubber->ended_ms, scrubber->mark.ended_ms);
    atomic_store(&scrubber->faults, scrubber->mark.faults + scrubber->mark.last_faults);
    return error == NULL;
}

/* The start is over before it reads anything. */
static void *scrub(void *context) {
    struct scrubber *scrubber = context;
    int64_t first_ms = scrubber->period_ms / 1000 < SCRUB_REST_MS_MAX ? scrubber->period_ms / 1000
                                                                      : SCRUB_REST_MS_MAX;
    if (!rest(scrubber, first_ms) || !prepare(scrubber))
        return NULL;
    while (rest(scrubber, rest_ms(scrubber)))
        if (rest_ms(scrubber) == 0)
            run_pass(scrubber);
    return NULL;
}

/* ---- starting, stopping, telling ---- */

void scrubber_start(struct rocksdb_store *store) {
    pthread_condattr_t clock;
    if (store->config.options.scrub_ms == 0 || store->scrubber != NULL)
        return;
    struct scrubber *scrubber = calloc(1, sizeof(*scrubber));
    CHECK(scrubber != NULL);
    scrubber->pace.wait = wait_to_read;
    scrubber->store = store;
    scrubber->period_ms = (int64_t)store->config.options.scrub_ms;
    CHECK(pthread_mutex_init(&scrubber->lock, NULL) == 0);
    CHECK(pthread_condattr_init(&clock) == 0);
    CHECK(pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&scrubber->wake, &clock) == 0);
    pthread_condattr_destroy(&clock);
    CHECK(pthread_create(&scrubber->thread, NULL, scrub, scrubber) == 0);
    store->scrubber = scrubber;
}

void scrubber_stop(struct rocksdb_store *store) {
    struct scrubber *scrubber = store->scrubber;
    if (scrubber == NULL)
        return;
    pthread_mutex_lock(&scrubber->lock);
    scrubber->stopping = true;
    pthread_cond_signal(&scrubber->wake);
    pthread_mutex_unlock(&scrubber->lock);
    pthread_join(scrubber->thread, NULL);
    pthread_cond_destroy(&scrubber->wake);
    pthread_mutex_destroy(&scrubber->lock);
    free(scrubber);
    store->scrubber = NULL;
}

size_t scrubber_statistics(const struct rocksdb_store *store,
                           struct store_statistic ret_list[SCRUB_STATISTICS]) {
    const struct scrubber *scrubber = store->scrubber;
    if (scrubber == NULL)
        return 0;
    ret_list[0] = (struct store_statistic){"scrub_bytes", "Read of files to verify them.",
                                           (double)atomic_load(&scrubber->bytes)};
    ret_list[1] =
        (struct store_statistic){"scrub_faults",
                                 "Files found damaged, in this pass over all of them and in the "
                                 "one before.",
                                 (double)atomic_load(&scrubber->faults)};
    ret_list[2] = (struct store_statistic){"scrub_ended_timestamp_seconds",
                                           "When the last pass ended, since 1970; 0: none did.",
                                           (double)atomic_load(&scrubber->ended_ms) / 1000};
    return SCRUB_STATISTICS;
}
