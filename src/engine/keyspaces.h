/* keyspaces.h - the keyspaces that an engine's store is opened with. */
#ifndef GRAMME_ENGINE_KEYSPACES_H
#define GRAMME_ENGINE_KEYSPACES_H

#include "store/store.h"

enum engine_keyspace {
    KEYSPACE_CATALOG,
    KEYSPACE_ITEMS,
    KEYSPACE_INDEXES,
    KEYSPACE_CHANGES,
    KEYSPACE_COUNT
};
extern const struct store_keyspace engine_keyspaces[KEYSPACE_COUNT];

#endif
