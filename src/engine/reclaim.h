/* reclaim.h - giving back the room of whole ranges that were deleted: tables, indexes, backups, old
 * history. Private to this folder; commit thread.
 *
 * What waits here is known in memory only: after a crash the store finds the room by itself, only
 * later. */
#ifndef GRAMME_ENGINE_RECLAIM_H
#define GRAMME_ENGINE_RECLAIM_H

#include "engine/chore.h"
#include "model/table.h"
#include "store/store.h"

struct reclaims {
    struct reclaim *first;
    size_t count;
};

/* After the commit that deleted the range, which is copied. Nobody will use its keys again. */
void reclaim_later(struct reclaims *reclaims, uint8_t keyspace, struct slice first,
                   struct slice last);
/* The same for all keys of a table, an index or a backup. */
void reclaim_range_of(struct reclaims *reclaims, uint8_t keyspace, uint32_t id);
/* The ranges that were deleted when a table changed from `before` to `after` (NULL: nothing), but
 * for its history. */
void reclaim_table(struct reclaims *reclaims, const struct table_definition *before,
                   const struct table_definition *after);
/* The history below that number. The table may keep history again, under numbers that follow. */
void reclaim_history(struct reclaims *reclaims, uint32_t table_id, uint64_t below);
void reclaim_clear(struct reclaims *reclaims);

/* A chore: one range at a time. */
struct error *reclaim_step(struct reclaims *reclaims, struct store *store, struct arena *arena,
                           enum chore_state *ret_state);

#endif
