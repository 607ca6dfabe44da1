/* table_files.h - RocksDB's table files, one by one and without a database.
 *
 * RocksDB has that in C++ only, so it is in the library beside the encrypted files
 * (encrypted_files.h). Threads: any. */
#ifndef GRAMME_STORE_ROCKSDB_TABLE_FILES_H
#define GRAMME_STORE_ROCKSDB_TABLE_FILES_H

#include <rocksdb/c.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Asked when so many bytes of a file were read: it may wait. False: the file is given up. */
struct table_pace {
    bool (*wait)(struct table_pace *pace, size_t bytes);
};

/* Reads every block of a table with its checksum. NULL: all are as they were written; else what is
 * wrong, and where, to be freed with free(); unless it could be opened, nothing in it can be read.
 * The environment is NULL for plain files, the pace for as fast as it goes. */
char *table_file_verify(rocksdb_env_t *env, const char *path, struct table_pace *pace,
                        bool *ret_opened);

#ifdef __cplusplus
}
#endif

#endif
