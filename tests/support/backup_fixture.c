/* backup_fixture.c - catalog jobs that a test waits for. */
#include "support/backup_fixture.h"

#include "base/bytes.h"
#include "base/check.h"
#include "codec/key.h"

/* ---- jobs ---- */

/* What a job is to do. */
struct backup_job {
    struct fixture_job job;
    struct engine *engine;
    struct slice backup_name;
    struct backup backup;
    const char *source; /* NULL: the backup is restored */
    int64_t time_ms;
};

static void submit(struct engine_fixture *fixture, const char *table, struct backup_job *work,
                   fixture_change *change) {
    work->engine = fixture->engine;
    fixture_submit_catalog(fixture, &work->job, table, change, work);
}

static struct error *run(struct engine_fixture *fixture, const char *table, struct backup_job *work,
                         fixture_change *change) {
    submit(fixture, table, work, change);
    return fixture_await_catalog(&work->job);
}

/* The two jobs are one group. */
static struct error *run_then_put(struct engine_fixture *fixture, const char *table,
                                  struct backup_job *work, fixture_change *change,
                                  const char *source, const char *json) {
    struct fixture_hold hold;
    struct item_write write = {.table = fixture_table(fixture, source),
                               .kind = WRITE_PUT,
                               .item = fixture_item(fixture, json)};
    struct write_job put = {.writes = &write, .count = 1};
    item_write_prepare(fixture->engine, &fixture->arena, &write);
    fixture_hold(fixture, &hold);
    submit(fixture, table, work, change);
    fixture_submit_writes(fixture, &put);
    fixture_let_go(&hold);
    fixture_wait(fixture); /* for one of them */
    struct error *error = fixture_await_catalog(&work->job);
    CHECK(put.error == NULL && write.error == NULL);
    return error;
}

static struct error *set_recovery(struct catalog_job *job, const struct table *current,
                                  size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    ret_change->definition.pitr_days = *(const int64_t *)job->context;
    return NULL;
}

struct error *backup_recovery(struct engine_fixture *fixture, const char *table, int64_t days) {
    return fixture_run_catalog(fixture, table, set_recovery, &days);
}

static struct error *take(struct catalog_job *job, const struct table *current, size_t table_count,
                          struct catalog_change *ret_change) {
    (void)current, (void)table_count;
    const struct backup_job *work = job->context;
    ret_change->action = CATALOG_BACKUP;
    ret_change->backup.name = work->backup_name;
    return NULL;
}

struct error *backup_take(struct engine_fixture *fixture, const char *table, const char *name,
                          struct backup *ret_backup) {
    struct backup_job work = {.backup_name = slice_text(name)};
    TRY(run(fixture, table, &work, take));
    *ret_backup = work.job.job.backup;
    return NULL;
}

struct error *backup_take_then_put(struct engine_fixture *fixture, const char *table,
                                   const char *name, const char *json, struct backup *ret_backup) {
    struct backup_job work = {.backup_name = slice_text(name)};
    TRY(run_then_put(fixture, table, &work, take, table, json));
    *ret_backup = work.job.job.backup;
    return NULL;
}

static struct error *drop(struct catalog_job *job, const struct table *current, size_t table_count,
                          struct catalog_change *ret_change) {
    (void)current, (void)table_count;
    const struct backup_job *work = job->context;
    if (backup_is_in_use(work->engine, work->backup.id))
        return error_new(job->arena, ERROR_BACKUP_IN_USE, "in use");
    ret_change->action = CATALOG_DROP_BACKUP;
    ret_change->backup = work->backup;
    return NULL;
}

struct error *backup_drop(struct engine_fixture *fixture, const struct backup *backup) {
    struct backup_job work = {.backup = *backup};
    return run(fixture, "T", &work, drop);
}

/* ---- restoring ---- */

