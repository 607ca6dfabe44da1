/* stream.h - how streams come, get their records, and go. Private to this folder; commit thread.
 *
 * A stream's definition stands in the catalog, by its table's name and its label, its records in
 * the changes' keyspace (codec/stream.h).
 *
 * Every change to an item is recorded by itself, in the commit that makes it. A stream that was
 * turned off, or whose table was deleted, can be read for another LIMIT_STREAM_RETENTION_MS. */
#ifndef GRAMME_ENGINE_STREAM_H
#define GRAMME_ENGINE_STREAM_H

#include "codec/stream.h"
#include "engine/group.h"

/* What a write did to an item of a table with a stream, in a list of the group. */
struct group_change {
    struct group_change *next;
    const struct slot *slot;
    struct item_change change;
};

/* The slot is about to hold `after`. */
void stream_note_change(struct group *group, const struct slot *slot, struct slice after,
                        bool expired);
/* Gives every change of the list a number and writes its record. */
void stream_put_records(struct group *group, struct store_txn *txn);

#endif
