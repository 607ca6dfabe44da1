/* workers.c - a queue, a lock and some threads. */
#include "pipeline/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct worker_task *head;
    struct worker_task *tail;
    size_t length;
    bool stopping;
    unsigned started;
    pthread_t threads[];
};

static struct worker_task *take(struct workers *workers) {
    pthread_mutex_lock(&workers->lock);
    while (workers->head == NULL && !workers->stopping)
        pthread_cond_wait(&workers->filled, &workers->lock);
    struct worker_task *task = workers->head;
    if (task != NULL)
        workers->head = task->next;
    workers->length -= task != NULL;
    pthread_mutex_unlock(&workers->lock);
    return task;
}

static void *worker_main(void *argument) {
    struct workers *workers = argument;
    struct worker_task *task;
    while ((task = take(workers)) != NULL)
        task->run(task);
    return NULL;
}

struct error *workers_start(struct arena *arena, unsigned count, struct workers **ret_workers) {
    struct workers *workers = calloc(1, sizeof(*workers) + count * sizeof(pthread_t));
    CHECK(workers != NULL);
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->filled, NULL);
    for (; workers->started < count; workers->started++) {
        pthread_t *thread = &workers->threads[workers->started];
        if (pthread_create(thread, NULL, worker_main, workers) != 0) {
            workers_stop(workers);
            return error_local(arena, "a worker thread did not start");
        }
    }
    *ret_workers = workers;
    return NULL;
}

void workers_submit(struct workers *workers, struct worker_task *task) {
    task->next = NULL;
    pthread_mutex_lock(&workers->lock);
    if (workers->head == NULL)
        workers->head = task;
    else
        workers->tail->next = task;
    workers->tail = task;
    workers->length++;
    pthread_mutex_unlock(&workers->lock);
    pthread_cond_signal(&workers->filled);
}

size_t workers_queue_length(struct workers *workers) {
    pthread_mutex_lock(&workers->lock);
    size_t length = workers->length;
    pthread_mutex_unlock(&workers->lock);
    return length;
}

void workers_stop(struct workers *workers) {
    if (workers == NULL)
        return;
    pthread_mutex_lock(&workers->lock);
    workers->stopping = true;
    pthread_mutex_unlock(&workers->lock);
    pthread_cond_broadcast(&workers->filled);
    for (unsigned i = 0; i < workers->started; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_mutex_destroy(&workers->lock);
    pthread_cond_destroy(&workers->filled);
    free(workers);
}
