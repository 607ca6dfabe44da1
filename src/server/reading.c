/* reading.c - see reading.h. */
#include "server/reading.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/engine.h"
#include "iam/stored.h"
#include "server/access.h"
#include "server/standby.h"

/* How long requests are handed on: after a change, so that none is tried again and again while
 * there are many; and after a failure. */
#define REST_AFTER_CHANGE_NS (20 * UINT64_C(1000000))
#define REST_AFTER_FAILURE_NS (1000 * UINT64_C(1000000))

struct reading {
    struct store *store; /* the engine's */
    struct engine *engine;
    bool writes;             /* it has a commit thread, which is the one that loads */
    struct access *access;   /* NULL: signatures are not verified */
    struct standby *standby; /* NULL: there is none */
    struct workers *workers;
    struct confirming confirming;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of the next three */
    pthread_cond_t asked;
    struct confirmation *waiting;
    bool ends;
    _Atomic uint64_t known; /* the number of changes that are loaded */
    _Atomic uint64_t rests_until_ns;
    atomic_bool locked; /* there are keys, and nobody here who looks at them */
    _Atomic uint64_t reloads, confirmed, anew;
};

/* ---- confirming ---- */

static uint64_t known(void *user) {
    struct reading *reading = user;
    return atomic_load(&reading->known);
}

static void ask(void *user, struct confirmation *confirmation) {
    struct reading *reading = user;
    pthread_mutex_lock(&reading->lock);
    confirmation->next = reading->waiting;
    reading->waiting = confirmation;
    pthread_cond_signal(&reading->asked);
    pthread_mutex_unlock(&reading->lock);
}

/* All that wait; NULL: it ends. */
static struct confirmation *take(struct reading *reading) {
    pthread_mutex_lock(&reading->lock);
    while (reading->waiting == NULL && !reading->ends)
        pthread_cond_wait(&reading->asked, &reading->lock);
    struct confirmation *list = reading->waiting;
    reading->waiting = NULL;
    pthread_mutex_unlock(&reading->lock);
    return list;
}

static void answer(struct confirmation *confirmation, bool good) {
    struct exchange *exchange = confirmation->exchange;
    confirmation->good = good;
    net_loop_post(exchange->loop, &exchange->task); /* and it may be gone */
}

/* Answers those that knew what is known now, and leaves the others. */
static struct confirmation *answer_good(struct reading *reading, struct confirmation *list,
                                        uint64_t number) {
    struct confirmation *others = NULL;
    for (struct confirmation *next; list != NULL; list = next) {
        next = list->next;
        if (list->known == number) {
            atomic_fetch_add_explicit(&reading->confirmed, 1, memory_order_relaxed);
            answer(list, true);
        } else {
            list->next = others;
            others = list;
        }
    }
    return others;
}

static void rest(struct reading *reading, uint64_t ns) {
    atomic_store(&reading->rests_until_ns, monotonic_ns() + ns);
}

static struct error *look_for_keys(struct reading *reading, struct arena *arena) {
    struct record *records;
    size_t count = 0;
    TRY(engine_read_records(reading->engine, arena, SLICE_LITERAL(STORED_KEY), &records, &count));
    if (count > 0 && !atomic_exchange(&reading->locked, true))
        log_warning("there are access keys, and this server does not verify signatures: reads are "
                    "handed on; start it with --auth");
    return NULL;
}

/* The number was read before: what is loaded is that, or newer, and then it is noticed. */
static struct error *follow(struct reading *reading, struct arena *arena, uint64_t number) {
    TRY((reading->writes ? engine_reload : engine_look_again)(reading->engine, arena));
    if (reading->access != NULL)
        TRY(iam_look_again(access_iam(reading->access), arena));
    else
        TRY(look_for_keys(reading, arena));
    atomic_store(&reading->known, number);
    if (reading->standby != NULL)
        standby_pin(reading->standby, number);
    atomic_fetch_add_explicit(&reading->reloads, 1, memory_order_relaxed);
    return NULL;
}

static struct error *confirm(struct reading *reading, struct arena *arena,
                             struct confirmation **list) {
    uint64_t number = 0;
    TRY(store_changes(reading->store, arena, &number));
    *list = answer_good(reading, *list, number);
    if (*list == NULL && number == atomic_load(&reading->known))
        return NULL;
    rest(reading, REST_AFTER_CHANGE_NS);
    return number == atomic_load(&reading->known) ? NULL : follow(reading, arena, number);
}

