/* group.c - slots in an array, found through open addressing. */
#include "engine/group.h"

#include "base/check.h"

void group_init(struct group *group, const struct group_owners *owners, struct arena *arena,
                size_t capacity) {
    size_t bucket_count = 16;
    while (bucket_count < capacity * 2)
        bucket_count *= 2;
    int64_t now_ms = clock_now_ms(owners->options->clock);
    *group = (struct group){
        .owners = *owners,
        .arena = arena,
        .now_ms = (uint64_t)now_ms,
        .first_sequence = sequence_next(owners->sequence, owners->options->store, now_ms),
        .slots = ARENA_ARRAY(arena, struct slot, capacity),
        .capacity = capacity,
        .buckets = ARENA_ARRAY(arena, uint32_t, bucket_count),
        .bucket_count = bucket_count,
    };
}

struct slot *group_slot(struct group *group, struct table *table, struct store_key key) {
    size_t mask = group->bucket_count - 1;
    size_t at = (size_t)key_whole_hash(key.key) & mask;
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
    size_t unknown = 0, read = 0;
    for (size_t i = 0; i < group->count; i++)
        if (!group->slots[i].fetched)
            keys[unknown++] = (struct store_key){group->slots[i].keyspace, group->slots[i].key};
    TRY(store_get_many(txn, unknown, keys, values));
    for (size_t i = 0; i < group->count; i++) {
        struct slot *slot = &group->slots[i];
        if (!slot->fetched)
            slot->committed = values[read++];
        slot->current = slot->committed;
        slot->fetched = false; /* not after a conflict */
        slot->transaction = NULL;
    }
    group->next_sequence = group->first_sequence;
    group->changes = NULL;
    group->changes_end = &group->changes;
    return NULL;
}

const struct index_difference *group_differences(struct group *group, struct slot *slot,
                                                 struct slice stored) {
    const struct table_definition *table = &slot->table->definition;
    struct index_difference *differences =
        ARENA_ARRAY(group->arena, struct index_difference, table->index_count);
    for (size_t i = 0; i < table->index_count; i++)
        differences[i] = index_difference_of(group->arena, group->owners.keys, table,
                                             &table->indexes[i], slot->current, stored);
    slot->differences = slot_changed(slot) ? NULL : differences;
    return differences;
}
