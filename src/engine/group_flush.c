/* group_flush.c - what follows from the slots that changed.
 *
 * The statistics of a table are the sum over its changed slots, so they are computed when the group
 * is flushed, and become visible only after its commit. */
#include "engine/group_flush.h"

#include "engine/backfill_cursor.h"
#include "engine/expiry.h"
#include "engine/history.h"
#include "engine/keyspaces.h"
#include "engine/stream.h"
#include "metrics/meters.h"

static void count_change(struct group *group, struct table_stats *stats, struct slice before,
                         struct slice after) {
    table_stats_count(&group->touched, stats,
                      (int)slice_present(after) - (int)slice_present(before),
                      (int64_t)stored_item_size(after) - (int64_t)stored_item_size(before));
}

static void flush_index(struct group *group, const struct slot *slot, size_t i,
                        struct store_txn *txn) {
    const struct table_definition *table = &slot->table->definition;
    bool creating = table->indexes[i].status == TABLE_CREATING;
    if (!backfill_covers(creating, slot->table->index_stats[i], slot->key))
        return;
    struct index_difference difference =
        slot->differences != NULL
            ? slot->differences[i]
            : index_difference_of(group->arena, group->owners.keys, table, &table->indexes[i],
                                  slot->committed, slot->current);
    if (difference.identical)
        return;
    count_change(group, slot->table->index_stats[i], difference.before.stored,
                 difference.after.stored);
    struct store_key key = {KEYSPACE_INDEXES, difference.before.key};
    if (slice_present(difference.before.key) &&
        (difference.key_changed || !slice_present(difference.after.key)))
        store_delete(txn, &key);
    key.key = difference.after.key;
    if (slice_present(difference.after.key))
        store_put(txn, &key, difference.after.stored);
}

static void flush_slot(struct group *group, const struct slot *slot, struct store_txn *txn) {
    struct store_key key = {slot->keyspace, slot->key};
    if (slice_present(slot->current))
        store_put(txn, &key, slot->current);
    else
        store_delete(txn, &key);
    if (slot->keyspace != KEYSPACE_ITEMS)
        return;
    count_change(group, slot->table->stats, slot->committed, slot->current);
    if (table_keeps_history(slot->table))
        history_put_item(group, slot, txn);
    for (size_t i = 0; i < slot->table->definition.index_count; i++)
        flush_index(group, slot, i, txn);
    if (slot->table->ttl_stats != NULL)
        expiry_flush(group, slot, txn);
}

bool group_flush(struct group *group, struct store_txn *txn) {
    bool changed = false;
    for (size_t i = 0; i < group->count; i++) {
        if (!slot_changed(&group->slots[i]))
            continue;
        flush_slot(group, &group->slots[i], txn);
        changed = true;
    }
    table_stats_flush(group->arena, txn, group->touched);
    if (group->changes != NULL) { /* also when they cancel each other out */
        stream_put_records(group, txn);
        changed = true;
    }
    if (group->next_sequence > group->first_sequence)
        sequence_put(txn, group->next_sequence - 1);
    return changed;
}

static void count_records(const struct group *group, struct meter_thread *meters) {
    for (const struct group_change *at = group->changes; at != NULL; at = at->next) {
        const struct table_definition *table = &at->slot->table->definition;
        counter_add(&meter_table(meters, table->id, table->name)->stream_records, 1);
    }
}

void group_finish(struct group *group, bool committed) {
    if (committed && group->owners.options->meters != NULL)
        count_records(group, group->owners.options->meters);
    table_stats_finish(&group->touched, committed);
    if (committed && group->next_sequence > group->first_sequence)
        sequence_used(group->owners.sequence, group->next_sequence - 1);
}
