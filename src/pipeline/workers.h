/* workers.h - threads for reads that are too long for an I/O thread.
 *
 * A task runs on one of the workers. Tasks are embedded in what they are about, so submitting never
 * allocates. The queue is as long as there are requests in flight,
 * which the endpoint limits. */
#ifndef GRAMME_PIPELINE_WORKERS_H
#define GRAMME_PIPELINE_WORKERS_H

#include "base/error.h"

struct worker_task {
    struct worker_task *next;
    void (*run)(struct worker_task *task);
};

struct workers;

struct error *workers_start(struct arena *arena, unsigned count, struct workers **ret_workers);
void workers_submit(struct workers *workers, struct worker_task *task);
/* How many tasks wait for a worker. Any thread. */
size_t workers_queue_length(struct workers *workers);
/* Finishes what was submitted, joins the threads. workers_stop(NULL) is fine. */
void workers_stop(struct workers *workers);

#endif
