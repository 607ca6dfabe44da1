/* log_walk.h - reads RocksDB's logs and manifests without RocksDB, with all their checksums.
 *
 * A log is a row of blocks of 32768 bytes, a record one or more fragments of:
 *   OFFSET SIZE  MEANING
 *   0      4     checksum of type and payload: CRC-32C, rotated and shifted ("masked")
 *   4      2     length of the payload, little-endian
 *   6      1     1 whole record, 2 its first fragment, 3 a middle one, 4 its last; 5 to 8: the same
 *                with 4 more bytes of header, the number of a log that is used again
 *   7      len   payload; of all fragments together: the record
 * Fewer than 7 bytes at the end of a block are zeros. Other types from 9 on are of newer versions.
 *
 * The walk goes on behind what it cannot read: with the fragment that follows by its length, with
 * one that can be found in the same block, with the next block. A record that begins behind such a
 * place and is whole tells that the place was not the end of what was written.
 *
 * Memory: two blocks of a megabyte at most, beside what is gathered of a record. Threads: any. */
#ifndef GRAMME_STORE_ROCKSDB_LOG_WALK_H
#define GRAMME_STORE_ROCKSDB_LOG_WALK_H

#include <dirent.h>

#include "base/slice.h"
#include "store/rocksdb/file_cipher.h"

enum { LOG_BLOCK = 32768, LOG_HEADER = 7 };

enum log_fragment { FRAGMENT_WHOLE = 1, FRAGMENT_FIRST, FRAGMENT_MIDDLE, FRAGMENT_LAST };

struct log_visitor {
    size_t gather_max; /* bytes of a record that are of interest */
    /* A whole record that begins at `offset`; `start` is its beginning. */
    void (*record)(struct log_visitor *visitor, uint64_t offset, struct slice start);
    /* From `offset` on something cannot be read. Once for each such place. */
    void (*bad)(struct log_visitor *visitor, uint64_t offset);
    /* Set: what cannot be read has the type of a log that is used again. RocksDB 9 takes such a
     * fragment for a bad one in a log that is not, does not pass over it, and never ends. */
    bool is_endless;
};

enum log_walked {
    LOG_WALKED,
    LOG_FOREIGN,    /* it is not encrypted by this directory's key */
    LOG_UNREADABLE, /* errno */
};

enum { LOGS_MAX = 4096 };
/* The logs of a directory from that number on, in their order; returns how many. */
size_t log_find(DIR *files, uint64_t first, uint64_t ret_numbers[LOGS_MAX]);

/* A file in the directory; `cipher` is NULL for a plain one. */
enum log_walked log_walk(struct file_cipher *cipher, int directory, const char *name,
                         struct log_visitor *visitor);

/* A small file as text, with a NUL behind it. What is longer is cut. */
enum log_walked log_read_text(struct file_cipher *cipher, int directory, const char *name,
                              char *ret_text, size_t size);

#endif
