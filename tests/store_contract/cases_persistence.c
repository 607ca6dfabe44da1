/* cases_persistence.c - what a store that keeps its data shows after it was closed and opened. */
#include "contract.h"

static bool keeps_nothing(const struct contract *contract) {
    return !store_can(contract->store, STORE_PERSISTENT);
}

static void committed_writes_are_there_after_reopening(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "1");
    put_now(contract, 1, "b", "2");
    struct store_txn *txn = begin(contract, STORE_WRITE);
    put(txn, 0, "c", "never committed");
    store_end(txn);
    if (keeps_nothing(contract))
        return;
    contract_reopen(contract);
    expect_content(contract, 0, "a=1");
    expect_content(contract, 1, "b=2");
    put_now(contract, 0, "a", "3");
    txn = begin(contract, STORE_WRITE);
    struct store_range all = text_range(1, NULL, NULL);
    store_delete_range(txn, &all);
    commit(txn, STORE_DURABLE);
    contract_reopen(contract);
    contract_reopen(contract);
    expect_content(contract, 0, "a=3");
    expect_content(contract, 1, "");
}

static void relaxed_writes_are_there_after_reopening(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = begin(contract, STORE_WRITE);
    put(txn, 0, "a", "relaxed");
    commit(txn, STORE_RELAXED);
    expect_content(contract, 0, "a=relaxed");
    must(store_sync(contract->store, &contract->arena));
    must(store_sync(contract->store, &contract->arena));
    txn = begin(contract, STORE_WRITE);
    put(txn, 0, "b", "not synced");
    commit(txn, STORE_RELAXED);
    commit(begin(contract, STORE_WRITE), STORE_DURABLE);
    expect_content(contract, 0, "a=relaxed b=not synced");
    if (keeps_nothing(contract))
        return;
    contract_reopen(contract);
    expect_content(contract, 0, "a=relaxed b=not synced");
}

static void a_keyspace_can_be_added(void **state) {
    struct contract *contract = *state;
    put_now(contract, 2, "a", "1");
    if (keeps_nothing(contract))
        return;
    struct store_keyspace more[KEYSPACE_COUNT + 1];
    memcpy(more, contract_keyspaces, sizeof(contract_keyspaces));
    more[KEYSPACE_COUNT] = (struct store_keyspace){.name = "four"};
    store_close(contract->store);
    contract->store = NULL;
    contract_open(contract, more, KEYSPACE_COUNT + 1);
    put_now(contract, 3, "b", "2");
    expect_content(contract, 2, "a=1");
    expect_content(contract, 3, "b=2");
}

const struct CMUnitTest cases_persistence[] = {
    CONTRACT_CASE(committed_writes_are_there_after_reopening),
    CONTRACT_CASE(relaxed_writes_are_there_after_reopening),
    CONTRACT_CASE(a_keyspace_can_be_added),
};
const size_t cases_persistence_count = sizeof(cases_persistence) / sizeof(*cases_persistence);
