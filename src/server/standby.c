/* standby.c - see standby.h. */
#include "server/standby.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "engine/engine.h"
#include "store/postgres/pinned.h"
#include "store/postgres/postgres.h"

enum { SAMPLES = 128, LOOK_MS = 200, STANDBY_PATIENCE_MS = 1000 };

/* Where the log of the server that takes the writes was, or further, at that time. */
struct sample {
    uint64_t at_ns, log;
};

struct standby {
    struct standby_options options;
    struct eventual eventual;
    struct store *primary;
    _Atomic uint64_t pinned;
    _Atomic int64_t lag_ms;
    struct sample samples[SAMPLES]; /* a ring, of as long a time as it may be behind */
    size_t sampled;                 /* how many there ever were */
    uint64_t fresh_ns;              /* it has all that was written by then; 0: nobody knows */
    bool told_usable, told_wrong;   /* in the log */
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of the next two, and of the store until it is there */
    pthread_cond_t asked;
    bool ends;
};

/* ---- how far it is ---- */

static void keep_sample(struct standby *standby, struct sample sample) {
    const struct sample *last = &standby->samples[(standby->sampled - 1) % SAMPLES];
    uint64_t apart_ns = standby->options.lag_ms * 1000000 / (SAMPLES / 2);
    if (standby->sampled == 0 || sample.at_ns - last->at_ns >= apart_ns)
        standby->samples[standby->sampled++ % SAMPLES] = sample;
}

/* Since when it lacks something. One that lacks more than there are samples of has at least what it
 * had before. */
static uint64_t fresh_at(const struct standby *standby, struct sample now, uint64_t log) {
    if (now.log <= log)
        return now.at_ns;
    size_t count = standby->sampled < SAMPLES ? standby->sampled : SAMPLES;
    for (size_t i = 1; i <= count; i++) {
        const struct sample *sample = &standby->samples[(standby->sampled - i) % SAMPLES];
        if (sample->log <= log)
            return sample->at_ns;
    }
    return standby->fresh_ns;
}

/* ---- looking ---- */

static struct error *open_store(struct standby *standby, struct arena *arena) {
    struct postgres_store_options options = {.url = standby->options.url,
                                             .groups = POSTGRES_ANY_GROUPS,
                                             .standby = true,
                                             .patience_ms = STANDBY_PATIENCE_MS};
    struct store *store = NULL;
    TRY(postgres_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, &store));
    pthread_mutex_lock(&standby->lock);
    standby->eventual.store = store;
    postgres_pin(store, atomic_load(&standby->pinned));
    pthread_mutex_unlock(&standby->lock);
    return NULL;
}

/* Until when it may be read; 0: not now. */
static struct error *find_out(struct standby *standby, struct arena *arena,
                              uint64_t *ret_until_ns) {
    struct postgres_position here, there;
    struct sample sample = {.at_ns = monotonic_ns()};
    if (standby->eventual.store == NULL)
        TRY(open_store(standby, arena));
    TRY(postgres_position(standby->primary, arena, &there));
    sample.log = there.log;
    keep_sample(standby, sample);
    TRY(postgres_position(standby->eventual.store, arena, &here));
    uint64_t fresh_ns = fresh_at(standby, sample, here.log), now = monotonic_ns();
    standby->fresh_ns = fresh_ns;
    atomic_store(&standby->lag_ms, fresh_ns == 0 ? -1 : (int64_t)((now - fresh_ns) / 1000000));
    uint64_t until_ns = fresh_ns + standby->options.lag_ms * 1000000;
    if (fresh_ns != 0 && now < until_ns && here.changes == atomic_load(&standby->pinned) &&
        now >= atomic_load(&standby->eventual.rests_until_ns))
        *ret_until_ns = until_ns;
    return NULL;
}

