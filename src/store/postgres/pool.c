/* pool.c - the connections of a store: those of readers, and the writer's.
 *
 * A reader has one for a statement, or for its moment. A transaction never needs a second one, so
 * who waits for one waits for others that get on. */
#include <errno.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/postgres/internal.h"

void pool_init(struct pool *pool, uint32_t max) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->given, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pool->max = max;
}

static void close_list(struct session *list) {
    while (list != NULL) {
        struct session *next = list->next;
        session_close(list);
        list = next;
    }
}

void pool_release(struct pool *pool) {
    close_list(pool->idle);
    pthread_cond_destroy(&pool->given);
    pthread_mutex_destroy(&pool->lock);
}

/* An idle one, or leave to make one (NULL). False: there was neither, in time. */
static bool wait_for_turn(struct pool *pool, uint64_t deadline_ns, struct session **ret_idle) {
    struct timespec at = {(time_t)(deadline_ns / 1000000000), (long)(deadline_ns % 1000000000)};
    int waited = 0;
    pthread_mutex_lock(&pool->lock);
    while (pool->idle == NULL && pool->open >= pool->max && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&pool->given, &pool->lock, &at);
    bool turn = pool->idle != NULL || pool->open < pool->max;
    *ret_idle = pool->idle;
    if (pool->idle != NULL)
        pool->idle = pool->idle->next;
    else if (turn)
        pool->open++;
    pthread_mutex_unlock(&pool->lock);
    return turn;
}

static void one_less(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->open--;
    pthread_cond_signal(&pool->given);
    pthread_mutex_unlock(&pool->lock);
}

struct error *pool_take(struct postgres_store *store, struct arena *arena,
                        struct patience *patience, struct session **ret_session) {
    struct pool *pool = &store->pool;
    for (;;) {
        struct session *session = NULL;
        if (!wait_for_turn(pool, patience->deadline_ns, &session))
            return error_local(arena, POSTGRES_READING ": all %u connections are in use",
                               pool->max);
        struct error *error = NULL;
        if (session != NULL && postgres_is_old(store, session)) {
            session_close(session);
            session = NULL; /* and another in its place */
        }
        if (session == NULL)
            error = postgres_connect(store, arena, false, &session);
        if (error != NULL) {
            one_less(pool);
            if (!patience_wait(patience))
                return error;
            continue;
        }
        if (session_settle(session, patience_left_ms(patience)) != FATE_LOST) {
            *ret_session = session;
            return NULL;
        }
        pool_give(store, session);
    }
}

/* One that was found closed has a text of before, if any: about something that was refused. */
void postgres_note_loss(struct postgres_store *store, const struct session *session) {
    bool found_closed = !session->lost && session_is_lost(session);
    atomic_fetch_add(&store->losses, 1);
    log_repeated_error("a connection to the store was lost: %s",
                       found_closed ? "the server closed it" : session->text);
}

static void pool_forget(struct pool *pool, struct session *lost) {
    struct session *idle;
    pthread_mutex_lock(&pool->lock);
    idle = pool->idle;
    pool->idle = NULL;
    pool->open--;
    for (const struct session *each = idle; each != NULL; each = each->next)
        pool->open--;
    pthread_cond_broadcast(&pool->given);
    pthread_mutex_unlock(&pool->lock);
    session_close(lost);
    close_list(idle);
}

void pool_give(struct postgres_store *store, struct session *session) {
    struct pool *pool = &store->pool;
    if (session_is_lost(session)) {
        postgres_note_loss(store, session);
        pool_forget(pool, session);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    session->next = pool->idle;
    pool->idle = session;
    pthread_cond_signal(&pool->given);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- the writer's ---- */

/* Between commits: what is held goes with the connection. */
static void drop_old_writer(struct postgres_store *store) {
    if (store->writer == NULL || store->groups.held || !postgres_is_old(store, store->writer))
        return;
    session_close(store->writer);
    store->writer = NULL;
}

struct error *postgres_writer(struct postgres_store *store, struct arena *arena,
                              struct patience *patience, struct session **ret_session) {
    drop_old_writer(store);
    while (store->writer == NULL) {
        struct error *error = postgres_connect(store, arena, true, &store->writer);
        if (error != NULL && !patience_wait(patience))
            return error;
    }
    *ret_session = store->writer;
    return NULL;
}

void postgres_writer_lost(struct postgres_store *store) {
    postgres_note_loss(store, store->writer);
    session_close(store->writer);
    store->writer = NULL;
    store->groups.held = false;
    atomic_fetch_add(&store->era, 1);
}
