/* new_store.h - a store that is filled from something else, and is one when it is whole.
 *
 * A directory is filled beside its place (new_directory.h). A shared store is there, made by
 * `gramme store init`, and is marked while it is filled: what a crash left of it is opened by no
 * server, and filled anew by the next who does.
 * Memory: the arena, and the store's. Threads: the caller's, and the store's. */
#ifndef GRAMME_ADMIN_NEW_STORE_H
#define GRAMME_ADMIN_NEW_STORE_H

#include "admin/new_directory.h"
#include "admin/store_place.h"

struct new_store {
    struct store_place place;
    struct store *store; /* empty at first */
    struct new_directory directory;
};

struct new_store_options {
    struct store_place place;
    const struct master_key *key; /* of a directory that is to be encrypted; or NULL */
    bool replace;                 /* what is in a shared store goes */
    const char *by;               /* the command, for whoever finds it half done */
};

struct error *new_store_begin(struct arena *arena, const struct new_store_options *options,
                              struct new_store *ret_new);
/* From here on it is read as the next start will find it. */
struct error *new_store_reopen(struct arena *arena, struct new_store *new_store);
/* With everything durable, or with the error that came before: then it is not a store. Returns
 * that, or its own. */
struct error *new_store_end(struct arena *arena, struct new_store *new_store, struct error *error);

#endif
