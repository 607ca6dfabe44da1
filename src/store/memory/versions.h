/* versions.h - which snapshots are in use, and what may be freed.
 *
 * A version is one root per keyspace. Readers pin the current one for as long as they look; the
 * writer publishes the next. All keyspaces change together with the one pointer to the current
 * version, so a commit is all or nothing. The lock covers that pointer and the count beside it,
 * never a walk through a tree. */
#ifndef GRAMME_STORE_MEMORY_VERSIONS_H
#define GRAMME_STORE_MEMORY_VERSIONS_H

#include <pthread.h>
#include <stdatomic.h>

#include "store/memory/tree.h"
#include "store/store.h"

struct version {
    struct version *older;
    uint64_t number;
    atomic_size_t pins;
    struct object_list garbage; /* retired objects that it needs, and perhaps older ones do */
    struct node *roots[STORE_KEYSPACES_MAX];
};

struct versions {
    pthread_mutex_t lock;
    struct version *current;  /* head of the list of versions, newest first */
    struct object_list limbo; /* retired objects that wait to be sorted or freed; the writer's */
    uint64_t shared;          /* objects born up to it are another store's; 0: all are our own */
};

void versions_init(struct versions *versions);
/* As `from` is, which stays pinned until these are released. */
void versions_init_from(struct versions *versions, const struct version *from);
/* Frees everything; no version is pinned. */
void versions_release(struct versions *versions);

struct version *versions_pin(struct versions *versions);
void version_unpin(struct version *version);

/* The edit's roots become the current version, and some of what nobody needs any more is freed:
 * a bounded piece with each call, so that no commit pays for a dropped table at once. */
void versions_publish(struct versions *versions, struct tree_edit *edit, struct node *const *roots);
/* Publishes an empty version, and frees all that no pinned one needs. */
void versions_clear(struct versions *versions);

#endif
