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

#include "codec/copy.h"
#include "engine/catalog.h"
#include "engine/kept_key.h"
#include "store/store.h"

/* The state with which a copy begins. `until` of a backup as source: COPY_NOTHING_TO_UNDO. */
#define COPY_NOTHING_TO_UNDO UINT64_MAX

/* One that is under way. */
struct copy {
    struct copy *next;
    struct copy_state state;
    struct kept_key cursor; /* holds the state's */
};

struct copies {
    struct copy *first;
};

/* Reads those that are under way, whatever was known. Their sources are to be looked at then. */
struct error *copies_load(struct copies *copies, struct arena *arena, struct store_txn *txn);
/* Tells all tables whether a copy reads them. */
void copies_look_at(const struct copies *copies, const struct catalog *catalog);
void copies_clear(struct copies *copies);

/* Its record. */
void copy_put(struct arena *arena, struct store_txn *txn, const struct copy_state *state);
void copy_delete(struct arena *arena, struct store_txn *txn, uint32_t target);
/* After the commit of its first record: it begins. */
void copy_start(struct copies *copies, const struct catalog *catalog,
                const struct copy_state *state);
/* After the commit that deletes its record: it ends, done or not. Nothing, when there is none. */
void copy_stop(struct copies *copies, const struct catalog *catalog, uint32_t target);

/* The copy into that range; NULL: none. */
const struct copy *copy_into(const struct copies *copies, uint32_t target);
/* True when a copy of some kind reads the range. */
bool copy_reads(const struct copies *copies, uint32_t source);
/* A backup of the table is being made. */
bool copy_takes_backup(const struct copies *copies, uint32_t source);
/* The number up to which copies undo changes of the table, or the largest there is. */
uint64_t copy_reads_back_to(const struct copies *copies, uint32_t source);
/* How many tables are being restored. */
size_t copy_restores(const struct copies *copies);

/* The one whose turn it is, which is then behind all others; NULL: there is none. */
struct copy *copy_take_turn(struct copies *copies);
/* After the commit that moved its record. */
void copy_set_state(struct copy *copy, const struct copy_state *state);

#endif