static void *confirm_all(void *user) {
    struct reading *reading = user;
    struct arena arena;
    arena_init(&arena);
    for (struct confirmation *list; (list = take(reading)) != NULL; arena_reset(&arena)) {
        struct error *error = confirm(reading, &arena, &list);
        if (error != NULL) {
            log_repeated_error("reads are handed on: %.*s", SLICE_ARGS(error->message));
            rest(reading, REST_AFTER_FAILURE_NS);
        }
        for (struct confirmation *next; list != NULL; list = next) {
            next = list->next;
            atomic_fetch_add_explicit(&reading->anew, 1, memory_order_relaxed);
            answer(list, false);
        }
    }
    arena_release(&arena);
    return NULL;
}

/* ---- life ---- */

static struct error *open_access(struct reading *reading, struct arena *arena,
                                 const struct access_options *options) {
    if (options == NULL)
        return look_for_keys(reading, arena);
    struct access_options here = *options;
    here.engine = reading->engine;
    return access_open(arena, &here, &reading->access);
}

static struct reading *reading_new(const struct reading_options *options, uint64_t number) {
    struct reading *reading = calloc(1, sizeof(*reading));
    CHECK(reading != NULL && pthread_mutex_init(&reading->lock, NULL) == 0 &&
          pthread_cond_init(&reading->asked, NULL) == 0);
    reading->store = options->engine.store;
    reading->writes = options->engine.joins;
    reading->confirming = (struct confirming){known, ask, reading};
    atomic_init(&reading->known, number);
    if (options->standby != NULL) {
        reading->standby = standby_new(options->standby);
        standby_pin(reading->standby, number);
    }
    return reading;
}

struct error *reading_open(struct arena *arena, const struct reading_options *options,
                           struct reading **ret_reading) {
    uint64_t number = 0;
    struct error *error = store_changes(options->engine.store, arena, &number);
    if (error != NULL) {
        store_close(options->engine.store);
        return error;
    }
    struct reading *reading = reading_new(options, number);
    struct engine_options engine = options->engine;
    if (reading->standby != NULL)
        engine.eventual = standby_eventual(reading->standby);
    error = engine_open(arena, &engine, &reading->engine);
    if (error == NULL)
        error = open_access(reading, arena, options->access);
    if (error != NULL) {
        reading_close(reading);
        return error;
    }
    *ret_reading = reading;
    return NULL;
}

struct error *reading_start(struct arena *arena, struct reading *reading, unsigned workers) {
    TRY(workers_start(arena, workers, &reading->workers));
    if (pthread_create(&reading->thread, NULL, confirm_all, reading) != 0)
        return error_local(arena, "cannot start a thread for reads");
    reading->started = true;
    return reading->standby == NULL ? NULL : standby_start(arena, reading->standby, reading->store);
}

void reading_close(struct reading *reading) {
    if (reading == NULL)
        return;
    pthread_mutex_lock(&reading->lock);
    reading->ends = true;
    pthread_cond_signal(&reading->asked);
    pthread_mutex_unlock(&reading->lock);
    if (reading->started)
        pthread_join(reading->thread, NULL);
    if (reading->standby != NULL)
        standby_stop(reading->standby);
    workers_stop(reading->workers);
    access_close(reading->access);
    engine_close(reading->engine);
    standby_free(reading->standby);
    pthread_cond_destroy(&reading->asked);
    pthread_mutex_destroy(&reading->lock);
    free(reading);
}

bool reading_is_ready(struct reading *reading) {
    return !atomic_load_explicit(&reading->locked, memory_order_relaxed) &&
           monotonic_ns() >= atomic_load_explicit(&reading->rests_until_ns, memory_order_relaxed);
}

struct engine *reading_engine(struct reading *reading) {
    return reading->engine;
}

struct store *reading_store(struct reading *reading) {
    return reading->store;
}

struct workers *reading_workers(struct reading *reading) {
    return reading->workers;
}

struct iam *reading_iam(struct reading *reading) {
    return reading->access == NULL ? NULL : access_iam(reading->access);
}

struct standby *reading_standby(const struct reading *reading) {
    return reading->standby;
}

const struct confirming *reading_confirming(struct reading *reading) {
    return &reading->confirming;
}

uint64_t reading_reloads(const struct reading *reading) {
    return atomic_load_explicit(&reading->reloads, memory_order_relaxed);
}

uint64_t reading_confirmed(const struct reading *reading) {
    return atomic_load_explicit(&reading->confirmed, memory_order_relaxed);
}

uint64_t reading_anew(const struct reading *reading) {
    return atomic_load_explicit(&reading->anew, memory_order_relaxed);
}
