/* internal.h - what the files of the RocksDB engine share. */
#ifndef GRAMME_STORE_ROCKSDB_INTERNAL_H
#define GRAMME_STORE_ROCKSDB_INTERNAL_H

#include <pthread.h>

#include "base/container.h"
#include "store/rocksdb/file_cipher.h"
#include "store/rocksdb/library.h"
#include "store/rocksdb/reserve.h"
#include "store/rocksdb/rocksdb.h"
#include "store/rocksdb/watermark.h"

/* What a store was opened with; its own copy, so that it can be opened again. */
struct rocksdb_config {
    struct rocksdb_store_options options;
    struct store_keyspace keyspaces[STORE_KEYSPACES_MAX];
    size_t keyspace_count;
};

/* Lets transactions in, and keeps them out while the database is closed and opened again. */
struct gate {
    atomic_bool shut;
    atomic_uint inside;   /* open transactions, and syncs */
    pthread_mutex_t lock; /* of everything below and of `shut`; held while the gate is shut */
    bool failed;          /* a write to the log failed: no more writes to this handle */
    bool failed_for_room; /* only because the disk was full */
    char failure[400];
    int64_t next_try_ms; /* not before this is it opened again */
};

struct judgement;
struct scrubber;

struct rocksdb_store {
    struct store base;
    struct rocksdb_config config;
    struct gate gate;
    struct file_cipher *cipher; /* NULL: files are plain */
    rocksdb_env_t *env;         /* NULL: RocksDB's own */
    rocksdb_t *db;              /* NULL: closed, and could not be opened again yet */
    rocksdb_column_family_handle_t *keyspaces[STORE_KEYSPACES_MAX];
    rocksdb_column_family_handle_t *unused; /* RocksDB insists on a family named "default" */
    rocksdb_readoptions_t *read_latest;     /* without a snapshot */
    rocksdb_writeoptions_t *write_durable;
    rocksdb_writeoptions_t *write_relaxed;
    rocksdb_writebatch_t *batch; /* of the open write transaction, empty between two */
    /* Of each keyspace: changes up to this one are in tables, or about to be (reclaim.c). */
    atomic_uint_fast64_t written_out[STORE_KEYSPACES_MAX];
    atomic_uint_fast64_t commits;        /* since the store was opened */
    atomic_uint_fast64_t commits_synced; /* the first so many of them are durable */
    struct watermark_keeper watermark;
    struct reserve reserve;
    struct scrubber *scrubber; /* NULL: none */
    int lock;                  /* of the directory, for as long as the store is open; -1: none */
    bool is_kept;              /* the files of before (aside.h) */
};

/* Values that stay where RocksDB has them until the transaction ends. */
enum { PINS_PER_CHUNK = 16 };

struct pin_chunk {
    struct pin_chunk *older;
    size_t count;
    rocksdb_pinnableslice_t *values[PINS_PER_CHUNK];
};

struct rocksdb_txn {
    struct store_txn base;
    const rocksdb_snapshot_t *snapshot; /* of a STORE_READ, from its first read on */
    rocksdb_readoptions_t *read_at;     /* with that snapshot */
    struct pin_chunk *pins;             /* newest first */
    struct pin_chunk first_pins;
};

struct rocksdb_scan {
    struct store_scan base;
    rocksdb_readoptions_t *options; /* with its bounds, which live in the arena */
    rocksdb_iterator_t *iterator;
    bool reverse;
    bool started;
    struct slice first;
};

static inline struct rocksdb_store *rocksdb_of(struct store *store) {
    return container_of(store, struct rocksdb_store, base);
}

static inline struct rocksdb_store *rocksdb_of_txn(struct store_txn *txn) {
    return rocksdb_of(txn->store);
}

