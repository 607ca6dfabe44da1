/* catalog_job.h - changing the catalog: tables made, changed and deleted, backups made and deleted.
 *
 * Threads: a job is submitted on any thread, and runs on the commit thread. */
#ifndef GRAMME_ENGINE_CATALOG_JOB_H
#define GRAMME_ENGINE_CATALOG_JOB_H

#include "codec/backup.h"
#include "codec/copy.h"
#include "engine/job.h"
#include "engine/table.h"

struct engine;

/* A change of the catalog. `change` runs on the commit thread, one at a time: it sees the table as
 * it is now (NULL: none of that name), decides, and either fails or fills *ret_change. Memory for
 * the new definition: `arena` (the job's). */
enum catalog_action {
    CATALOG_NOTHING,
    CATALOG_CREATE,
    CATALOG_REPLACE,
    CATALOG_DROP,
    CATALOG_BACKUP,      /* takes a backup of the table */
    CATALOG_DROP_BACKUP, /* deletes one, whatever table it is of */
};

struct catalog_change {
    enum catalog_action action;
    /* CREATE and REPLACE. Indexes with id 0 are new: the engine gives them their ids, and on CREATE
     * the table too; likewise a TTL attribute with id 0. What was there and is not any more is
     * removed with its entries. */
    struct table_definition definition;
    /* CREATE: what fills the table before it is ACTIVE (backup.h); COPY_NONE: it begins empty. Its
     * target is the engine's to set. */
    struct copy_state fill;
    /* BACKUP: the name of the new one. DROP_BACKUP: the one that goes. */
    struct backup backup;
    uint64_t last_number; /* the engine's: of the numbers that the change uses; 0: none */
};

struct catalog_job {
    struct job job; /* the engine's */
    /* Given by the caller, unchanged until done. */
    struct slice table_name;
    struct arena *arena;
    void *context;
    struct error *(*change)(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change);
    void (*done)(struct catalog_job *job); /* on the commit thread, after the commit */
    /* Results, when done. */
    struct error *error;
    struct table *before; /* referenced; NULL: there was none */
    struct table *after;  /* referenced; NULL: there is none */
    struct backup backup; /* BACKUP: the new one */
};

void engine_submit_catalog(struct engine *engine, struct catalog_job *job);
/* Gives back the references of a finished job. */
void catalog_job_release(struct catalog_job *job);

#endif
