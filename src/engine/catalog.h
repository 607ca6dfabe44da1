/* catalog.h - the tables there are.
 *
 * The catalog is an immutable list of tables, replaced whole by the commit thread when a table is
 * created, changed or deleted. An I/O thread looks tables up through its own catalog_view, which
 * costs one atomic load unless the catalog changed. A table stays valid while someone holds a
 * reference, also after it was deleted (then `dropped` is set and the commit thread refuses writes
 * to it).
 *
 * Threads: catalog_find() and catalog_tables() on the view's thread; changes on the commit thread
 * only (catalog_job). */
#ifndef GRAMME_ENGINE_CATALOG_H
#define GRAMME_ENGINE_CATALOG_H

#include <stdatomic.h>

#include "codec/backup.h"
#include "codec/copy.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/kept_key.h"
#include "model/table.h"

/* How much a table, an index or a table's range of expiries holds: kept current by every commit,
 * and stored with it. Shared by all versions of a table's definition. */
struct table_stats {
    uint32_t id; /* of the range of keys */
    atomic_int_fast64_t item_count;
    atomic_int_fast64_t size_bytes;
    atomic_uint references;
    /* Of a table, not of an index: the table was deleted. */
    atomic_bool dropped;
    /* Commit thread only: the table as it is now, and what the group under way adds. */
    struct table *current;
    bool keeps_history; /* what a change replaces is kept (history.h) */
    int64_t pending_items;
    int64_t pending_bytes;
    bool touched;
    struct table_stats *next_touched;
    /* Of a range that is being filled, commit thread only: the store key of the last item that it
     * covers; absent: it covers none yet (backfill.h). */
    struct kept_key cursor;
    /* Of a range of expiries, commit thread only: no entry to be swept is before this key; absent:
     * not known (sweep.h). And how many items expired that the log does not tell of yet. */
    struct kept_key first_due;
    uint64_t expired;
};

struct table {
    struct table_definition definition;
    struct table_stats *stats;
    struct table_stats **index_stats; /* one per index, in the definition's order */
    struct table_stats *ttl_stats;    /* of its expiries; NULL: items do not expire */
    bool has_local_index;             /* its item collections are counted */
    struct arena arena;               /* holds the definition */
    atomic_uint references;
};

struct table *table_ref(struct table *table);
void table_unref(struct table *table); /* NULL is fine */
/* What an item of the table takes on average. At least 1. */
int64_t table_average_bytes(const struct table *table);

struct catalog_view;
struct catalog_view *catalog_view_new(struct engine *engine);
void catalog_view_free(struct catalog_view *view);

/* Borrowed until the view is used again; take a reference to keep it longer. NULL: no such table.
 */
struct table *catalog_find(struct catalog_view *view, struct slice name);
/* All tables, sorted by name. */
size_t catalog_tables(struct catalog_view *view, struct table *const **ret_tables);

/* ---- changes ---- */

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
/* For `change`: the table of that name as it is now, borrowed; NULL: none. Commit thread. */
struct table *catalog_current(const struct engine *engine, struct slice name);
/* Gives back the references of a finished job. */
void catalog_job_release(struct catalog_job *job);

#endif
