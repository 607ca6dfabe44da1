/* commit_queue.h - the jobs that wait for the commit thread. Private to this folder.
 *
 * Threads: taking and finishing on the commit thread, all else on any thread. The lock is held for
 * a few instructions. */
#ifndef GRAMME_ENGINE_COMMIT_QUEUE_H
#define GRAMME_ENGINE_COMMIT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "engine/job.h"

struct commit_queue {
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t filled;
    pthread_cond_t finished; /* a job for which someone waits */
    struct job *head;
    struct job *tail;
    size_t length;
    bool busy; /* the thread works on what it took */
    bool stopping;
    bool woken; /* chores are to look again, whatever they wait for */
};

/* A job on the stack of who waits for it, in a struct of its kind. */
struct waited_job {
    struct job job;
    bool done;
};

void commit_queue_init(struct commit_queue *queue);
void commit_queue_release(struct commit_queue *queue);

void commit_queue_put(struct commit_queue *queue, struct job *job);
/* Comes back when the job was finished. */
void commit_queue_put_and_wait(struct commit_queue *queue, struct waited_job *waited);
void commit_queue_wake(struct commit_queue *queue);
/* No job comes after this. */
void commit_queue_stop(struct commit_queue *queue);

struct commit_taken {
    struct job *jobs; /* all of them in order; NULL: none */
    bool stop;        /* there will be none */
    bool woken;
};

/* Waits for jobs; comes back without any when it is time to stop or to look after the chores, or
 * when the deadline passes (NULL: there is none). */
struct commit_taken commit_queue_take(struct commit_queue *queue, const struct timespec *deadline);
/* How many jobs wait. */
size_t commit_queue_length(struct commit_queue *queue);
/* Whether a job that is put now would wait. */
bool commit_queue_is_busy(struct commit_queue *queue);
/* Whether someone wants the thread: jobs wait, or it is to stop. */
bool commit_queue_is_pressing(struct commit_queue *queue);
/* The job is gone after this. */
void commit_queue_finish(struct commit_queue *queue, struct waited_job *waited);

#endif
