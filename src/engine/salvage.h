/* salvage.h - a sound database from the records of a damaged one.
 *
 * Records come by keyspace and in order (salvage_take), the catalog first. Each is checked as in a
 * backup, and what is sound goes to the new store. What follows from items is not taken but made:
 * index entries, expiries, item collections, statistics; so an index that was being filled is
 * complete. What is half done is left: a backup that was being taken, a table that was being
 * restored. A stream whose definition is lost is off.
 *
 * History is of use only whole, since a state is restored by undoing every change: when records may
 * be missing it begins anew. Numbers of changes go on behind the largest that was seen.
 *
 * Memory: the catalog's definitions, and a batch. Threads: one. */
#ifndef GRAMME_ENGINE_SALVAGE_H
#define GRAMME_ENGINE_SALVAGE_H

#include "engine/keyspaces.h"

struct salvaging;

struct salvage_observer {
    /* What cannot be brought over, and where it stood. */
    void (*lost)(struct salvage_observer *observer, struct slice text);
};

struct salvage_totals {
    uint64_t tables;
    uint64_t items;   /* of tables and backups */
    uint64_t changes; /* records of streams, and history */
    uint64_t lost;    /* records that could be read, and are of no use; and definitions */
    uint64_t left_over;
};

/* Into an empty store. */
void salvaging_begin(struct arena *arena, struct store *to, struct salvage_observer *observer,
                     int64_t now_ms, struct salvaging **ret_salvaging);
/* The next keyspace begins; they come in order. */
struct error *salvaging_next(struct salvaging *salvaging, uint8_t keyspace);
/* Whether a record of the keyspace whose bytes are in doubt is right beyond that: it is sound, and
 * has a checksum of its own, or is one without which nothing could be salvaged; then that is told.
 */
bool salvaging_vouches(struct salvaging *salvaging, struct slice key, struct slice value);
/* A record of it. */
struct error *salvaging_take(struct salvaging *salvaging, struct slice key, struct slice value);
/* `partial`: records may be missing, or older than they were. Everything is durable then. */
struct error *salvaging_end(struct salvaging *salvaging, bool partial,
                            struct salvage_totals *ret_totals);
void salvaging_free(struct salvaging *salvaging);

#endif
