/* owners.h - whose the records of each id are, as the catalog tells it.
 *
 * Every key outside the catalog begins with an id: of a table, an index, a range of expiries, a
 * stream or a backup. Who reads a store, or a dump of one, without an engine learns them from the
 * records of the catalog, which come first.
 *
 * Memory: the definitions are kept until owners_release(). Threads: one. */
#ifndef GRAMME_ENGINE_OWNERS_H
#define GRAMME_ENGINE_OWNERS_H

#include "codec/format.h"
#include "codec/record_check.h"
#include "store/store.h"

struct owners {
    struct arena definitions; /* what the list points to */
    struct record_owner *list;
    size_t count;
    size_t room;
    bool settled; /* the catalog is complete, and the list in the order of ids */
    bool has_format;
    struct format_record format;
};

void owners_init(struct owners *owners);
void owners_release(struct owners *owners);

/* A record of the catalog, which was checked. Errors are in the arena. */
struct error *owners_learn(struct owners *owners, struct arena *arena, struct slice key,
                           struct slice value);
/* After the last of them: an id has one owner, since two would read each other's records, and was
 * given out. */
struct error *owners_settle(struct owners *owners, struct arena *arena);

/* Of an id, after that; NULL: it is nobody's. */
const struct record_owner *owners_find(const struct owners *owners, uint32_t id);

/* A record outside the catalog, by its keyspace and its owner (codec/record_check.h). */
struct error *owned_record_check(struct arena *arena, const struct owners *owners,
                                 const struct store_key *key, struct slice value);

#endif
