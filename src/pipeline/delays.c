/* delays.c - a list by the time that is waited for, and the thread that waits. */
#include "pipeline/delays.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/deadline.h"

struct delays {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    struct delay *first; /* the soonest */
    bool hurried, stopping;
};

/* Takes what is due off the list and posts it; the lock is held. */
static void post_due(struct delays *delays) {
    while (delays->first != NULL && (delays->hurried || deadline_passed(&delays->first->at))) {
        struct delay *due = delays->first;
        delays->first = due->next;
        net_loop_post(due->loop, due->task);
    }
}

static void *delays_main(void *context) {
    struct delays *delays = context;
    pthread_mutex_lock(&delays->lock);
    while (!delays->stopping) {
        post_due(delays);
        if (delays->first == NULL) {
            pthread_cond_wait(&delays->changed, &delays->lock);
        } else {
            struct timespec at = delays->first->at;
            pthread_cond_timedwait(&delays->changed, &delays->lock, &at);
        }
    }
    pthread_mutex_unlock(&delays->lock);
    return NULL;
}

struct error *delays_start(struct arena *arena, struct delays **ret_delays) {
    struct delays *delays = calloc(1, sizeof(*delays));
    pthread_condattr_t attributes;
    CHECK(delays != NULL);
    pthread_mutex_init(&delays->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&delays->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&delays->thread, NULL, delays_main, delays) != 0) {
        free(delays);
        return error_local(arena, "the thread of delays did not start");
    }
    *ret_delays = delays;
    return NULL;
}

void delays_put(struct delays *delays, struct delay *delay, uint32_t ms) {
    delay->at = deadline_after_ms(ms);
    pthread_mutex_lock(&delays->lock);
    struct delay **at = &delays->first;
    while (*at != NULL && !deadline_before(&delay->at, &(*at)->at))
        at = &(*at)->next;
    delay->next = *at;
    *at = delay;
    pthread_mutex_unlock(&delays->lock);
    pthread_cond_signal(&delays->changed);
}

void delays_hurry(struct delays *delays) {
    if (delays == NULL)
        return;
    pthread_mutex_lock(&delays->lock);
    delays->hurried = true;
    pthread_mutex_unlock(&delays->lock);
    pthread_cond_signal(&delays->changed);
}

void delays_stop(struct delays *delays) {
    if (delays == NULL)
        return;
    pthread_mutex_lock(&delays->lock);
    delays->stopping = true;
    pthread_mutex_unlock(&delays->lock);
    pthread_cond_signal(&delays->changed);
    pthread_join(delays->thread, NULL);
    pthread_cond_destroy(&delays->changed);
    pthread_mutex_destroy(&delays->lock);
    free(delays);
}
