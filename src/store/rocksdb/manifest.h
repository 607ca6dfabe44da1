/* manifest.h - what RocksDB's manifest says of its logs and tables, read without RocksDB.
 *
 * A manifest is a log whose records are edits: tags with their values. Of these only a few are
 * needed here; the others are passed over. What a newer RocksDB writes may be unknown: then the
 * manifest is not `known`, and nothing is said but whether it is whole.
 * Memory: errors in the arena. Threads: any. */
#ifndef GRAMME_STORE_ROCKSDB_MANIFEST_H
#define GRAMME_STORE_ROCKSDB_MANIFEST_H

#include "base/error.h"
#include "store/rocksdb/file_cipher.h"

struct manifest {
    uint64_t number;        /* in its name; 0: there is no file CURRENT */
    uint64_t size;          /* of the file */
    uint64_t first_log;     /* older ones are not needed */
    uint64_t last_sequence; /* everything up to it is in tables, or was in older logs */
    bool known;
    bool any;  /* edit could be read */
    bool torn; /* its end cannot be read, from this byte of the file on: */
    uint64_t torn_at;
};

/* An error: it is not there, or damaged, with its name and the place. */
struct error *manifest_read(struct arena *arena, struct file_cipher *cipher, const char *directory,
                            struct manifest *ret_manifest);

struct manifest_table {
    uint64_t number; /* in its name */
    bool used;
};
/* Which of these tables, in the order of their numbers, the database uses. All, by a manifest that
 * is damaged, torn or not known, or uses another one: it is older than they are, as in a copy that
 * was taken while the database ran. */
void manifest_find_tables(struct file_cipher *cipher, const char *directory,
                          struct manifest_table *tables, size_t count);

/* Number and size of the present one, without a look inside, and made durable. False: not now. */
bool manifest_sync(struct file_cipher *cipher, const char *directory, uint64_t *ret_number,
                   uint64_t *ret_size);
/* Ends it at that byte, as a file of its own, so that who has a link to it has it whole. False: it
 * is as it was. */
bool manifest_cut(const char *directory, uint64_t number, uint64_t end);

#endif
