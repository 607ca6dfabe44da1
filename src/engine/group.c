/* group.c - slots in an array, found through open addressing.
 *
 * The statistics of a table are the sum over its changed slots, so they are computed when the group
 * is flushed, and become visible only after its commit. */
#include "engine/group.h"

#include "base/check.h"
#include "engine/backfill_cursor.h"
#include "engine/expiry.h"
#include "engine/history.h"
#include "engine/keyspace.h"
#include "engine/sequence.h"
#include "engine/stream.h"

void group_init(struct group *group, struct engine *engine, struct arena *arena, size_t capacity) {
    size_t bucket_count = 16;
    while (bucket_count < capacity * 2)
        bucket_count *= 2;
    int64_t now_ms = clock_now_ms(engine->options.clock);
    *group = (struct group){
        .engine = engine,
        .arena = arena,
        .now_ms = (uint64_t)now_ms,
        .first_sequence = sequence_next(&engine->sequence, now_ms),
        .slots = ARENA_ARRAY(arena, struct slot, capacity),
        .capacity = capacity,
        .buckets = ARENA_ARRAY(arena, uint32_t, bucket_count),
        .bucket_count = bucket_count,
    };
}

/* The hash in a key is random already; the sort key is mixed in. */
static uint64_t key_hash(struct slice key) {
    uint64_t hash = key_hash_bits(key);
    for (size_t i = ITEM_KEY_PREFIX; i < key.len; i++)
        hash = (hash ^ key.data[i]) * 0x100000001b3U;
    return hash ^ hash >> 32;
}

struct slot *group_slot(struct group *group, struct table *table, struct store_key key) {
    size_t mask = group->bucket_count - 1;
    size_t at = (size_t)key_hash(key.key) & mask;
    while (group->buckets[at] != 0) {
        struct slot *slot = &group->slots[group->buckets[at] - 1];
        if (slot->keyspace == key.keyspace && slice_equal(slot->key, key.key))
            return slot;
        at = (at + 1) & mask;
    }
    CHECK(group->count < group->capacity);
    struct slot *slot = &group->slots[group->count++];
    group->buckets[at] = (uint32_t)group->count;
    *slot = (struct slot){.keyspace = key.keyspace,
                          .key = key.key,
                          .table = table == NULL ? NULL : table->stats->current};
    return slot;
}

struct error *group_fetch(struct group *group, struct store_txn *txn) {
    struct store_key *keys = ARENA_ARRAY(group->arena, struct store_key, group->count);
    struct slice *values = ARENA_ARRAY(group->arena, struct slice, group->count);
    for (size_t i = 0; i < group->count; i++)
        keys[i] = (struct store_key){group->slots[i].keyspace, group->slots[i].key};
    TRY(store_get_many(txn, group->count, keys, values));
    for (size_t i = 0; i < group->count; i++) {
        group->slots[i].committed = group->slots[i].current = values[i];
        group->slots[i].transaction = NULL;
    }
    group->next_sequence = group->first_sequence;
    group->changes = NULL;
    group->changes_end = &group->changes;
    return NULL;
}

static bool slot_changed(const struct slot *slot) {
    return slot->current.data != slot->committed.data;
}

static void count_change(struct group *group, struct table_stats *stats, struct slice before,
                         struct slice after) {
    table_stats_count(&group->touched, stats,
                      (int)slice_present(after) - (int)slice_present(before),
                      (int64_t)stored_item_size(after) - (int64_t)stored_item_size(before));
}

const struct index_difference *group_differences(struct group *group, struct slot *slot,
                                                 struct slice stored) {
    const struct table_definition *table = &slot->table->definition;
    struct index_difference *differences =
        ARENA_ARRAY(group->arena, struct index_difference, table->index_count);
    for (size_t i = 0; i < table->index_count; i++)
        differences[i] = index_difference_of(group->arena, &group->engine->format.keys, table,
                                             &table->indexes[i], slot->current, stored);
    slot->differences = slot_changed(slot) ? NULL : differences;
    return differences;
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
            : index_difference_of(group->arena, &group->engine->format.keys, table,
                                  &table->indexes[i], slot->committed, slot->current);
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

void group_finish(struct group *group, bool committed) {
    table_stats_finish(&group->touched, committed);
    if (committed && group->next_sequence > group->first_sequence)
        sequence_used(&group->engine->sequence, group->next_sequence - 1);
}
