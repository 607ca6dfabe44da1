/* library.h - RocksDB, loaded when a database is opened and not before.
 *
 * The library and what it brings along take more memory and time to load than all of gramme; a
 * server that keeps nothing on disk does without. It is called through this table. */
#ifndef GRAMME_STORE_ROCKSDB_LIBRARY_H
#define GRAMME_STORE_ROCKSDB_LIBRARY_H

#include <rocksdb/c.h>

#include "base/error.h"

struct rocksdb_library {
#define ROCKSDB(name) __typeof__(rocksdb_##name) *name;
#include "store/rocksdb/library.def"
#undef ROCKSDB
};

/* Whole after rocksdb_library_load(). */
extern struct rocksdb_library rocks;

/* Does nothing when it is loaded already. Any thread. */
struct error *rocksdb_library_load(struct arena *arena);

#endif
