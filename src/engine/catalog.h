/* catalog.h - the tables there are.
 *
 * The catalog is an immutable list of tables, replaced whole by the commit thread when a table is
 * created, changed or deleted (catalog_job.h), or when the store is to be looked at again; each
 * list has a generation. An I/O thread looks tables up through its own catalog_view, which costs
 * one atomic load unless the catalog changed.
 *
 * Threads: catalog_find() and catalog_tables() on the view's thread; the rest on the commit
 * thread. */
#ifndef GRAMME_ENGINE_CATALOG_H
#define GRAMME_ENGINE_CATALOG_H

#include <pthread.h>

#include "engine/table.h"

/* Sorted by name; never changes. */
struct table_list {
    atomic_uint references;
    bool has_policies;    /* of some table or stream */
    uint64_t policy_keys; /* that some of them look at: a set of condition keys */
    size_t count;
    struct table *tables[];
};

struct throttle;

struct catalog {
    pthread_mutex_t lock; /* guards the pointer, not the list */
    struct table_list *list;
    atomic_uint_fast64_t generation; /* of the list; 0: nothing was loaded yet */
    struct throttle *throttle;       /* NULL: nothing limits the tables */
};

/* ---- looking up ---- */

struct catalog_view;
struct catalog_view *catalog_view_new(struct catalog *catalog);
void catalog_view_free(struct catalog_view *view);

/* Borrowed until the view is used again; take a reference to keep it longer. NULL: no such table.
 */
struct table *catalog_find(struct catalog_view *view, struct slice name);
/* All tables, sorted by name. */
size_t catalog_tables(struct catalog_view *view, struct table *const **ret_tables);

/* Whether some table or stream has a policy, and the keys that they look at. */
bool catalog_policies(struct catalog_view *view, uint64_t *ret_keys);
/* As catalog_find(), but in the list that the view had when it was last used: what was found there
 * before stays valid, and is of the same moment. */
struct table *catalog_find_again(const struct catalog_view *view, struct slice name);

/* ---- on the commit thread ---- */

/* The table of that name as it is now, borrowed; NULL: none. */
struct table *catalog_current(const struct catalog *catalog, struct slice name);
/* The same by its id. */
struct table *catalog_current_by_id(const struct catalog *catalog, uint32_t id);
/* Whether the list is another one than that of the generation, which then becomes the present one.
 * For those who remember what they saw in the list; 0: nothing yet. */
static inline bool catalog_changed(const struct catalog *catalog, uint_fast64_t *generation) {
    uint_fast64_t now = atomic_load_explicit(&catalog->generation, memory_order_relaxed);
    bool changed = now != *generation;
    *generation = now;
    return changed;
}

/* ---- private to this folder ---- */

/* `throttle`: may be NULL. */
void catalog_init(struct catalog *catalog, struct throttle *throttle);
void catalog_release(struct catalog *catalog);
/* Reads all tables and their statistics from the store, whatever was known. A table whose stored
 * definition is the known one stays the same table; one that is gone, or is another by now, is
 * dropped. On an error the list is as it was. */
struct error *catalog_load(struct catalog *catalog, struct arena *arena, struct store_txn *txn);
/* Makes the table the one of its name. Takes over the reference. */
void catalog_publish(struct catalog *catalog, struct table *table);
/* Takes a table that was deleted out of the list. */
void catalog_withdraw(struct catalog *catalog, struct table *table);

#endif
