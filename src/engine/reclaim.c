/* reclaim.c - a list of ranges, each told to the store once. */
#include "engine/reclaim.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/history.h"
#include "codec/key.h"
#include "engine/keyspace.h"

/* A range more than this is not worth waiting for: the store gets to it by itself. */
enum { RECLAIMS_MAX = 10000, TRIES_MAX = 16 };

struct reclaim {
    struct reclaim *next;
    struct store_range range; /* its ends are behind the struct */
    uint64_t moment;          /* the store's */
    uint8_t bytes[];
};

void reclaim_later(struct reclaims *reclaims, uint8_t keyspace, struct slice first,
                   struct slice last) {
    if (reclaims->count == RECLAIMS_MAX)
        return;
    struct reclaim *reclaim = calloc(1, sizeof(*reclaim) + first.len + last.len);
    CHECK(reclaim != NULL);
    memcpy(reclaim->bytes, first.data, first.len);
    memcpy(reclaim->bytes + first.len, last.data, last.len);
    reclaim->range = (struct store_range){keyspace, slice_of(reclaim->bytes, first.len),
                                          slice_of(reclaim->bytes + first.len, last.len)};
    reclaim->next = reclaims->first;
    reclaims->first = reclaim;
    reclaims->count++;
}

void reclaim_range_of(struct reclaims *reclaims, uint8_t keyspace, uint32_t id) {
    struct arena CLEANUP(arena_release) arena;
    arena_init(&arena);
    struct key_range range = key_range_of_table(&arena, id);
    reclaim_later(reclaims, keyspace, range.first, range.last);
}

void reclaim_history(struct reclaims *reclaims, uint32_t table_id, uint64_t below) {
    struct arena CLEANUP(arena_release) arena;
    arena_init(&arena);
    reclaim_later(reclaims, KEYSPACE_CHANGES, history_key(&arena, table_id, 0),
                  history_key(&arena, table_id, below));
}

static bool has_index(const struct table_definition *definition, uint32_t id) {
    for (size_t i = 0; i < definition->index_count; i++)
        if (definition->indexes[i].id == id)
            return true;
    return false;
}

void reclaim_table(struct reclaims *reclaims, const struct table_definition *before,
                   const struct table_definition *after) {
    for (size_t i = 0; i < before->index_count; i++)
        if (after == NULL || !has_index(after, before->indexes[i].id))
            reclaim_range_of(reclaims, KEYSPACE_INDEXES, before->indexes[i].id);
    if (before->ttl_id != 0 && (after == NULL || after->ttl_id != before->ttl_id))
        reclaim_range_of(reclaims, KEYSPACE_INDEXES, before->ttl_id);
    if (after == NULL)
        reclaim_range_of(reclaims, KEYSPACE_INDEXES, before->id); /* its item collections */
    if (after == NULL && before->pitr_days == 0)
        reclaim_range_of(reclaims, KEYSPACE_ITEMS, before->id);
}

static void drop(struct reclaims *reclaims, struct reclaim **at) {
    struct reclaim *reclaim = *at;
    *at = reclaim->next;
    reclaims->count--;
    free(reclaim);
}

void reclaim_clear(struct reclaims *reclaims) {
    while (reclaims->first != NULL)
        drop(reclaims, &reclaims->first);
}

/* Stops at the first that is done. One that fails is not tried again: the store gets to it by
 * itself. While a long read keeps them all waiting, a few are asked for each time. */
struct error *reclaim_step(struct reclaims *reclaims, struct store *store, struct arena *arena,
                           enum chore_state *ret_state) {
    struct reclaim **at = &reclaims->first;
    *ret_state = *at == NULL ? CHORE_ASLEEP : CHORE_WAITING;
    for (int tried = 0; *at != NULL && tried < TRIES_MAX; tried++, at = &(*at)->next) {
        bool done = true;
        struct error *error = store_reclaim(store, arena, &(*at)->range, &(*at)->moment, &done);
        if (error == NULL && !done)
            continue;
        drop(reclaims, at);
        *ret_state = CHORE_STEPPED;
        return error;
    }
    return NULL;
}
