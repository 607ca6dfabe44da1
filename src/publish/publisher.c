/* publisher.c - when it is time to publish. */
#include "publish/publisher.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/deadline.h"
#include "publish/gathering.h"
#include "publish/publication.h"

enum { MINUTE_MS = 60000, FIVE_MINUTES_MS = 5 * MINUTE_MS };

struct publisher {
    struct publisher_options options;
    struct catalog_view *catalog;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wake;
    bool stopping;
    int64_t told_ms; /* the five minutes that it told settings for */
    pthread_t thread;
};

static void sample(struct publisher *publisher) {
    int64_t now_ms = clock_now_ms(publisher->options.clock);
    struct publication to = {
        .series = publisher->options.series,
        .catalog = publisher->catalog,
    };
    gathering_publish(publisher->options.gathering, &to);
    to.time_ms = now_ms - now_ms % FIVE_MINUTES_MS;
    if (to.time_ms != publisher->told_ms)
        publish_settings(&to);
    publisher->told_ms = to.time_ms;
}

void publisher_sample(struct publisher *publisher) {
    pthread_mutex_lock(&publisher->lock);
    sample(publisher);
    pthread_mutex_unlock(&publisher->lock);
}

/* A clock that stands still, or is moved, is the business of who does that. */
static struct timespec next_minute(const struct publisher *publisher) {
    int64_t now_ms = clock_now_ms(publisher->options.clock);
    return deadline_after_ms((uint32_t)(MINUTE_MS - now_ms % MINUTE_MS));
}

static void *publisher_main(void *context) {
    struct publisher *publisher = context;
    pthread_mutex_lock(&publisher->lock);
    while (!publisher->stopping) {
        struct timespec until = next_minute(publisher);
        int waited = 0;
        while (!publisher->stopping && waited == 0)
            waited = pthread_cond_timedwait(&publisher->wake, &publisher->lock, &until);
        sample(publisher);
    }
    pthread_mutex_unlock(&publisher->lock);
    return NULL;
}

static void publisher_free(struct publisher *publisher) {
    catalog_view_free(publisher->catalog);
    pthread_mutex_destroy(&publisher->lock);
    pthread_cond_destroy(&publisher->wake);
    free(publisher);
}

struct error *publisher_start(struct arena *arena, const struct publisher_options *options,
                              struct publisher **ret_publisher) {
    struct publisher *publisher = calloc(1, sizeof(*publisher));
    CHECK(publisher != NULL);
    pthread_condattr_t monotonic;
    publisher->options = *options;
    publisher->catalog = catalog_view_new(engine_catalog(options->engine));
    gathering_begin(options->gathering);
    pthread_mutex_init(&publisher->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&publisher->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&publisher->thread, NULL, publisher_main, publisher) != 0) {
        publisher_free(publisher);
        return error_local(arena, "the thread that publishes metrics did not start");
    }
    *ret_publisher = publisher;
    return NULL;
}

void publisher_stop(struct publisher *publisher) {
    if (publisher == NULL)
        return;
    pthread_mutex_lock(&publisher->lock);
    publisher->stopping = true;
    pthread_mutex_unlock(&publisher->lock);
    pthread_cond_signal(&publisher->wake);
    pthread_join(publisher->thread, NULL);
    publisher_free(publisher);
}
