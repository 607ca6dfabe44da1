/* salvage.h - what can be read of a damaged database, whatever is wrong with it.
 *
 * Every table is verified. Those that cannot be opened are left out, and told unless a sound
 * manifest says that they were not in use. Where the checksum of a block of another is wrong, its
 * records are read all the same, and those are taken that the caller knows to be right. For the
 * others the database is asked without the damaged tables: what is found there is from before the
 * writes that were lost, and may have been changed or deleted since. Nothing of the damaged
 * database changes.
 *
 * Memory: the arena, until it is closed. Threads: the caller's. */
#ifndef GRAMME_STORE_ROCKSDB_SALVAGE_H
#define GRAMME_STORE_ROCKSDB_SALVAGE_H

#include "store/rocksdb/check.h"

struct salvage;

/* `scratch` is a directory that is there, on the same disk, and the caller's to remove. An error:
 * it is in use, or nothing can be read at all. */
struct error *salvage_open(struct arena *arena, const struct rocksdb_store_options *options,
                           const char *scratch, const struct store_keyspace *keyspaces,
                           size_t count, struct files_observer *observer,
                           struct salvage **ret_salvage);
void salvage_close(struct salvage *salvage);

/* Whether something that was written may be missing, or older than it was. */
bool salvage_is_partial(const struct salvage *salvage);

struct salvage_gap {
    uint64_t vouched;
    uint64_t older;
};

struct salvage_visitor {
    struct error *(*record)(struct salvage_visitor *visitor, struct slice key, struct slice value);
    /* Of a block whose checksum is wrong: whether the record is right beyond doubt. */
    bool (*vouches)(struct salvage_visitor *visitor, struct slice key, struct slice value);
    /* After a place that cannot be read, for that reason: so many records of it were vouched for,
     * so many older ones stand in the place of others. Both were visited. */
    void (*gap)(struct salvage_visitor *visitor, const struct salvage_gap *gap,
                struct slice reason);
};

/* The records of a keyspace in their order. */
struct error *salvage_scan(struct salvage *salvage, uint8_t keyspace,
                           struct salvage_visitor *visitor);

#endif
