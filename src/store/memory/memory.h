/* memory.h - the engine that keeps everything in memory and nothing after it closes. */
#ifndef GRAMME_STORE_MEMORY_MEMORY_H
#define GRAMME_STORE_MEMORY_MEMORY_H

#include "store/store.h"

struct error *memory_store_open(struct arena *arena, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store);

/* What such a store held at one moment. It takes no time to make, and costs the memory of what has
 * changed since: the store may go on, and be closed. Counted; any thread. */
struct memory_snapshot;
struct memory_snapshot *memory_store_snapshot(struct store *store);
struct memory_snapshot *memory_snapshot_ref(struct memory_snapshot *snapshot);
void memory_snapshot_unref(struct memory_snapshot *snapshot); /* NULL is fine */

/* A store that begins with what the snapshot holds. It takes no time either: what neither changes
 * is there once, however many stores begin so. */
struct store *memory_store_fork(struct memory_snapshot *snapshot);

#endif
