/* catalog_job.c - what a caller does with a change of the catalog. */
#include "engine/catalog_job.h"

#include "engine/state.h"

void engine_submit_catalog(struct engine *engine, struct catalog_job *job) {
    job->job.kind = JOB_CATALOG;
    commit_queue_put(&engine->queue, &job->job);
}

void catalog_job_release(struct catalog_job *job) {
    table_unref(job->before);
    table_unref(job->after);
    job->before = job->after = NULL;
}
