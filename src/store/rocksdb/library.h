/* library.h - RocksDB, loaded when a database is opened and not before.
 *
 * The library and what it brings along take more memory and time to load than all of gramme; a
 * server that keeps nothing on disk does without. It is called through this table. */
#ifndef GRAMME_STORE_ROCKSDB_LIBRARY_H
#define GRAMME_STORE_ROCKSDB_LIBRARY_H

#include <rocksdb/c.h>

#include "base/error.h"
#include "store/rocksdb/encrypted_files.h"
#include "store/rocksdb/table_files.h"

struct rocksdb_library {
#define ROCKSDB(name) __typeof__(rocksdb_##name) *name;
#include "store/rocksdb/library.def"
#undef ROCKSDB
};

/* Whole after rocksdb_library_load(). */
extern struct rocksdb_library rocks;

/* What it has in C++ only; whole after rocksdb_library_load_extension(). */
struct rocksdb_extension {
    __typeof__(encrypted_files_new) *encrypted_files_new;
    __typeof__(encrypted_files_free) *encrypted_files_free;
    __typeof__(table_file_verify) *table_file_verify;
};

extern struct rocksdb_extension extension;

/* They do nothing when it is loaded already. Any thread. */
struct error *rocksdb_library_load(struct arena *arena);
struct error *rocksdb_library_load_extension(struct arena *arena);

#endif
