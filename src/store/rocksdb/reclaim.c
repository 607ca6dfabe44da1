/* reclaim.c - giving back the files of a range that was deleted.
 *
 * A range tombstone hides what it covers, but the files stay until a compaction happens to come by,
 * which for the cold end of a keyspace may be never. So it is done in two halves. The first drops
 * the files that lie in the range with all their keys, and has what is in memory written out: the
 * log can go then, and compactions see the tombstone. The second drops what has become a file of
 * its own by then, and suggests what is left at the edges for compaction.
 *
 * The second half waits until everything is written out and no compaction runs: what a compaction
 * works on cannot be dropped or suggested, and what comes of it has what was deleted still in it
 * when it began before. On a store that never rests it is done all the same after a while.
 *
 * Dropping a file takes it from snapshots too. So it waits until no snapshot is left that was taken
 * before the range was deleted, and until the deletion is durable: after a loss of power a range
 * that is there must be there whole. */
#include <stdlib.h>

#include "store/rocksdb/internal.h"

/* In *moment, beside the sequence number, which has 56 bits: how often it has waited, and that the
 * first half is done. */
#define WAITED_ONE (UINT64_C(1) << 56)
#define HALF_DONE (UINT64_C(1) << 63)
#define SEQUENCE_OF(moment) ((moment) & (WAITED_ONE - 1))

enum {
    FLUSH_FILES_MAX = 8, /* with more at level 0, writing out might wait */
    WAITS_MAX = 60,      /* about so many seconds, in each half */
};

static uint64_t property(struct rocksdb_store *store, rocksdb_column_family_handle_t *keyspace,
                         const char *name) {
    uint64_t value;
    return rocks.property_int_cf(store->db, keyspace, name, &value) == 0 ? value : UINT64_MAX;
}

/* Of one that RocksDB tells as a text. */
static uint64_t property_of_text(struct rocksdb_store *store,
                                 rocksdb_column_family_handle_t *keyspace, const char *name) {
    char *text = rocks.property_value_cf(store->db, keyspace, name);
    uint64_t value = text == NULL ? UINT64_MAX : strtoull(text, NULL, 10);
    rocks.free(text);
    return value;
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

/* Whether it waits once more; *moment counts. */
static bool waits(uint64_t *moment) {
    if ((*moment & ~HALF_DONE) / WAITED_ONE >= WAITS_MAX)
        return false;
    *moment += WAITED_ONE;
    return true;
}

static bool is_busy(struct rocksdb_store *store, rocksdb_column_family_handle_t *keyspace) {
    return property(store, keyspace, "rocksdb.num-immutable-mem-table") > 0 ||
           property(store, keyspace, "rocksdb.num-running-flushes") > 0 ||
           property(store, keyspace, "rocksdb.num-running-compactions") > 0;
}

/* RocksDB would wait before it begins to write out. */
static bool is_crowded(struct rocksdb_store *store, rocksdb_column_family_handle_t *keyspace) {
    return property(store, keyspace, "rocksdb.num-immutable-mem-table") > 0 ||
           property_of_text(store, keyspace, "rocksdb.num-files-at-level0") > FLUSH_FILES_MAX;
}

/* Without waiting for it. What one reclaim has written out is so for all that came before. */
static void write_out(struct rocksdb_store *store, uint8_t keyspace, char **text) {
    uint64_t sequence = rocks.get_latest_sequence_number(store->db);
    rocksdb_flushoptions_t *options = rocks.flushoptions_create();
    rocks.flushoptions_set_wait(options, 0);
    rocks.flush_cf(store->db, options, store->keyspaces[keyspace], text);
    rocks.flushoptions_destroy(options);
    if (*text == NULL)
        atomic_store(&store->written_out[keyspace], sequence);
}

/* Of a range that nobody sees any more. *ret_done: the half is. */
static void first_half(struct rocksdb_store *store, const struct store_range *range,
                       uint64_t *moment, bool *ret_done, char **text) {
    bool written = atomic_load(&store->written_out[range->keyspace]) >= SEQUENCE_OF(*moment);
    *ret_done = written || !is_crowded(store, store->keyspaces[range->keyspace]) || !waits(moment);
    if (*ret_done && !written)
        write_out(store, range->keyspace, text);
}

static struct error *give_back(struct rocksdb_store *store, struct arena *arena,
                               const struct store_range *range, uint64_t *moment, bool *ret_done) {
    rocksdb_column_family_handle_t *keyspace = store->keyspaces[range->keyspace];
    const char *first = (const char *)range->first.data;
    struct slice end = end_below(arena, range->last);
    char *text = NULL;
    bool last_half = (*moment & HALF_DONE) != 0, half_done = false;
    if (last_half && is_busy(store, keyspace) && waits(moment))
        return NULL;
    rocks.delete_file_in_range_cf(store->db, keyspace, first, range->first.len,
                                  (const char *)end.data, end.len, &text);
    if (text == NULL && last_half)
        rocks.suggest_compact_range_cf(store->db, keyspace, first, range->first.len,
                                       (const char *)end.data, end.len, &text);
    else if (text == NULL)
        first_half(store, range, moment, &half_done, &text);
    if (half_done)
        *moment = SEQUENCE_OF(*moment) | HALF_DONE;
    *ret_done = last_half;
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
    if (*moment == 0)
        *moment = rocks.get_latest_sequence_number(store->db);
    struct error *error = NULL;
    *ret_done = false;
    if ((*moment & HALF_DONE) != 0 ||
        !is_seen(store, store->keyspaces[range->keyspace], SEQUENCE_OF(*moment)))
        error = give_back(store, arena, range, moment, ret_done);
    rocksdb_gate_leave(store);
    return error;
}
