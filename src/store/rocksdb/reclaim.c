/* reclaim.c - giving back the files of a range that was deleted.
 *
 * A range tombstone hides what it covers, but the files stay until a compaction happens to come by,
 * which for the cold end of a keyspace may be never. So it is done in two calls. The first drops
 * the files that lie in the range with all their keys, and has what is in memory written out, so
 * that the log can go too. The second drops what has become a file of its own by then, and suggests
 * what is left at the edges for compaction. A part of the newest files (level 0) may stay for the
 * compactions that follow anyway.
 *
 * Dropping a file takes it from snapshots too. So it waits until no snapshot is left that was taken
 * before the range was deleted, and until the deletion is durable: after a loss of power a range
 * that is there must be there whole. */
#include "store/rocksdb/internal.h"

/* In *moment, beside the sequence number: the first call is done. */
#define HALF_DONE (UINT64_C(1) << 63)

enum { FLUSH_FILES_MAX = 8 }; /* with more at level 0, writing out might wait */

static uint64_t property(struct rocksdb_store *store, rocksdb_column_family_handle_t *keyspace,
                         const char *name) {
    uint64_t value;
    return rocks.property_int_cf(store->db, keyspace, name, &value) == 0 ? value : UINT64_MAX;
}

/* True while a snapshot is open that may see what was deleted by that sequence number. */
static bool is_seen(struct rocksdb_store *store, rocksdb_column_family_handle_t *keyspace,
                    uint64_t moment) {
    uint64_t oldest = property(store, keyspace, "rocksdb.oldest-snapshot-sequence");
    return oldest != 0 && (oldest == UINT64_MAX || oldest < moment);
}

/* RocksDB takes the end of a range for a part of it. This end is smaller, and nearly the same. */
static struct slice end_below(struct arena *arena, struct slice last) {
    uint8_t *end = arena_copy(arena, last.data, last.len);
    if (end[last.len - 1] == 0)
        return slice_of(end, last.len - 1);
    end[last.len - 1]--;
    return slice_of(end, last.len);
}

/* Without waiting for it, and not when RocksDB would wait before it begins. */
static void write_out(struct rocksdb_store *store, rocksdb_column_family_handle_t *keyspace,
                      char **text) {
    if (property(store, keyspace, "rocksdb.num-immutable-mem-table") > 0 ||
        property(store, keyspace, "rocksdb.num-files-at-level0") > FLUSH_FILES_MAX)
        return;
    rocksdb_flushoptions_t *options = rocks.flushoptions_create();
    rocks.flushoptions_set_wait(options, 0);
    rocks.flush_cf(store->db, options, keyspace, text);
    rocks.flushoptions_destroy(options);
}

static struct error *give_back(struct rocksdb_store *store, struct arena *arena,
                               const struct store_range *range, bool last_call) {
    rocksdb_column_family_handle_t *keyspace = store->keyspaces[range->keyspace];
    const char *first = (const char *)range->first.data;
    struct slice end = end_below(arena, range->last);
    char *text = NULL;
    rocks.delete_file_in_range_cf(store->db, keyspace, first, range->first.len,
                                  (const char *)end.data, end.len, &text);
    if (text == NULL && last_call)
        rocks.suggest_compact_range_cf(store->db, keyspace, first, range->first.len,
                                       (const char *)end.data, end.len, &text);
    else if (text == NULL)
        write_out(store, keyspace, &text);
    return text == NULL ? NULL : rocksdb_error(arena, "The store failed to give back room", text);
}

struct error *rocksdb_store_reclaim(struct store *base, struct arena *arena,
                                    const struct store_range *range, uint64_t *moment,
                                    bool *ret_done) {
    struct rocksdb_store *store = rocksdb_of(base);
    *ret_done = true;
    if (range->last.len == 0)
        return NULL; /* up to the end of the keyspace: nobody asks for that */
    TRY(rocksdb_store_sync(base, arena));
    TRY(rocksdb_gate_enter(store, arena));
    bool last_call = (*moment & HALF_DONE) != 0;
    if (*moment == 0)
        *moment = rocks.get_latest_sequence_number(store->db);
    struct error *error = NULL;
    *ret_done = last_call;
    if (last_call || !is_seen(store, store->keyspaces[range->keyspace], *moment)) {
        error = give_back(store, arena, range, last_call);
        *moment |= HALF_DONE;
    }
    rocksdb_gate_leave(store);
    return error;
}
