/* copy.h - the state of a table at one moment, copied into a range of its own: what backups and
 * restores are made of. Private to this folder; commit thread.
 *
 * How far it is stands in the catalog, by the id of the target (codec/copy.h).
 *
 * A copy reads no snapshot. First it copies all items, a step at a time, while the source is
 * written to; since each of those writes leaves in the history what it replaced (history.h), the
 * copy then undoes them in its own range, from the newest to the oldest, down to the moment that
 * it is to show. Whenever an item was copied, the oldest change after that moment is undone last,
 * and so the result is exact. A backup does not change, and needs nothing undone. Last, a table
 * gets its index entries and item collections.
 *
 * Each step is one commit that moves the copy's record, so that a copy goes on where it was after
 * a crash. Until the last one the target is of no use to anyone: the table is CREATING, the backup
 * too. */
#ifndef GRAMME_ENGINE_COPY_H
#define GRAMME_ENGINE_COPY_H

#include "base/error.h"
#include "codec/copy.h"
#include "engine/chore.h"
#include "engine/kept_key.h"
#include "store/store.h"

struct engine;

/* The state with which a copy begins. `until` of a backup as source: COPY_NOTHING_TO_UNDO. */
#define COPY_NOTHING_TO_UNDO UINT64_MAX

/* One that is under way. */
struct copy {
    struct copy *next;
    struct copy_state state;
    struct kept_key cursor; /* holds the state's */
};

struct error *copy_load(struct engine *engine, struct arena *arena, struct store_txn *txn);
void copy_clear(struct engine *engine);

/* Its record. */
void copy_put(struct arena *arena, struct store_txn *txn, const struct copy_state *state);
void copy_delete(struct arena *arena, struct store_txn *txn, uint32_t target);
/* After the commit of its first record: it begins. */
void copy_start(struct engine *engine, const struct copy_state *state);
/* After the commit that deletes its record: it ends, done or not. Nothing, when there is none. */
void copy_stop(struct engine *engine, uint32_t target);

/* The copy into that range; NULL: none. */
const struct copy *copy_into(const struct engine *engine, uint32_t target);
/* True when a copy of some kind reads the range. */
bool copy_reads(const struct engine *engine, uint32_t source);
/* The number up to which copies undo changes of the table, or the largest there is. */
uint64_t copy_reads_back_to(const struct engine *engine, uint32_t source);
/* How many tables are being restored. */
size_t copy_restores(const struct engine *engine);

/* A chore: does one step of one copy. */
struct error *copy_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state);

#endif
