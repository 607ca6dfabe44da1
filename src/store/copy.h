/* copy.h - everything in a store into another one, of whatever engines, and whether two are equal.
 *
 * Both read one moment of the first store. Memory: a batch, and what the transactions hold.
 * Threads: the caller's. */
#ifndef GRAMME_STORE_COPY_H
#define GRAMME_STORE_COPY_H

#include "store/store.h"

/* Told after every batch: of all keyspaces, so far. */
struct copy_observer {
    void (*report)(struct copy_observer *observer, uint64_t records, uint64_t bytes);
};

struct copy_options {
    struct store *from;
    struct store *to; /* with the same keyspaces; for store_copy empty */
    struct copy_observer *observer;
};

struct copy_totals {
    uint64_t records;
    uint64_t bytes; /* of keys and values */
};

/* Durable when it returns. */
struct error *store_copy(struct arena *arena, const struct copy_options *options,
                         struct copy_totals *ret_totals);
/* An error unless both have the same records. */
struct error *store_compare(struct arena *arena, const struct copy_options *options,
                            struct copy_totals *ret_totals);

#endif
