/* stream.c - records of changes.
 *
 * Memory: the list of changes is in the group's arena and points to what the slots hold. */
#include "engine/stream.h"

#include "engine/keyspace.h"
#include "engine/sequence.h"
#include "engine/stream_shard.h"

void stream_note_change(struct group *group, const struct slot *slot, struct slice after,
                        bool expired) {
    struct group_change *change = arena_alloc(group->arena, sizeof(*change));
    *change = (struct group_change){
        .next = NULL,
        .slot = slot,
        .change = {.before = slot->current, .after = after, .expired = expired},
    };
    *group->changes_end = change;
    group->changes_end = &change->next;
}

void stream_put_records(struct group *group, struct store_txn *txn) {
    for (const struct group_change *at = group->changes; at != NULL; at = at->next) {
        const struct table_definition *table = &at->slot->table->definition;
        uint64_t number = group_take_number(group);
        struct stream_shard shard = {
            generation_at(table->stream_created_ms, sequence_ms(number)),
            shard_of_key(table->stream_shards, at->slot->key),
        };
        struct store_key key = {KEYSPACE_CHANGES,
                                stream_record_key(group->arena, table->stream_id, shard, number)};
        store_put(txn, &key,
                  stream_record_encode(group->arena, table->stream, &table->keys, &at->change));
    }
}
