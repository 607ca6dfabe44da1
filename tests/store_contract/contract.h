/* contract.h - what every engine's tests share: a store per case, and short words for its calls.
 *
 * A case gets a fresh store of three keyspaces in *state. Keys and values of the words below are
 * text. They assert; cases that run threads use CHECK in them, since cmocka asserts only on the
 * main thread. */
#ifndef GRAMME_TESTS_STORE_CONTRACT_CONTRACT_H
#define GRAMME_TESTS_STORE_CONTRACT_CONTRACT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/check.h"
#include "crypto/keyring.h"
#include "store/store.h"

enum { KEYSPACE_COUNT = 3 };

struct contract;

struct engine {
    const char *name;
    struct error *(*open)(struct contract *contract, const struct store_keyspace *keyspaces,
                          size_t count, struct store **ret_store);
    /* Another store on the same data, as a second server would open it, which takes the lead from
     * whoever has it; NULL where there can be only one, which then has one writer at a time. */
    struct error *(*open_peer)(struct contract *contract, struct store **ret_store);
};

struct contract {
    const struct engine *engine;
    struct arena arena;
    struct store *store;
    char directory[64]; /* exists, empty at first */
};

extern const struct store_keyspace contract_keyspaces[KEYSPACE_COUNT];

/* The key of encrypted stores when the environment has GRAMME_ENCRYPTED, so that whatever is tested
 * with plain files is tested with encrypted ones too; else NULL. */
const struct keyring *contract_keyring(void);

/* Fails the test with the error's text. */
void must(struct error *error);
/* Opens contract->store, and leads. */
void contract_open(struct contract *contract, const struct store_keyspace *keyspaces, size_t count);
void contract_reopen(struct contract *contract);
void directory_make(char *ret_directory, size_t size);
void directory_remove(const char *directory);

struct store_key text_key(uint8_t keyspace, const char *key);
/* NULL for an absent end. */
struct store_range text_range(uint8_t keyspace, const char *first, const char *last);

struct store_txn *begin(struct contract *contract, enum store_mode mode);
void put(struct store_txn *txn, uint8_t keyspace, const char *key, const char *value);
/* Commits, expects STORE_COMMITTED, and ends. */
void commit(struct store_txn *txn, enum store_durability durability);
/* One transaction that puts one value. */
void put_now(struct contract *contract, uint8_t keyspace, const char *key, const char *value);

/* NULL: absent. */
void expect_get(struct store_txn *txn, uint8_t keyspace, const char *key, const char *value);
/* `expected` is "key=value key=value". */
void expect_scan(struct store_txn *txn, struct store_range range, bool reverse,
                 const char *expected);
/* The same in a transaction of its own, over a whole keyspace. */
void expect_content(struct contract *contract, uint8_t keyspace, const char *expected);

/* The cases, a file each. */
extern const struct CMUnitTest cases_basic[], cases_threads[], cases_model[], cases_persistence[],
    cases_reclaim[], cases_fetch[];
extern const size_t cases_basic_count, cases_threads_count, cases_model_count,
    cases_persistence_count, cases_reclaim_count, cases_fetch_count;

int contract_setup(void **state);
int contract_teardown(void **state);
#define CONTRACT_CASE(function) \
    cmocka_unit_test_setup_teardown(function, contract_setup, contract_teardown)

#endif
