/* cache.c - a few hundred menus in an array: a look at all of them costs less than a request. */
#include "cache.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/timestamp.h"

struct entry {
    char pk[MENU_PK_SIZE]; /* "": the place is free */
    struct ddb_item *menu; /* NULL: it was changed here */
    int64_t until_ms;      /* by the clock that nobody sets */
};

static struct {
    pthread_mutex_t lock;
    uint64_t moment; /* counts the changes */
    struct entry entries[CACHE_MENUS_MAX];
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The place of a menu, else the one that is free or ends first. */
static struct entry *place_of(const char *pk) {
    struct entry *first = &cache.entries[0];
    for (int i = 0; i < CACHE_MENUS_MAX; i++) {
        struct entry *entry = &cache.entries[i];
        if (strcmp(entry->pk, pk) == 0)
            return entry;
        if (entry->until_ms < first->until_ms)
            first = entry;
    }
    return first;
}

static void set(const char *pk, struct ddb_item *menu, int64_t lifetime_s) {
    struct entry *entry = place_of(pk);
    ddb_item_free(entry->menu);
    snprintf(entry->pk, sizeof(entry->pk), "%s", pk);
    entry->menu = menu;
    entry->until_ms = timestamp_elapsed_ms() + lifetime_s * 1000;
}

void cache_find(const char *pk, struct cache_view *ret_view) {
    pthread_mutex_lock(&cache.lock);
    const struct entry *entry = place_of(pk);
    int64_t left_ms = entry->until_ms - timestamp_elapsed_ms();
    bool found = strcmp(entry->pk, pk) == 0 && left_ms > 0;
    *ret_view = (struct cache_view){
        .menu = found && entry->menu != NULL ? ddb_item_copy(entry->menu) : NULL,
        .left_s = found ? left_ms / 1000 : 0,
        .changed = found && entry->menu == NULL,
        .moment = cache.moment,
    };
    pthread_mutex_unlock(&cache.lock);
}

void cache_keep(const struct ddb_item *menu, int64_t lifetime_s, uint64_t moment) {
    pthread_mutex_lock(&cache.lock);
    if (moment == cache.moment)
        set(ddb_item_string(menu, "pk", ""), ddb_item_copy(menu), lifetime_s);
    pthread_mutex_unlock(&cache.lock);
}

void cache_forget(const char *pk) {
    pthread_mutex_lock(&cache.lock);
    cache.moment++;
    set(pk, NULL, CACHE_LIFETIME_S);
    pthread_mutex_unlock(&cache.lock);
}

void cache_forget_all(void) {
    pthread_mutex_lock(&cache.lock);
    cache.moment++;
    for (int i = 0; i < CACHE_MENUS_MAX; i++) {
        ddb_item_free(cache.entries[i].menu);
        cache.entries[i].menu = NULL;
    }
    pthread_mutex_unlock(&cache.lock);
}
