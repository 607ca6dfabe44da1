/* library.c - filling the table of RocksDB's functions, once for the process. */
#include "store/rocksdb/library.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* ---- what RocksDB calls ---- */

/* In the place of the C library's, since the program's functions come first. RocksDB asks with it
 * whether the kernel has it, for each file that it makes, and then to have tables written out as
 * they grow. Debian builds RocksDB with assertions, and an error of this call runs into one. An
 * error while pages are written out is not lost: the sync at the end of the file tells it, as long
 * as nobody waits for them here, which would take note of the error. */
int sync_file_range(int fd, off64_t offset, off64_t bytes, unsigned flags) {
    if (flags == SYNC_FILE_RANGE_WRITE)
        (void)syscall(SYS_sync_file_range, fd, offset, bytes, flags);
    return 0;
}

/* ---- what it has in C++ ---- */

struct rocksdb_extension extension;

static bool extension_loaded;

/* The library as it was built (scripts/embed). */
extern const uint8_t rocksdb_extension[], rocksdb_extension_end[];

static const struct library_symbol extension_symbols[] = {
    {"encrypted_files_new", &extension.encrypted_files_new},
    {"encrypted_files_free", &extension.encrypted_files_free},
    {"table_file_verify", &extension.table_file_verify},
};

struct error *rocksdb_library_load_extension(struct arena *arena) {
    struct slice file = slice_of(rocksdb_extension, (size_t)((uintptr_t)rocksdb_extension_end -
                                                             (uintptr_t)rocksdb_extension));
    struct error *error = NULL;
    pthread_mutex_lock(&load_lock);
    if (!extension_loaded)
        error = library_load_embedded(arena, "rocksdb_extension", file, extension_symbols,
                                      sizeof(extension_symbols) / sizeof(*extension_symbols));
    extension_loaded = error == NULL;
    pthread_mutex_unlock(&load_lock);
    return error;
}
