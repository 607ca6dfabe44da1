/* recent.h - which keys of items were written lately: whether what was read of a key some commits
 * ago is still right. Private to this folder.
 *
 * Groups that commit are numbered, and for each key the number of the last one that wrote it is
 * kept, by a hash: of keys that share one it may look as if they had been written when they were
 * not. Only for a store far away (ahead.h); otherwise nothing is kept.
 *
 * Threads: the commit thread, but for `committed` and `bytes_ahead`, which are anybody's. */
#ifndef GRAMME_ENGINE_RECENT_H
#define GRAMME_ENGINE_RECENT_H

#include <stdatomic.h>

#include "store/store.h"

struct recent {
    uint64_t *numbers;              /* by hash; NULL: the store is near */
    uint64_t last;                  /* of the last group that was to be committed */
    uint64_t known_from;            /* earlier numbers tell nothing: someone else wrote */
    atomic_uint_fast64_t committed; /* the last one whose commit came back */
    atomic_size_t bytes_ahead;      /* of ahead.c */
};

void recent_init(struct recent *recent, const struct store *store);
void recent_release(struct recent *recent);

/* Before the commit of a group: its number, and each key of an item that it writes. */
void recent_begin(struct recent *recent);
void recent_note(struct recent *recent, struct slice key);
/* And after it. */
void recent_committed(struct recent *recent);
/* Someone else wrote. */
void recent_forget(struct recent *recent);

/* Whether nothing was written there after the commit of that number. */
bool recent_is_since(const struct recent *recent, struct slice key, uint64_t number);

#endif
