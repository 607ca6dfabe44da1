/* store_place.h - where a store is, in the words of `gramme serve --store`, and the store that is
 * there, opened for a command.
 *
 * DIR and rocksdb:DIR are a data directory; postgres://... is a store that servers share. A
 * directory belongs to whoever has it open. A shared store is read beside its servers, at the
 * moment of opening, or is led by who wants it for itself.
 * Memory: texts are in the arena. Threads: the caller's, and the store's. */
#ifndef GRAMME_ADMIN_STORE_PLACE_H
#define GRAMME_ADMIN_STORE_PLACE_H

#include "admin/data_directory.h"
#include "store/store.h"

/* How long a command may be busy with something else before it loses the lead. */
enum { STORE_PLACE_LEAD_MS = 60000 };

struct store_place {
    const char *directory; /* NULL: it is elsewhere, at */
    const char *url;
    const char *name; /* for messages: without a password */
};

struct error *store_place_of(struct arena *arena, const char *text, struct store_place *ret_place);

enum found_how {
    FOUND_ALONE,  /* no server writes to it meanwhile */
    FOUND_BESIDE, /* servers of a shared store go on */
};

struct found_store {
    struct store_place place;
    struct store *store;
    struct data_directory data; /* of a directory */
};

/* The key is that of a directory, or NULL; a shared store is not encrypted by us. */
struct error *found_store_open(struct arena *arena, const struct store_place *place,
                               const struct master_key *key, enum found_how how,
                               struct found_store *ret_found);
void found_store_close(struct found_store *found);

/* No server writes to it from here on, or it is an error. */
struct error *store_place_lead(struct arena *arena, const struct store_place *place,
                               struct store *store);

#endif
