/* check.h - the files of a database, checked without a change of any.
 *
 * As a start does, the manifest and the logs are read with their checksums, and held against what
 * was made durable (judge.h); then every block of every table is read with its checksum, of those
 * tables that the database uses. Last, the database is open to be read: what is only in its logs is
 * in memory then.
 *
 * Memory: errors in the arena. Threads: the caller's. */
#ifndef GRAMME_STORE_ROCKSDB_CHECK_H
#define GRAMME_STORE_ROCKSDB_CHECK_H

#include "store/rocksdb/rocksdb.h"

struct files_observer {
    /* What is wrong, and with which file. */
    void (*fault)(struct files_observer *observer, struct slice text);
    /* After each file. */
    void (*report)(struct files_observer *observer, uint64_t files, uint64_t bytes);
};

struct files_summary {
    uint64_t files; /* tables and logs */
    uint64_t bytes;
    uint64_t commits;    /* that are in logs, and not in tables yet */
    uint64_t dropped_at; /* what a crash cut short: from this byte of a log on.. */
    char dropped[32];    /* ..with this name; "": nothing */
    uint64_t faults;
};

/* An error: it is in use, not there, or cannot be read at all. *ret_store is NULL when it is so
 * damaged that it cannot be opened, and refuses to be written to otherwise. */
struct error *rocksdb_check(struct arena *arena, const struct rocksdb_store_options *options,
                            const struct store_keyspace *keyspaces, size_t count,
                            struct files_observer *observer, struct files_summary *ret_summary,
                            struct store **ret_store);

#endif