static inline bool file_ends_with(const char *name, const char *suffix) {
    size_t len = strlen(name), suffix_len = strlen(suffix);
    return len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

/* Turns RocksDB's text into an error and frees it: "<what>: <text>". */
struct error *rocksdb_error(struct arena *arena, const char *what, char *text);

/* settings.c: for a family with or without filters. */
rocksdb_cache_t *rocksdb_settings_cache(const struct rocksdb_store_options *options);
rocksdb_options_t *rocksdb_settings_new(const struct rocksdb_store *store, rocksdb_cache_t *cache,
                                        bool point_reads, int compression);
/* Goes on behind what cannot be read, and leaves the files as they are. */
void rocksdb_settings_lenient(rocksdb_options_t *settings);

/* open.c: a store that is not open yet; store_close() frees it. */
struct error *rocksdb_store_new(struct arena *arena, const struct rocksdb_store_options *options,
                                const struct store_keyspace *keyspaces, size_t count,
                                struct rocksdb_store **ret_store);
/* The handle of store->config; on failure store->db is NULL. */
struct error *rocksdb_database_open(struct rocksdb_store *store, struct arena *arena);
/* The same in other ways. */
enum open_mode {
    OPEN_TO_WRITE,
    OPEN_TO_READ,       /* without a change of any file: what the logs hold is only in memory */
    OPEN_WHAT_IS_THERE, /* of damaged logs whatever can be read; a copy, since it does write */
};
struct error *rocksdb_database_open_as(struct rocksdb_store *store, struct arena *arena,
                                       enum open_mode mode);
void rocksdb_database_close(struct rocksdb_store *store);

/* Without the file CURRENT, RocksDB would make a new database: an error when there is data. */
struct error *rocksdb_check_not_beheaded(struct arena *arena, const char *directory);

/* start.c: false when someone else has the directory. One that is not there yet nobody has. */
bool rocksdb_take_lock(struct rocksdb_store *store);
/* Without a change of any file, for good. */
struct error *rocksdb_open_judged_to_read(struct rocksdb_store *store, struct arena *arena,
                                          const struct judgement *judgement);
/* Opens it for the first time, and closes it for good. */
struct error *rocksdb_start(struct rocksdb_store *store, struct arena *arena);
void rocksdb_stop(struct rocksdb_store *store);

/* gate.c */
void rocksdb_gate_init(struct gate *gate);
/* Before anything that uses the handle; pairs with rocksdb_gate_leave unless it fails. */
struct error *rocksdb_gate_enter(struct rocksdb_store *store, struct arena *arena);
void rocksdb_gate_leave(struct rocksdb_store *store);
/* Before a write transaction enters: an error when the store takes no writes. After the disk was
 * full, opens the database again when there is room. */
struct error *rocksdb_gate_check_writable(struct rocksdb_store *store, struct arena *arena);
/* An error when the store has failed; for right before a write. */
struct error *rocksdb_gate_check_sound(struct rocksdb_store *store, struct arena *arena);
/* No more writes to this handle. `text` is RocksDB's. */
void rocksdb_gate_fail(struct rocksdb_store *store, const char *text);
/* After rocksdb_gate_fail(): room on the disk is not enough. */
void rocksdb_gate_fail_until_restart(struct rocksdb_store *store);

/* read.c */
struct error *rocksdb_txn_begin(struct store *store, struct arena *arena, enum store_mode mode,
                                struct store_txn **ret_txn);
void rocksdb_txn_end(struct store_txn *txn);
struct error *rocksdb_txn_get_many(struct store_txn *txn, size_t count,
                                   const struct store_key *keys, struct slice *ret_values);
struct error *rocksdb_scan_open(struct store_txn *txn, const struct store_range *range,
                                bool reverse, struct store_scan **ret_scan);
struct error *rocksdb_scan_next(struct store_scan *scan, bool *ret_found, struct slice *ret_key,
                                struct slice *ret_value);
void rocksdb_scan_close(struct store_scan *scan);

/* write.c */
void rocksdb_txn_put(struct store_txn *txn, const struct store_key *key, struct slice value);
void rocksdb_txn_remove(struct store_txn *txn, const struct store_key *key);
void rocksdb_txn_remove_range(struct store_txn *txn, const struct store_range *range);
struct error *rocksdb_txn_commit(struct store_txn *txn, enum store_durability durability,
                                 enum store_outcome *ret_outcome);
struct error *rocksdb_store_sync(struct store *store, struct arena *arena);
/* reclaim.c */
struct error *rocksdb_store_reclaim(struct store *store, struct arena *arena,
                                    const struct store_range *range, uint64_t *moment,
                                    bool *ret_done);
/* The first thing in a batch, which only the log keeps: up to which sequence number everything is
 * durable (judge.h). */
void rocksdb_batch_begin(struct rocksdb_store *store);
/* statistics.c */
size_t rocksdb_store_statistics(struct store *store, struct arena *arena,
                                struct store_statistic ret_list[STORE_STATISTICS_MAX]);
/* Empties the batch for the next transaction. */
void rocksdb_batch_reset(struct rocksdb_store *store);

/* wal.c: whether a batch came as far as the log before its commit failed. */
bool rocksdb_wal_was_reached(struct slice batch);
/* Takes such a batch back out of the log. True when no log ends with it any more; false when it is
 * there and could not be taken out, so that a restart may find it. */
bool rocksdb_wal_retract(const struct rocksdb_store *store, struct slice batch);

#endif
