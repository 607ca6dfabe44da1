/* rocksdb.h - the engine that keeps its data in a directory, through RocksDB.
 *
 * What it promises after a crash, a full disk or a failing one is in src/store/README.md. */
#ifndef GRAMME_STORE_ROCKSDB_ROCKSDB_H
#define GRAMME_STORE_ROCKSDB_ROCKSDB_H

#include "crypto/keyring.h"
#include "store/store.h"

/* A size of 0 stands for its default. */
struct rocksdb_store_options {
    const char *directory;
    bool create;               /* make the database when the directory has none */
    size_t block_cache_bytes;  /* of uncompressed blocks, filled as they are read; 64 MB */
    size_t write_buffer_bytes; /* of recent writes of all keyspaces together; 64 MB */
    int open_files_max;        /* half of what the process may open, at most 8192 */
    /* NULL: its files are plain. Else every file is encrypted by a key of its own, which a key of
     * this ring seals (file_cipher.h). */
    const struct keyring *keyring;
    /* In how long all its tables are read through to see that they are as they were written
     * (scrub.h), again and again; 0: never. From rocksdb_store_settle() on. */
    uint64_t scrub_ms;
    /* The caller has a look at it before it counts as sound: until rocksdb_store_settle(), closing
     * it leaves the directory as it was before. */
    bool settled_later;
    /* With that: a file that takes room on the disk, to be given up when a start finds none
     * (reserve.h); its size, where 0 removes it. NULL: whatever is there stays. */
    const char *reserve;
    uint64_t reserve_bytes;
};

/* Refuses a directory that is in use, damaged, or made with keyspaces that are not in the list;
 * keyspaces that the database lacks are added. The error's text names the directory and the cause.
 * A directory that is refused stays as it was. */
struct error *rocksdb_store_open(struct arena *arena, const struct rocksdb_store_options *options,
                                 const struct store_keyspace *keyspaces, size_t count,
                                 struct store **ret_store);

/* What was found in it is right. */
void rocksdb_store_settle(struct store *store);

#endif
