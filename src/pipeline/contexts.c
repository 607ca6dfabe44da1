/* contexts.c - a list and a lock. */
#include "pipeline/contexts.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"

struct spare_context {
    struct op_context context;
    struct spare_context *next;
};

void contexts_init(struct contexts *contexts, struct op_context (*make)(void *user),
                   void (*end)(struct op_context *context), void *user) {
    *contexts = (struct contexts){.make = make, .end = end, .user = user};
    CHECK(pthread_mutex_init(&contexts->lock, NULL) == 0);
}

void contexts_release(struct contexts *contexts) {
    for (struct spare_context *next; contexts->first != NULL; contexts->first = next) {
        next = contexts->first->next;
        contexts->end(&contexts->first->context);
        free(contexts->first);
    }
    pthread_mutex_destroy(&contexts->lock);
}

struct op_context *contexts_take(struct contexts *contexts) {
    pthread_mutex_lock(&contexts->lock);
    struct spare_context *spare = contexts->first;
    if (spare != NULL)
        contexts->first = spare->next;
    pthread_mutex_unlock(&contexts->lock);
    if (spare == NULL) {
        spare = malloc(sizeof(*spare));
        CHECK(spare != NULL);
        spare->context = contexts->make(contexts->user);
    }
    return &spare->context;
}

void contexts_give(struct contexts *contexts, struct op_context *context) {
    struct spare_context *spare = container_of(context, struct spare_context, context);
    pthread_mutex_lock(&contexts->lock);
    spare->next = contexts->first;
    contexts->first = spare;
    pthread_mutex_unlock(&contexts->lock);
}
