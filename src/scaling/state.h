/* state.h - what is behind scaling.h: for the files of this folder. */
#ifndef GRAMME_SCALING_STATE_H
#define GRAMME_SCALING_STATE_H

#include <pthread.h>

#include "engine/engine.h"
#include "scaling/options.h"
#include "scaling/stored.h"

enum { ACTIVITIES_MAX = 1000 };

/* A target or a policy: never changed, but replaced. */
struct kept_target {
    struct arena arena;
    struct scaling_target target;
    bool fresh; /* its bounds were given just now */
};

struct kept_policy {
    struct arena arena;
    struct scaling_policy policy;
};

struct scaling {
    struct scaling_options options;
    pthread_mutex_t lock; /* of all below */
    struct kept_target **targets;
    size_t target_count;
    struct kept_policy **policies;
    size_t policy_count;
    uint64_t activity_next; /* its number */
    int64_t looked_ms;      /* the end of the minute that was looked at last */
    /* Whoever rings may be the thread that the holder of `lock` waits for, so the bell has a lock
     * of its own, of the next three; taken after `lock` and held for no work at all. */
    pthread_mutex_t bell_lock;
    pthread_cond_t bell;
    bool rung;
    bool stopping;
    bool started;
    pthread_t thread;
    struct catalog_view *catalog; /* the thread's, and of who holds the lock */
};

/* With the lock. */
struct kept_target *scaling_find_target(const struct scaling *scaling, struct slice resource,
                                        enum scaling_dimension dimension);
/* Stores the policy, and takes it in the place of the one with its id, or as a new one. */
struct error *scaling_keep_policy(struct scaling *scaling, struct arena *arena,
                                  const struct scaling_policy *policy);
/* Any thread, with the lock or without. */
void scaling_ring(struct scaling *scaling);

/* The capacity that a target has now; false: there is no such table or index, or it is on demand.
 * `ret_id`: of the table. */
struct scaling_capacity {
    int64_t read;
    int64_t write;
    uint32_t table_id;
};
bool scaling_find_capacity(struct scaling *scaling, struct slice resource,
                           enum scaling_dimension dimension, struct scaling_capacity *ret_capacity);

/* alarms.c: makes the alarms of a policy, or sets their thresholds for another capacity. */
struct error *scaling_put_alarms(struct scaling *scaling, struct arena *arena,
                                 const struct scaling_policy *policy, int64_t capacity);
void scaling_delete_alarms(struct scaling *scaling, struct arena *arena,
                           const struct scaling_policy *policy);

/* loop.c */
struct error *scaling_loop_start(struct scaling *scaling, struct arena *arena);
void scaling_loop_stop(struct scaling *scaling);

#endif
