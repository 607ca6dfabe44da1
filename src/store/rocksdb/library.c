/* library.c - filling the table of RocksDB's functions, once for the process. */
#include "store/rocksdb/library.h"

#include <pthread.h>

#include "base/library.h"

struct rocksdb_library rocks;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static const struct library_symbol symbols[] = {
#define ROCKSDB(name) {"rocksdb_" #name, &rocks.name},
#include "store/rocksdb/library.def"
#undef ROCKSDB
};

struct error *rocksdb_library_load(struct arena *arena) {
    struct error *error = NULL;
    pthread_mutex_lock(&load_lock);
    if (!loaded)
        error = library_load(arena, GRAMME_ROCKSDB_LIBRARY, symbols,
                             sizeof(symbols) / sizeof(symbols[0]));
    loaded = error == NULL;
    pthread_mutex_unlock(&load_lock);
    return error;
}