/* Once for each change. */
static void tell(struct standby *standby, bool usable) {
    double lag_s = standby_lag_s(standby);
    if (usable && !standby->told_usable)
        log_info("reading from the standby what may be a moment old");
    else if (!usable && standby->told_usable && lag_s * 1000 > (double)standby->options.lag_ms)
        log_warning("the standby is %.1f s behind: everything is read from the primary", lag_s);
    else if (!usable && standby->told_usable)
        log_info("the standby has yet to catch up: everything is read from the primary");
    standby->told_usable = usable;
}

static void look(struct standby *standby, struct arena *arena) {
    uint64_t until_ns = 0;
    struct error *error = find_out(standby, arena, &until_ns);
    if (error != NULL) {
        atomic_store(&standby->lag_ms, -1);
        if (!standby->told_wrong)
            log_error("the standby is not read: %.*s", SLICE_ARGS(error->message));
    }
    standby->told_wrong = error != NULL;
    atomic_store(&standby->eventual.usable_until_ns, until_ns);
    if (error == NULL)
        tell(standby, until_ns != 0);
    else
        standby->told_usable = false;
}

/* ---- its thread ---- */

static bool rest(struct standby *standby) {
    uint64_t at_ns = monotonic_ns() + LOOK_MS * UINT64_C(1000000);
    struct timespec at = {(time_t)(at_ns / 1000000000), (long)(at_ns % 1000000000)};
    int waited = 0;
    pthread_mutex_lock(&standby->lock);
    while (!standby->ends && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&standby->asked, &standby->lock, &at);
    bool ends = standby->ends;
    pthread_mutex_unlock(&standby->lock);
    return !ends;
}

static void *look_after(void *user) {
    struct standby *standby = user;
    struct arena CLEANUP(arena_release) arena;
    arena_init(&arena);
    do {
        look(standby, &arena);
        arena_reset(&arena);
    } while (rest(standby));
    return NULL;
}

/* ---- life ---- */

struct standby *standby_new(const struct standby_options *options) {
    pthread_condattr_t monotonic;
    struct standby *standby = calloc(1, sizeof(*standby));
    CHECK(standby != NULL && pthread_condattr_init(&monotonic) == 0 &&
          pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
          pthread_mutex_init(&standby->lock, NULL) == 0 &&
          pthread_cond_init(&standby->asked, &monotonic) == 0);
    pthread_condattr_destroy(&monotonic);
    standby->options = *options;
    atomic_init(&standby->lag_ms, -1);
    return standby;
}

struct error *standby_start(struct arena *arena, struct standby *standby, struct store *primary) {
    standby->primary = primary;
    if (pthread_create(&standby->thread, NULL, look_after, standby) != 0)
        return error_local(arena, "cannot start a thread for the standby");
    standby->started = true;
    return NULL;
}

void standby_stop(struct standby *standby) {
    pthread_mutex_lock(&standby->lock);
    standby->ends = true;
    pthread_cond_signal(&standby->asked);
    pthread_mutex_unlock(&standby->lock);
    if (standby->started)
        pthread_join(standby->thread, NULL);
    atomic_store(&standby->eventual.usable_until_ns, 0);
}

void standby_free(struct standby *standby) {
    if (standby == NULL)
        return;
    store_close(standby->eventual.store);
    pthread_cond_destroy(&standby->asked);
    pthread_mutex_destroy(&standby->lock);
    free(standby);
}

struct eventual *standby_eventual(struct standby *standby) {
    return &standby->eventual;
}

void standby_pin(struct standby *standby, uint64_t number) {
    atomic_store(&standby->eventual.usable_until_ns, 0); /* until it is seen to be there, too */
    pthread_mutex_lock(&standby->lock);
    atomic_store(&standby->pinned, number);
    if (standby->eventual.store != NULL)
        postgres_pin(standby->eventual.store, number);
    pthread_mutex_unlock(&standby->lock);
}

double standby_lag_s(const struct standby *standby) {
    return (double)atomic_load(&standby->lag_ms) / 1000;
}