static struct error *restore(struct catalog_job *job, const struct table *current,
                             size_t table_count, struct catalog_change *ret_change) {
    (void)current, (void)table_count;
    const struct backup_job *work = job->context;
    struct table_definition *definition = &ret_change->definition;
    if (work->source == NULL) {
        ret_change->fill = restore_from_backup(&work->backup);
        TRY(backup_table(job->arena, &work->backup, definition));
    } else {
        TRY(restore_from_table(
            work->engine, job->arena,
            catalog_current(engine_catalog(work->engine), slice_text(work->source)), work->time_ms,
            &ret_change->fill, definition));
    }
    definition->name = job->table_name;
    definition->id = 0;
    for (size_t i = 0; i < definition->index_count; i++) {
        definition->indexes[i].id = 0;
        definition->indexes[i].status = TABLE_ACTIVE;
    }
    definition->pitr_days = 0;
    definition->stream = STREAM_OFF; /* a restored table has neither that nor expiry */
    definition->stream_id = 0;
    definition->ttl_attribute = SLICE_NONE;
    definition->ttl_id = 0;
    definition->ttl_building = false;
    definition->status = TABLE_CREATING;
    definition->restoring = true;
    ret_change->action = CATALOG_CREATE;
    return NULL;
}

struct error *backup_restore(struct engine_fixture *fixture, const struct backup *backup,
                             const char *target) {
    struct backup_job work = {.backup = *backup};
    return run(fixture, target, &work, restore);
}

struct error *backup_restore_time(struct engine_fixture *fixture, const char *source,
                                  int64_t time_ms, const char *target) {
    struct backup_job work = {.source = source, .time_ms = time_ms};
    return run(fixture, target, &work, restore);
}

struct error *backup_restore_time_then_put(struct engine_fixture *fixture, const char *source,
                                           int64_t time_ms, const char *target, const char *json) {
    struct backup_job work = {.source = source, .time_ms = time_ms};
    return run_then_put(fixture, target, &work, restore, source, json);
}

void backup_table_wait(struct engine_fixture *fixture, const char *table) {
    for (int turns = 0; catalog_find(fixture->view, slice_text(table))->definition.restoring;)
        fixture_pause(fixture, &turns);
}

/* ---- looking ---- */

/* Reads again after an injected fault, of which there is one at most. */
static void begin_read(struct engine_fixture *fixture, struct reader *ret_reader) {
    if (reader_begin(fixture->engine, &fixture->arena, READ_SNAPSHOT, ret_reader) != NULL)
        CHECK(reader_begin(fixture->engine, &fixture->arena, READ_SNAPSHOT, ret_reader) == NULL);
}

struct backup backup_now(struct engine_fixture *fixture, struct backup_id id) {
    struct backup backup;
    struct reader reader;
    begin_read(fixture, &reader);
    if (backup_get(reader.arena, reader.txn, id, &backup) != NULL)
        CHECK(backup_get(reader.arena, reader.txn, id, &backup) == NULL);
    reader_end(&reader);
    return backup;
}

size_t backup_count(struct engine_fixture *fixture) {
    struct reader reader;
    struct backup_list list;
    size_t count = 0;
    begin_read(fixture, &reader);
    CHECK(backup_list_open(reader.arena, reader.txn, NULL, &list) == NULL);
    for (;;) {
        struct backup backup;
        CHECK(backup_list_next(&list, &backup) == NULL);
        if (!slice_present(backup.name))
            break;
        count++;
    }
    backup_list_close(&list);
    reader_end(&reader);
    return count;
}

void backup_wait(struct engine_fixture *fixture, const struct backup *backup) {
    struct backup_id id = {backup->created_ms, backup->id};
    for (int turns = 0; backup_now(fixture, id).status == BACKUP_CREATING;)
        fixture_pause(fixture, &turns);
}

size_t backup_records(struct engine_fixture *fixture, struct store *store, uint8_t keyspace,
                      uint32_t id) {
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range range = {keyspace, SLICE_NONE, SLICE_NONE};
    if (id != 0) {
        struct key_range keys = key_range_of_table(&fixture->arena, id);
        range.first = keys.first;
        range.last = keys.last;
    }
    size_t count = 0;
    bool found = true;
    CHECK(store_begin(store, &fixture->arena, STORE_READ, &txn) == NULL);
    CHECK(store_scan_open(txn, &range, false, &scan) == NULL);
    while (found) {
        struct slice key, value;
        CHECK(store_scan_next(scan, &found, &key, &value) == NULL);
        count += found;
    }
    store_scan_close(scan);
    store_end(txn);
    return count;
}
