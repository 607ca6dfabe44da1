/* keyspaces.c - see the header. */
#include "engine/keyspaces.h"

/* By which a server that only reads knows what is there, and who may read it: the format and the
 * tables (codec/catalog_keys.def), and records of users, roles and keys (iam/stored.h). */
static const char *const read_by_all[] = {"F", "T", "Ruser", "Rrole", "Rkey", NULL};

const struct store_keyspace engine_keyspaces[KEYSPACE_COUNT] = {
    [KEYSPACE_CATALOG] = {"catalog", false, read_by_all},
    [KEYSPACE_ITEMS] = {"items", true, NULL},
    [KEYSPACE_INDEXES] = {"indexes", false, NULL},
    [KEYSPACE_CHANGES] = {"changes", false, NULL},
};
