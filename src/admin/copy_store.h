/* copy_store.h - everything in a store into another one, of the same kind or not: what
 * `gramme copy-store` does.
 *
 * No server runs on either: a directory is locked, a shared store is led. What was copied is read
 * from both and compared before the copy counts. Access keys go along, with the key that seals
 * them.
 * Memory: a batch of a megabyte, whatever there is to copy. Threads: the caller's, the stores'. */
#ifndef GRAMME_ADMIN_COPY_STORE_H
#define GRAMME_ADMIN_COPY_STORE_H

#include "admin/dump_file.h"
#include "admin/store_place.h"
#include "engine/keyspaces.h"
#include "store/copy.h"

struct copy_store_options {
    struct store_place from;
    struct store_place to;
    /* Of an encrypted directory, or of the access keys in a shared store; NULL: there is none. */
    const struct master_key *key;
    const struct master_key *new_key;
    bool plain;       /* what was encrypted may become plain */
    bool replace;     /* what is in the target goes; of a shared store only */
    bool verify_only; /* both are there, and only compared */
    struct dump_observer *observer;
};

/* Totals are by engine_keyspaces. Errors are texts for the person at the command line. */
struct error *copy_store(struct arena *arena, const struct copy_store_options *options,
                         struct copy_totals *ret_totals);

#endif
