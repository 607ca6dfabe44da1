/* memory.h - the engine that keeps everything in memory and nothing after it closes. */
#ifndef GRAMME_STORE_MEMORY_MEMORY_H
#define GRAMME_STORE_MEMORY_MEMORY_H

#include "store/store.h"

struct error *memory_store_open(struct arena *arena, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store);

#endif
