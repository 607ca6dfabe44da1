/* cache.h - menus that a process has read, for an hour: so that a menu that many look at is read
 * from the table once.
 *
 * What this process changes itself is forgotten here; what others change shows within the hour.
 * Limits: CACHE_MENUS_MAX menus; the one that ends first makes room. Threads: any. */
#ifndef LUNCH_CACHE_CACHE_H
#define LUNCH_CACHE_CACHE_H

#include "menu.h"

enum { CACHE_MENUS_MAX = 256, CACHE_LIFETIME_S = 60 * 60 };

struct cache_view {
    struct ddb_item *menu; /* a copy of your own; NULL: it is not here */
    int64_t left_s;        /* how long it stays */
    /* It was changed here: an eventually consistent read may not show that yet. */
    bool changed;
    uint64_t moment; /* for cache_keep() */
};

void cache_find(const char *pk, struct cache_view *ret_view);
/* Keeps a copy of what was read after cache_find(), unless something was changed since. */
void cache_keep(const struct ddb_item *menu, int64_t lifetime_s, uint64_t moment);
/* After a change: of one menu, or of nobody knows which. */
void cache_forget(const char *pk);
void cache_forget_all(void);

#endif
