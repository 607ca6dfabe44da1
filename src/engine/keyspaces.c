/* keyspaces.c - see the header. */
#include "engine/keyspaces.h"

const struct store_keyspace engine_keyspaces[KEYSPACE_COUNT] = {
    [KEYSPACE_CATALOG] = {"catalog", false},
    [KEYSPACE_ITEMS] = {"items", true},
    [KEYSPACE_INDEXES] = {"indexes", false},
    [KEYSPACE_CHANGES] = {"changes", false},
};
