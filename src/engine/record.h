/* record.h - small records beside the tables, which the engine keeps and does not read: whoever
 * runs on it has things to remember too.
 *
 * A record has a kind and a name within it. Changes are made by the commit thread, all of a call or
 * none, and are durable when the call returns. Threads: any but the engine's own. */
#ifndef GRAMME_ENGINE_RECORD_H
#define GRAMME_ENGINE_RECORD_H

#include "engine/commit_queue.h"
#include "store/store.h"

struct engine;

enum { RECORD_NAME_MAX = 512, RECORD_CHANGES_MAX = 1024 };

struct record {
    struct slice kind; /* without a zero byte, as the name */
    struct slice name;
    struct slice value; /* absent in a change: the record goes */
    struct slice until; /* in a change without a value: all from `name` up to this name go */
};

/* All of one kind, by name; in the arena. */
struct error *engine_read_records(struct engine *engine, struct arena *arena, struct slice kind,
                                  struct record **ret_records, size_t *ret_count);
/* Fills in the values of records of which kind and name are; absent where there is none. */
struct error *engine_find_records(struct engine *engine, struct arena *arena,
                                  struct record *records, size_t count);
struct error *engine_change_records(struct engine *engine, struct arena *arena,
                                    const struct record *changes, size_t count);

/* Whether there is no table, no stream, also of a table that was deleted, no backup and no record
 * but of kinds that begin with `but`. */
struct error *engine_keeps_nothing(struct engine *engine, struct arena *arena, struct slice but,
                                   bool *ret_nothing);

/* ---- private to this folder ---- */

struct record_job {
    struct waited_job waited;
    struct arena *arena; /* of who waits */
    const struct record *changes;
    size_t count;
    struct error *error; /* the result */
};

/* On the commit thread. */
struct error *record_run(struct store *store, const struct record_job *job);

#endif
