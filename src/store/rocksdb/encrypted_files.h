/* encrypted_files.h - RocksDB on encrypted files.
 *
 * RocksDB lets its files be replaced in C++ only, so the file system between the two is C++. It
 * stands on RocksDB's own classes, and therefore is a library of its own, kept inside the program
 * and loaded when it is needed (docs/adr/0013). */
#ifndef GRAMME_STORE_ROCKSDB_ENCRYPTED_FILES_H
#define GRAMME_STORE_ROCKSDB_ENCRYPTED_FILES_H

#include <rocksdb/c.h>

#include "store/rocksdb/file_cipher.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An environment whose files are encrypted, on that of the machine. The cipher and the calls
 * outlive it. NULL: RocksDB is not built as this expects. */
rocksdb_env_t *encrypted_files_new(const struct file_cipher_calls *calls,
                                   struct file_cipher *cipher);
/* After the databases on it are closed. */
void encrypted_files_free(rocksdb_env_t *env);

#ifdef __cplusplus
}
#endif

#endif
