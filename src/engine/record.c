/* record.c - see record.h. Nothing of them is kept in memory here. */
#include "engine/record.h"

#include "base/check.h"
#include "engine/keyspace.h"
#include "engine/state.h"
#include "engine/txn.h"

enum { FIRST_ROOM = 16 };

struct record_list {
    struct record *records;
    size_t count;
    size_t room;
};

static void add(struct arena *arena, struct record_list *list, struct record record) {
    if (list->count == list->room) {
        size_t room = list->room == 0 ? FIRST_ROOM : list->room * 2;
        struct record *wider = ARENA_ARRAY(arena, struct record, room);
        if (list->count > 0)
            memcpy(wider, list->records, list->count * sizeof(*wider));
        list->records = wider;
        list->room = room;
    }
    list->records[list->count++] = record;
}

/* The zero after the kind ends it: the next byte is where other kinds begin. */
static struct store_range range_of(struct arena *arena, struct slice kind) {
    struct slice first = record_key(arena, kind, SLICE_NONE);
    uint8_t *last = arena_copy(arena, first.data, first.len);
    last[first.len - 1]++;
    return range_in(KEYSPACE_CATALOG, (struct key_range){first, slice_of(last, first.len)});
}

static struct error *read_all(struct arena *arena, struct store_txn *txn, struct slice kind,
                              struct record_list *list) {
    struct store_range range = range_of(arena, kind);
    struct store_scan *scan;
    bool found;
    struct slice key, value;
    TRY(store_scan_open(txn, &range, false, &scan));
    struct error *error = store_scan_next(scan, &found, &key, &value);
    while (error == NULL && found) {
        struct slice name = slice_skip(key, range.first.len);
        add(arena, list,
            (struct record){.kind = kind,
                            .name = arena_slice(arena, name),
                            .value = arena_slice(arena, value)});
        error = store_scan_next(scan, &found, &key, &value);
    }
    store_scan_close(scan);
    return error;
}

struct error *engine_read_records(struct engine *engine, struct arena *arena, struct slice kind,
                                  struct record **ret_records, size_t *ret_count) {
    struct record_list list = {0};
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    struct error *error = read_all(arena, txn, kind, &list);
    store_end(txn);
    TRY(error);
    *ret_records = list.records;
    *ret_count = list.count;
    return NULL;
}

static struct error *is_empty(struct store_txn *txn, struct key_range keys, bool *ret_empty) {
    struct store_range range = range_in(KEYSPACE_CATALOG, keys);
    struct store_scan *scan;
    bool found = false;
    struct slice key, value;
    TRY(store_scan_open(txn, &range, false, &scan));
    struct error *error = store_scan_next(scan, &found, &key, &value);
    store_scan_close(scan);
    *ret_empty = !found;
    return error;
}

struct error *engine_keeps_nothing(struct engine *engine, struct arena *arena, struct slice but,
                                   bool *ret_nothing) {
    struct key_range records = record_key_range(arena);
    /* Without the zero behind the kind, and past the last kind that begins so. */
    struct slice first = record_key(arena, but, SLICE_NONE);
    first.len--;
    uint8_t *last = arena_copy(arena, first.data, first.len);
    last[first.len - 1]++;
    const struct key_range ranges[] = {table_key_range(arena),
                                       stream_definition_key_range(arena),
                                       backup_key_range(arena),
                                       {records.first, first},
                                       {slice_of(last, first.len), records.last}};
    struct store_txn *txn;
    struct error *error = NULL;
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    *ret_nothing = true;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges) && error == NULL && *ret_nothing; i++)
        error = is_empty(txn, ranges[i], ret_nothing);
    store_end(txn);
    return error;
}

static struct error *find_all(struct arena *arena, struct store_txn *txn, struct record *records,
                              size_t count) {
    struct store_key *keys = ARENA_ARRAY(arena, struct store_key, count);
    struct slice *values = ARENA_ARRAY(arena, struct slice, count);
    for (size_t i = 0; i < count; i++)
        keys[i] = catalog_key(record_key(arena, records[i].kind, records[i].name));
    TRY(store_get_many(txn, count, keys, values));
    for (size_t i = 0; i < count; i++)
        records[i].value = slice_present(values[i]) ? arena_slice(arena, values[i]) : SLICE_NONE;
    return NULL;
}

struct error *engine_find_records(struct engine *engine, struct arena *arena,
                                  struct record *records, size_t count) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    struct error *error = find_all(arena, txn, records, count);
    store_end(txn);
    return error;
}

static void change_one(struct store_txn *txn, struct arena *arena, const struct record *change) {
    struct slice first = record_key(arena, change->kind, change->name);
    struct store_key key = catalog_key(first);
    if (slice_present(change->value)) {
        store_put(txn, &key, change->value);
    } else if (slice_present(change->until)) {
        struct slice last = record_key(arena, change->kind, change->until);
        struct store_range range = range_in(KEYSPACE_CATALOG, (struct key_range){first, last});
        store_delete_range(txn, &range);
    } else {
        store_delete(txn, &key);
    }
}

static struct error *change_once(struct store *store, const struct record_job *job,
                                 bool *ret_conflict) {
    struct store_txn *txn;
    TRY(store_begin(store, job->arena, STORE_WRITE, &txn));
    store_touch(txn, STORE_NO_GROUPS);
    for (size_t i = 0; i < job->count; i++)
        change_one(txn, job->arena, &job->changes[i]);
    struct error *error = txn_commit(txn, STORE_DURABLE, ret_conflict);
    store_end(txn);
    return error;
}

struct error *record_run(struct store *store, const struct record_job *job) {
    for (int attempt = 0; attempt < TXN_ATTEMPTS_MAX; attempt++) {
        bool conflict;
        TRY(change_once(store, job, &conflict));
        if (!conflict)
            return NULL;
    }
    return txn_too_many_conflicts(job->arena);
}

struct error *engine_change_records(struct engine *engine, struct arena *arena,
                                    const struct record *changes, size_t count) {
    CHECK(count <= RECORD_CHANGES_MAX);
    for (size_t i = 0; i < count; i++)
        CHECK(changes[i].name.len > 0 && changes[i].name.len <= RECORD_NAME_MAX);
    struct record_job job = {
        .waited.job.kind = JOB_RECORDS, .arena = arena, .changes = changes, .count = count};
    commit_queue_put_and_wait(&engine->queue, &job.waited);
    return job.error;
}
