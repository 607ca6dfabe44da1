/* table_stats.c - counts in memory and their records. */
#include "engine/table_stats.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/statistics.h"
#include "engine/keyspace.h"
#include "throttle/limits.h"

struct table_stats *table_stats_new(uint32_t id) {
    struct table_stats *stats = calloc(1, sizeof(*stats));
    CHECK(stats != NULL);
    stats->id = id;
    atomic_init(&stats->references, 1);
    return stats;
}

struct table_stats *table_stats_ref(struct table_stats *stats) {
    atomic_fetch_add_explicit(&stats->references, 1, memory_order_relaxed);
    return stats;
}

void table_stats_unref(struct table_stats *stats) {
    if (atomic_fetch_sub_explicit(&stats->references, 1, memory_order_acq_rel) != 1)
        return;
    kept_key_release(&stats->cursor);
    kept_key_release(&stats->first_due);
    limits_free(stats->limits);
    free(stats);
}

/* Who leads has the record of a store with one writer. */
static struct store_key key_of(struct arena *arena, const struct store_txn *txn, uint32_t id) {
    uint8_t writer = txn->store->writer;
    return catalog_key(writer == 0 ? statistics_key(arena, id)
                                   : part_statistics_key(arena, id, writer));
}

struct store_key table_stats_key(struct arena *arena, const struct store_txn *txn,
                                 const struct table_stats *stats) {
    return key_of(arena, txn, stats->id);
}

struct error *table_stats_take(struct arena *arena, const struct store_txn *txn,
                               struct slice record, struct table_stats *stats) {
    struct table_count count = {0, 0};
    CHECK(!stats->touched);
    if (slice_present(record) || txn->store->writer == 0)
        TRY(statistics_decode(arena, record, &count.items, &count.bytes));
    table_stats_set(stats, count);
    return NULL;
}

void table_stats_put(struct arena *arena, struct store_txn *txn, uint32_t id,
                     struct table_count count) {
    struct store_key key = key_of(arena, txn, id);
    store_put(txn, &key, statistics_encode(arena, count.items, count.bytes));
}

void table_stats_delete(struct arena *arena, struct store_txn *txn, uint32_t id) {
    struct store_key key = catalog_key(statistics_key(arena, id));
    store_delete(txn, &key);
    if (txn->store->groups == 1)
        return;
    struct store_range others = {KEYSPACE_CATALOG, part_statistics_key(arena, id, 0),
                                 part_statistics_key(arena, id, STORE_WRITERS_MAX)};
    store_delete_range(txn, &others);
}

struct table_count table_stats_plus(const struct table_stats *stats, struct table_count more) {
    return (struct table_count){atomic_load(&stats->item_count) + more.items,
                                atomic_load(&stats->size_bytes) + more.bytes};
}

void table_stats_set(struct table_stats *stats, struct table_count count) {
    atomic_store(&stats->item_count, count.items);
    atomic_store(&stats->size_bytes, count.bytes);
}

void table_stats_flush(struct arena *arena, struct store_txn *txn,
                       const struct table_stats *touched) {
    for (; touched != NULL; touched = touched->next_touched)
        table_stats_put(arena, txn, touched->id, table_stats_plus(touched, touched->pending));
}

void table_stats_finish(struct table_stats **touched, bool committed) {
    for (struct table_stats *stats = *touched; stats != NULL; stats = stats->next_touched) {
        if (committed)
            table_stats_set(stats, table_stats_plus(stats, stats->pending));
        stats->pending = (struct table_count){0, 0};
        stats->touched = false;
    }
    *touched = NULL;
}
