/* table_stats.h - how much a table, an index or a table's range of expiries holds.
 *
 * Kept current by every commit, and stored with it: what a group adds is gathered apart and becomes
 * visible only after its commit. The struct is shared by all versions of a table's definition, so
 * it also holds what the commit thread remembers of the range from one version to the next.
 *
 * Threads: the counts and `dropped` on any thread, the rest on the commit thread. */
#ifndef GRAMME_ENGINE_TABLE_STATS_H
#define GRAMME_ENGINE_TABLE_STATS_H

#include <stdatomic.h>

#include "engine/kept_key.h"
#include "store/store.h"

struct limits;
struct table;

struct table_count {
    int64_t items;
    int64_t bytes;
};

struct table_stats {
    uint32_t id; /* of the range of keys */
    atomic_int_fast64_t item_count;
    atomic_int_fast64_t size_bytes;
    /* Where several servers write, the counts are what this one has added; and these are what the
     * others had when who leads looked last (others.h). */
    atomic_int_fast64_t items_of_others;
    atomic_int_fast64_t bytes_of_others;
    atomic_uint references;
    /* Of a table, not of an index: the table was deleted. */
    atomic_bool dropped;
    /* Of a table: as it is now (catalog.h), and whether a copy reads it (copy.h). */
    struct table *current;
    bool copied;
    /* What the group under way adds. */
    struct table_count pending;
    bool touched;
    struct table_stats *next_touched;
    /* Of a range that is being filled: the store key of the last item that it covers; absent: it
     * covers none yet (backfill.h). */
    struct kept_key cursor;
    /* Of a range of expiries: no entry to be swept is before this key; absent: not known (sweep.h).
     * And how many items expired that the log does not tell of yet, and whether it ever did. */
    struct kept_key first_due;
    uint64_t expired;
    bool expired_told;
    /* Of a table or a global index: what may be used of it in a second; NULL: anything
     * (throttled.h). */
    struct limits *limits;
};

/* With one reference. */
struct table_stats *table_stats_new(uint32_t id);
struct table_stats *table_stats_ref(struct table_stats *stats);
void table_stats_unref(struct table_stats *stats);

/* What it holds, as far as that is known: where several write, by who leads, a moment ago, when the
 * items that it has deleted since may not have been counted yet. */
static inline struct table_count table_stats_total(const struct table_stats *stats) {
    int64_t items = atomic_load(&stats->item_count) + atomic_load(&stats->items_of_others);
    int64_t bytes = atomic_load(&stats->size_bytes) + atomic_load(&stats->bytes_of_others);
    return (struct table_count){items > 0 ? items : 0, bytes > 0 ? bytes : 0};
}

/* Where the counts are in the store, and what is found there, which counts whatever was known. */
struct store_key table_stats_key(struct arena *arena, const struct store_txn *txn,
                                 const struct table_stats *stats);
struct error *table_stats_take(struct arena *arena, const struct store_txn *txn,
                               struct slice record, struct table_stats *stats);

/* Writes the record of a range. */
void table_stats_put(struct arena *arena, struct store_txn *txn, uint32_t id,
                     struct table_count count);
/* What the range holds, and `more`. */
struct table_count table_stats_plus(const struct table_stats *stats, struct table_count more);
/* After the commit of the record. */
void table_stats_set(struct table_stats *stats, struct table_count count);
void table_stats_delete(struct arena *arena, struct store_txn *txn, uint32_t id);

/* ---- a group's part ---- */

/* Adds to what the group does; those that it touches are in a list. */
static inline void table_stats_count(struct table_stats **touched, struct table_stats *stats,
                                     int64_t items, int64_t bytes) {
    if (!stats->touched) {
        stats->touched = true;
        stats->next_touched = *touched;
        *touched = stats;
    }
    stats->pending.items += items;
    stats->pending.bytes += bytes;
}

/* Writes the records of the list, with what is pending. */
void table_stats_flush(struct arena *arena, struct store_txn *txn,
                       const struct table_stats *touched);
/* The group is over: its part is taken in when it was committed. The list is empty then. */
void table_stats_finish(struct table_stats **touched, bool committed);

#endif
