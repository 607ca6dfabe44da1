/* engine_fixture.h - an engine on any store, driven synchronously: for tests of the engine and of
 * its faults. */
#ifndef GRAMME_TESTS_ENGINE_FIXTURE_H
#define GRAMME_TESTS_ENGINE_FIXTURE_H

#include <semaphore.h>

#include "engine/catalog_job.h"
#include "engine/engine.h"
#include "engine/read.h"
#include "engine/write.h"

enum { FIXTURE_PROGRAMS_MAX = 64, FIXTURE_TABLES_MAX = 256 };

struct engine_fixture {
    struct arena arena;
    struct engine *engine;
    struct catalog_view *view;
    sem_t done;
    bool stepped; /* whoever waits steps the engine meanwhile; no fixture_hold() then */
    struct expr_program *programs[FIXTURE_PROGRAMS_MAX]; /* of fixture_expr() */
    size_t program_count;
    struct table *tables[FIXTURE_TABLES_MAX]; /* that fixture_table() returned, referenced */
    size_t table_count;
};

/* A clock that a test moves, and that stands still otherwise. */
struct fixture_clock {
    struct clock clock;
    _Atomic int64_t now_ms;
};
extern struct fixture_clock fixture_clock;

/* An empty memory store with the engine's keyspaces. */
struct store *fixture_store(void);
/* Takes over the store. */
struct error *fixture_open(struct engine_fixture *fixture, struct store *store);
/* The same with options that a test has changed; fixture_options() are the usual ones. */
struct engine_options fixture_options(struct store *store);
struct error *fixture_open_with(struct engine_fixture *fixture,
                                const struct engine_options *options);
void fixture_close(struct engine_fixture *fixture);

/* Until fixture->done is posted. */
void fixture_wait(struct engine_fixture *fixture);
/* Gives chores a moment, or a step; it is a failure when that was often in vain. *turns is 0 at
 * first. */
void fixture_pause(struct engine_fixture *fixture, int *turns);

/* An item from DynamoDB JSON, e.g. {"pk":{"S":"a"}}. */
struct value fixture_item(struct engine_fixture *fixture, const char *json);
/* DynamoDB JSON of an item; "absent" when there is none. */
const char *fixture_json(struct engine_fixture *fixture, struct value item);

/* A table with a partition key pk of type S, and a sort key sk of the type unless it is VALUE_NONE.
 */
struct error *fixture_create_table(struct engine_fixture *fixture, const char *name,
                                   enum value_type sort_type);
/* A table with keys pk and sk of type S, a global index by-g on g of type S that projects all, and
 * a local index by-l on l of type N that projects the keys. */
struct error *fixture_create_indexed(struct engine_fixture *fixture, const char *name);
/* Turns a table's stream on, or off with STREAM_OFF. */
struct error *fixture_set_stream(struct engine_fixture *fixture, const char *table,
                                 enum stream_view view);
struct error *fixture_drop_table(struct engine_fixture *fixture, const char *name);

/* A catalog job that the test waits for. */
struct fixture_job {
    struct catalog_job job;
    struct engine_fixture *fixture;
};
typedef struct error *fixture_change(struct catalog_job *job, const struct table *current,
                                     size_t table_count, struct catalog_change *ret_change);
/* Submits a change of a table that finds `context` in its job, and returns at once. */
void fixture_submit_catalog(struct engine_fixture *fixture, struct fixture_job *job,
                            const char *table, fixture_change *change, void *context);
/* Waits for it; returns its error. */
struct error *fixture_await_catalog(struct fixture_job *job);
/* Both. */
struct error *fixture_run_catalog(struct engine_fixture *fixture, const char *table,
                                  fixture_change *change, void *context);

/* Keeps the commit thread until it may go, so that what is submitted meanwhile is one group. */
struct fixture_hold {
    struct catalog_job job;
    sem_t held, go;
};
void fixture_hold(struct engine_fixture *fixture, struct fixture_hold *hold);
void fixture_let_go(struct fixture_hold *hold);

/* The table as it is now; valid as long as the fixture, although the catalog changes meanwhile. */
struct table *fixture_table(struct engine_fixture *fixture, const char *name);

/* A bound expression that lives as long as the fixture; NULL for a NULL text. `values` is a JSON
 * object of :placeholders or NULL. */
const struct expr *fixture_expr(struct engine_fixture *fixture, enum expr_kind kind,
                                const char *text, const char *values);

/* Runs one write and waits; returns the job's error or the write's. */
struct error *fixture_write(struct engine_fixture *fixture, struct item_write *write);
/* Runs prepared writes as one job and waits; returns the job's error. */
struct error *fixture_write_job(struct engine_fixture *fixture, struct write_job *job);
/* Submits them and returns at once; fixture->done is posted when they are done. */
void fixture_submit_writes(struct engine_fixture *fixture, struct write_job *job);
/* Runs prepared jobs as one group and waits. */
void fixture_write_group(struct engine_fixture *fixture, size_t count, struct write_job **jobs);
struct error *fixture_put(struct engine_fixture *fixture, const char *table, const char *json);
struct error *fixture_delete(struct engine_fixture *fixture, const char *table, const char *key);
/* Condition, update and values may be NULL, as for fixture_expr(). */
struct error *fixture_update(struct engine_fixture *fixture, const char *table, const char *key,
                             const char *update, const char *condition, const char *values);
/* JSON of the item, or "absent". */
struct error *fixture_get(struct engine_fixture *fixture, const char *table, const char *key,
                          const char **ret_json);

#endif
