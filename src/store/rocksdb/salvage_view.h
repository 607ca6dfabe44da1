/* salvage_view.h - a damaged database, opened in a copy as far as it can be. Private to this
 * folder.
 *
 * Where the manifest is whole and every table can be opened, RocksDB opens the copy, and takes of
 * the logs every record that it can read. Else it makes a new manifest from the tables that there
 * are, each of which says whose it is, and the logs are written over it (replay.h). Without a sound
 * manifest, tables that are no longer in use but still there come back then, and with them what was
 * deleted since.
 *
 * The copy is made of second names for tables, which never change, and of copies of the rest. */
#ifndef GRAMME_STORE_ROCKSDB_SALVAGE_VIEW_H
#define GRAMME_STORE_ROCKSDB_SALVAGE_VIEW_H

#include "store/rocksdb/internal.h"

struct salvage_files {
    const char *directory;      /* the damaged one */
    const char *const *without; /* tables that are left out; NULL ends them */
    bool rebuild;               /* its manifest is not used */
};

/* In `scratch`, which is not there yet and removed by no one here. */
struct error *salvage_view_open(struct arena *arena, const struct rocksdb_store_options *options,
                                const struct store_keyspace *keyspaces, size_t count,
                                const struct salvage_files *files, struct store **ret_store);

#endif
