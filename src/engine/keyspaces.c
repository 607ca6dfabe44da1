/* keyspaces.c - see the header. */
#include "engine/keyspaces.h"

const struct store_keyspace engine_keyspaces[KEYSPACE_COUNT] = {
    /* Those by which a server that only reads knows what is there: the format and the tables
     * (codec/catalog_keys.def). */
    [KEYSPACE_CATALOG] = {"catalog", false, "FT"},
    [KEYSPACE_ITEMS] = {"items", true, NULL},
    [KEYSPACE_INDEXES] = {"indexes", false, NULL},
    [KEYSPACE_CHANGES] = {"changes", false, NULL},
};
