/* write.c - writes of the RocksDB engine: one batch per transaction, one log record per batch.
 *
 * RocksDB replays a log record whole or not at all, so a commit is all or nothing across a crash.
 * When a commit fails, nothing of it is visible, and its record is taken back out of the log (see
 * wal.c) so that a restart does not find it either.
 * Memory: the batch belongs to the store and is used again. Threads: the writer; sync anywhere. */
#include "base/bytes.h"
#include "base/check.h"
#include "store/rocksdb/internal.h"
#include "store/rocksdb/judge.h"

enum { BATCH_BYTES_KEPT = 1 << 20 }; /* a batch that grew larger gives its memory back */

void rocksdb_txn_put(struct store_txn *txn, const struct store_key *key, struct slice value) {
    struct rocksdb_store *store = rocksdb_of_txn(txn);
    rocks.writebatch_put_cf(store->batch, store->keyspaces[key->keyspace],
                            (const char *)key->key.data, key->key.len, (const char *)value.data,
                            value.len);
}

void rocksdb_txn_remove(struct store_txn *txn, const struct store_key *key) {
    struct rocksdb_store *store = rocksdb_of_txn(txn);
    rocks.writebatch_delete_cf(store->batch, store->keyspaces[key->keyspace],
                               (const char *)key->key.data, key->key.len);
}

/* RocksDB wants an end: one that sorts after every key that may exist. */
void rocksdb_txn_remove_range(struct store_txn *txn, const struct store_range *range) {
    struct rocksdb_store *store = rocksdb_of_txn(txn);
    char end[STORE_BOUND_MAX];
    struct slice last = range->last;
    if (!slice_present(last)) {
        memset(end, 0xff, sizeof(end));
        last = slice_of(end, sizeof(end));
    }
    rocks.writebatch_delete_range_cf(store->batch, store->keyspaces[range->keyspace],
                                     (const char *)range->first.data, range->first.len,
                                     (const char *)last.data, last.len);
}

void rocksdb_batch_begin(struct rocksdb_store *store) {
    uint8_t proof[PROOF_BYTES];
    store_u64(proof, watermark_synced(&store->watermark));
    rocks.writebatch_put_log_data(store->batch, (const char *)proof, sizeof(proof));
}

void rocksdb_batch_reset(struct rocksdb_store *store) {
    size_t size;
    rocks.writebatch_data(store->batch, &size);
    if (size <= BATCH_BYTES_KEPT) {
        rocks.writebatch_clear(store->batch);
        return;
    }
    rocks.writebatch_destroy(store->batch);
    store->batch = rocks.writebatch_create();
}

/* A batch that RocksDB refused before it came to the log leaves nothing to clean up; RocksDB says
 * itself how long it refuses. After an error on the log, this handle is done with writing. */
static struct error *commit_failed(struct rocksdb_store *store, struct arena *arena, char *text) {
    size_t size;
    const char *data = rocks.writebatch_data(store->batch, &size);
    struct slice batch = slice_of(data, size);
    if (!rocksdb_wal_was_reached(batch))
        return rocksdb_error(arena, "The store failed to write", text);
    rocksdb_gate_fail(store, text);
    if (rocksdb_wal_retract(store, batch))
        return rocksdb_error(arena, "The store failed to write", text);
    /* The batch may be found again. Whoever holds state above the store must read it anew then,
     * which a restart does and an automatic reopening would not. */
    rocksdb_gate_fail_until_restart(store);
    return rocksdb_error(arena, "The store failed to write, and a restart may find the write",
                         text);
}

static void mark_synced(struct rocksdb_store *store, uint64_t commit) {
    uint64_t synced = atomic_load(&store->commits_synced);
    while (synced < commit &&
           !atomic_compare_exchange_weak(&store->commits_synced, &synced, commit)) {
    }
}

/* Of commits that have returned. One that finds everything durable already costs nothing, so a
 * timer may ask freely. */
static struct error *sync_commits(struct rocksdb_store *store, struct arena *arena) {
    uint64_t commits = atomic_load(&store->commits);
    if (atomic_load(&store->commits_synced) >= commits)
        return NULL;
    uint64_t sequence = rocks.get_latest_sequence_number(store->db);
    char *text = NULL;
    rocks.flush_wal(store->db, 1, &text);
    if (text != NULL) {
        rocksdb_gate_fail(store, text);
        return rocksdb_error(arena, "The store failed to make writes durable", text);
    }
    mark_synced(store, commits);
    watermark_note(&store->watermark, sequence);
    return NULL;
}

struct error *rocksdb_txn_commit(struct store_txn *txn, enum store_durability durability,
                                 enum store_outcome *ret_outcome) {
    struct rocksdb_store *store = rocksdb_of_txn(txn);
    bool durable = durability == STORE_DURABLE;
    TRY(rocksdb_gate_check_sound(store, txn->arena));
    if (rocks.writebatch_count(store->batch) > 0) {
        char *text = NULL;
        rocks.write(store->db, durable ? store->write_durable : store->write_relaxed, store->batch,
                    &text);
        if (text != NULL)
            return commit_failed(store, txn->arena, text);
        uint64_t commit = atomic_fetch_add(&store->commits, 1) + 1;
        if (durable) {
            mark_synced(store, commit);
            watermark_note(&store->watermark, rocks.get_latest_sequence_number(store->db));
        }
    } else if (durable) {
        TRY(sync_commits(store, txn->arena));
    }
    *ret_outcome = STORE_COMMITTED;
    return NULL;
}

struct error *rocksdb_store_sync(struct store *base, struct arena *arena) {
    struct rocksdb_store *store = rocksdb_of(base);
    if (atomic_load(&store->commits_synced) >= atomic_load(&store->commits))
        return NULL;
    TRY(rocksdb_gate_check_writable(store, arena));
    TRY(rocksdb_gate_enter(store, arena));
    struct error *error = sync_commits(store, arena);
    rocksdb_gate_leave(store);
    return error;
}
