/* keyspace.h - keys and ranges, which codec makes as bytes, in the store's keyspaces. Private to
 * this folder. */
#ifndef GRAMME_ENGINE_KEYSPACE_H
#define GRAMME_ENGINE_KEYSPACE_H

#include "codec/catalog_keys.h"
#include "engine/keyspaces.h"

static inline struct store_key catalog_key(struct slice key) {
    return (struct store_key){KEYSPACE_CATALOG, key};
}

static inline struct store_range range_in(uint8_t keyspace, struct key_range keys) {
    return (struct store_range){keyspace, keys.first, keys.last};
}

#endif
