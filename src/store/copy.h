/* copy.h - everything in a store into another one, of whatever engines, and whether two are equal.
 *
 * Both read one moment of the first store. Memory: a batch, and what the transactions hold.
 * Threads: the caller's. */
#ifndef GRAMME_STORE_COPY_H
#define GRAMME_STORE_COPY_H

#include "crypto/digest.h"
#include "store/sight.h"

/* Told after every batch: of all keyspaces, so far. */
struct copy_observer {
    void (*report)(struct copy_observer *observer, uint64_t records, uint64_t bytes);
};

struct copy_options {
    struct store *from;
    struct store *to;               /* with the same keyspaces; for store_copy empty */
    struct copy_observer *observer; /* or NULL */
    store_look *look;               /* how both are read, or NULL: as they are */
};

struct copy_count {
    uint64_t records;
    uint64_t bytes; /* of keys and values */
};

struct copy_totals {
    uint64_t records;
    uint64_t bytes;
    struct copy_count keyspaces[STORE_KEYSPACES_MAX];
    /* Of everything in a keyspace, in order, by store_compare: stores with the same records have
     * the same. */
    uint8_t hashes[STORE_KEYSPACES_MAX][SHA256_BYTES];
};

/* Durable when it returns. */
struct error *store_copy(struct arena *arena, const struct copy_options *options,
                         struct copy_totals *ret_totals);
/* Reads both to the end; an error unless they have the same records. */
struct error *store_compare(struct arena *arena, const struct copy_options *options,
                            struct copy_totals *ret_totals);

/* Whether there is no record in it. */
struct error *store_is_empty(struct arena *arena, struct store *store, bool *ret_empty);

#endif
