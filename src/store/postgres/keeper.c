/* keeper.c - a thread that keeps the lead, or the number of a member.
 *
 * A leader that does not renew its lead for some seconds loses it. Nothing else that its process
 * waits for (a name server, a long statement, a catalog of many tables) may delay that. So this
 * thread does nothing but renew, on the session of the lead, which other threads use for short
 * statements only. It runs until the store is closed. store_leads() and postgres_store_stays()
 * report what it found. */
#include "base/check.h"
#include "base/deadline.h"
#include "store/postgres/internal.h"

void keeper_init(struct keeper *keeper) {
    pthread_condattr_t monotonic;
    CHECK(pthread_condattr_init(&monotonic) == 0 &&
          pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
          pthread_cond_init(&keeper->wake, &monotonic) == 0 &&
          pthread_mutex_init(&keeper->lock, NULL) == 0);
    pthread_condattr_destroy(&monotonic);
}

/* False: it is to stop. */
static bool rest(struct keeper *keeper) {
    struct timespec until = deadline_after_ms(STORE_LEADS_MS);
    int waited = 0;
    pthread_mutex_lock(&keeper->lock);
    while (!keeper->stops && waited == 0)
        waited = pthread_cond_timedwait(&keeper->wake, &keeper->lock, &until);
    bool stops = keeper->stops;
    pthread_mutex_unlock(&keeper->lock);
    return !stops;
}

static void *keep(void *user) {
    struct postgres_store *store = user;
    while (rest(&store->keeper))
        if (atomic_load(&store->lead.leads))
            (void)(store->lead.row == 0 ? lead_keep(store) : members_keep(store));
    return NULL;
}

void keeper_start(struct postgres_store *store) {
    struct keeper *keeper = &store->keeper;
    if (!store->options.keeps || keeper->runs)
        return;
    CHECK(pthread_create(&keeper->thread, NULL, keep, store) == 0);
    keeper->runs = true;
}

void keeper_stop(struct keeper *keeper) {
    if (!keeper->runs)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->stops = true;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    keeper->runs = false;
}

void keeper_release(struct keeper *keeper) {
    keeper_stop(keeper);
    pthread_cond_destroy(&keeper->wake);
    pthread_mutex_destroy(&keeper->lock);
}
