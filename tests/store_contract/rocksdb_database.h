/* rocksdb_database.h - a RocksDB store in a directory of its own, to be closed, spoilt and opened
 * again. */
#ifndef GRAMME_TESTS_STORE_CONTRACT_ROCKSDB_DATABASE_H
#define GRAMME_TESTS_STORE_CONTRACT_ROCKSDB_DATABASE_H

#include "contract.h"

struct database {
    struct arena arena;
    char directory[64];
    struct store *store;
};

/* Opens it; `create`: it may be new. */
struct error *database_try(struct database *database, bool create);
struct error *database_try_key(struct database *database, bool create,
                               const struct keyring *keyring);
void database_init(struct database *database);
void database_release(struct database *database);
void database_reopen(struct database *database);

/* Puts the value into two keyspaces. The error, or NULL. */
struct error *try_put(struct database *database, const char *key, struct slice value,
                      enum store_durability durability);
struct error *try_put_text(struct database *database, const char *key, const char *value);
/* Both keyspaces have it, or neither. */
bool has(struct database *database, const char *key);
void expect_error(const struct error *error, const char *expected);

/* Calls `act` on each file of the database whose name starts so. */
void for_files(const struct database *database, const char *start, void (*act)(const char *path));
void file_scramble(const char *path);

#endif
