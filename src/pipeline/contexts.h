/* contexts.h - what calls on worker threads work with: a context for each that runs at a time, made
 * when it is needed and kept for the next.
 *
 * They belong to a database and not to the workers, so that these may work for several. Threads:
 * any. */
#ifndef GRAMME_PIPELINE_CONTEXTS_H
#define GRAMME_PIPELINE_CONTEXTS_H

#include <pthread.h>

#include "ops/op.h"

struct spare_context;

struct contexts {
    struct op_context (*make)(void *user);
    void (*end)(struct op_context *context);
    void *user;
    pthread_mutex_t lock;
    struct spare_context *first; /* nobody works with them now */
};

void contexts_init(struct contexts *contexts, struct op_context (*make)(void *user),
                   void (*end)(struct op_context *context), void *user);
/* All have been given back. */
void contexts_release(struct contexts *contexts);

struct op_context *contexts_take(struct contexts *contexts);
void contexts_give(struct contexts *contexts, struct op_context *context);

#endif
