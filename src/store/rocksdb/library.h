/* library.h - RocksDB, loaded when a database is opened and not before.
 *
 * The library and what it brings along take more memory and time to load than all of gramme; a
 * server that keeps nothing on disk does without. It is called through this table. */
#ifndef GRAMME_STORE_ROCKSDB_LIBRARY_H
#define GRAMME_STORE_ROCKSDB_LIBRARY_H

#include <rocksdb/c.h>

#include "base/error.h"
#include "store/rocksdb/encrypted_files.h"

struct rocksdb_library {
#define ROCKSDB(name) __typeof__(rocksdb_##name) *name;
#include "store/rocksdb/library.def"
#undef ROCKSDB
};

/* Whole after rocksdb_library_load(). */
extern struct rocksdb_library rocks;

/* What replaces its files (encrypted_files.h); whole after rocksdb_library_load_encrypted(). */
struct encrypted_files_library {
    __typeof__(encrypted_files_new) *open;
    __typeof__(encrypted_files_free) *free;
};

extern struct encrypted_files_library encrypted_files;

/* They do nothing when it is loaded already. Any thread. */
struct error *rocksdb_library_load(struct arena *arena);
struct error *rocksdb_library_load_encrypted(struct arena *arena);

#endif
