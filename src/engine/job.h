/* job.h - what waits for the commit thread: the link that every kind of job begins with. */
#ifndef GRAMME_ENGINE_JOB_H
#define GRAMME_ENGINE_JOB_H

enum job_kind { JOB_WRITE, JOB_CATALOG, JOB_CLOCK, JOB_LOAD, JOB_RECORDS };

struct job {
    struct job *next;
    enum job_kind kind;
};

#endif
