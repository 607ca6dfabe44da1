/* commit_queue.c - a list under a lock. */
#include "engine/commit_queue.h"

#include <errno.h>

#include "base/check.h"
#include "base/deadline.h"

void commit_queue_init(struct commit_queue *queue) {
    pthread_condattr_t attributes;
    *queue = (struct commit_queue){.head = NULL};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->filled, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_cond_init(&queue->finished, NULL);
}

void commit_queue_release(struct commit_queue *queue) {
    pthread_cond_destroy(&queue->finished);
    pthread_cond_destroy(&queue->filled);
    pthread_mutex_destroy(&queue->lock);
}

void commit_queue_put(struct commit_queue *queue, struct job *job) {
    job->next = NULL;
    pthread_mutex_lock(&queue->lock);
    CHECK(!queue->stopping);
    bool was_empty = queue->head == NULL;
    if (was_empty)
        queue->head = job;
    else
        queue->tail->next = job;
    queue->tail = job;
    queue->length++;
    pthread_mutex_unlock(&queue->lock);
    if (was_empty)
        pthread_cond_signal(&queue->filled);
}

void commit_queue_put_and_wait(struct commit_queue *queue, struct waited_job *waited) {
    waited->done = false;
    commit_queue_put(queue, &waited->job);
    pthread_mutex_lock(&queue->lock);
    while (!waited->done)
        pthread_cond_wait(&queue->finished, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

void commit_queue_finish(struct commit_queue *queue, struct waited_job *waited) {
    pthread_mutex_lock(&queue->lock);
    waited->done = true;
    pthread_cond_broadcast(&queue->finished);
    pthread_mutex_unlock(&queue->lock);
}

void commit_queue_wake(struct commit_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->woken = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->filled);
}

void commit_queue_stop(struct commit_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->filled);
}

struct commit_taken commit_queue_take(struct commit_queue *queue, const struct timespec *deadline) {
    /* Asking for a moment that is over would still give the processor away. */
    int waited = deadline != NULL && deadline_passed(deadline) ? ETIMEDOUT : 0;
    pthread_mutex_lock(&queue->lock);
    queue->busy = false;
    while (queue->head == NULL && !queue->stopping && !queue->woken && waited != ETIMEDOUT) {
        if (deadline == NULL)
            pthread_cond_wait(&queue->filled, &queue->lock);
        else
            waited = pthread_cond_timedwait(&queue->filled, &queue->lock, deadline);
    }
    struct commit_taken taken = {
        .jobs = queue->head,
        .stop = queue->head == NULL && queue->stopping,
        .woken = queue->woken,
    };
    queue->head = queue->tail = NULL;
    queue->length = 0;
    queue->busy = taken.jobs != NULL;
    queue->woken = false;
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

size_t commit_queue_length(struct commit_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    size_t length = queue->length;
    pthread_mutex_unlock(&queue->lock);
    return length;
}

bool commit_queue_is_busy(struct commit_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    bool busy = queue->busy || queue->head != NULL;
    pthread_mutex_unlock(&queue->lock);
    return busy;
}

bool commit_queue_is_pressing(struct commit_queue *queue) {
    pthread_mutex_lock(&queue->lock);
    bool pressing = queue->head != NULL || queue->stopping;
    pthread_mutex_unlock(&queue->lock);
    return pressing;
}
