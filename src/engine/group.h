/* group.h - the items that a group of writes touches, as the group sees them, and their item
 * collections.
 *
 * One slot per key: what the store holds, and what the writes of the group have made of it so far.
 * The second write to a key sees the first; the store gets each key once, with its last value.
 * Memory: the group's arena. Threads: commit thread. */
#ifndef GRAMME_ENGINE_GROUP_H
#define GRAMME_ENGINE_GROUP_H

#include "engine/damage.h"
#include "engine/index.h"
#include "engine/options.h"
#include "engine/sequence.h"
#include "engine/sweeper.h"
#include "engine/token_keeper.h"
#include "engine/write.h"

struct slot {
    uint8_t keyspace; /* KEYSPACE_ITEMS; KEYSPACE_INDEXES for an item collection (collection.h),
                         KEYSPACE_CATALOG for a request token (token.h) */
    struct slice key;
    struct table *table;    /* as it is now; NULL: of no table */
    bool fetched;           /* `committed` is known before the group reads */
    struct slice committed; /* stored bytes before the group; absent: none */
    struct slice current;   /* after the writes so far */
    /* Of an item that one write changed: what that does to the indexes of its table. NULL: to be
     * found from the two. */
    struct index_difference *differences;
    /* The transaction of the group that used it, where transactions are to conflict. */
    const struct write_job *transaction;
};

/* Whose facts the writes of a group use and change. */
struct group_owners {
    const struct engine_options *options;
    const struct key_codec *keys;
    struct sequence *sequence;
    struct sweeper *sweeper;
    struct token_keeper *tokens;
    struct damage *damage;
};

struct group {
    struct group_owners owners;
    struct arena *arena;
    enum store_durability durability; /* of its commit */
    uint64_t now_ms;    /* one time for all, also when the group is run again after a conflict */
    struct slot *slots; /* in order of first use */
    size_t count;
    size_t capacity;
    struct table_stats *touched; /* those that change, in a list */
    uint64_t first_sequence;     /* of the changes that the group records */
    uint64_t next_sequence;
    struct group_change *changes;      /* what the writes did one by one, for streams (stream.h) */
    struct group_change **changes_end; /* where the next one goes */
    uint32_t *buckets;                 /* slot number + 1; 0: free */
    size_t bucket_count;               /* a power of two, at least twice the capacity */
};

/* The next number of a change. */
static inline uint64_t group_take_number(struct group *group) {
    uint64_t number = group->next_sequence;
    group->next_sequence = sequence_after(number, group->owners.options->store);
    return number;
}

/* For at most `capacity` keys. */
void group_init(struct group *group, const struct group_owners *owners, struct arena *arena,
                size_t capacity);
/* The slot of a key, made when it is new. The table may be NULL. */
struct slot *group_slot(struct group *group, struct table *table, struct store_key key);
/* Reads what the store holds for all slots that were not fetched, at once. */
struct error *group_fetch(struct group *group, struct store_txn *txn);
static inline bool slot_changed(const struct slot *slot) {
    return slot->current.data != slot->committed.data;
}

/* What the change of an item from slot->current to `stored`, which is the next to be made, does to
 * the indexes of its table: one each. What the group's flush needs of it is kept. */
const struct index_difference *group_differences(struct group *group, struct slot *slot,
                                                 struct slice stored);
#endif
