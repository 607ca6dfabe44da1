/* contract.c - the words of contract.h. */
#include "contract.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"

const struct store_keyspace contract_keyspaces[KEYSPACE_COUNT] = {
    {.name = "one", .point_reads = true},
    {.name = "two"},
    {.name = "three", .point_reads = true},
};

const struct keyring *contract_keyring(void) {
    static struct keyring *keyring;
    if (getenv("GRAMME_ENCRYPTED") == NULL)
        return NULL;
    if (keyring == NULL)
        keyring = keyring_new((const uint8_t[CIPHER_KEY_BYTES]){1, 2, 3});
    return keyring;
}

void must(struct error *error) {
    if (error != NULL)
        fail_msg("%.*s", SLICE_ARGS(error->message));
}

void directory_make(char *ret_directory, size_t size) {
    const char *base = getenv("TMPDIR");
    int len = snprintf(ret_directory, size, "%s/gramme-XXXXXX", base != NULL ? base : "/tmp");
    assert_true(len > 0 && (size_t)len < size);
    assert_non_null(mkdtemp(ret_directory));
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

void directory_remove(const char *directory) {
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void contract_open(struct contract *contract, const struct store_keyspace *keyspaces,
                   size_t count) {
    bool leads = false;
    must(contract->engine->open(contract, keyspaces, count, &contract->store));
    must(store_lead(contract->store, &contract->arena, 10000, &leads));
    assert_true(leads && store_leads(contract->store));
}

/* The group's state is the engine; a case's state is its contract. */
int contract_setup(void **state) {
    const struct engine *engine = *state;
    struct contract *contract = calloc(1, sizeof(*contract));
    CHECK(contract != NULL);
    contract->engine = engine;
    arena_init(&contract->arena);
    directory_make(contract->directory, sizeof(contract->directory));
    contract_open(contract, contract_keyspaces, KEYSPACE_COUNT);
    *state = contract;
    return 0;
}

int contract_teardown(void **state) {
    struct contract *contract = *state;
    store_close(contract->store);
    directory_remove(contract->directory);
    arena_release(&contract->arena);
    free(contract);
    return 0;
}

void contract_reopen(struct contract *contract) {
    store_close(contract->store);
    contract->store = NULL;
    contract_open(contract, contract_keyspaces, KEYSPACE_COUNT);
}

struct store_key text_key(uint8_t keyspace, const char *key) {
    return (struct store_key){keyspace, slice_text(key)};
}

struct store_range text_range(uint8_t keyspace, const char *first, const char *last) {
    return (struct store_range){keyspace, first == NULL ? SLICE_NONE : slice_text(first),
                                last == NULL ? SLICE_NONE : slice_text(last)};
}

struct store_txn *begin(struct contract *contract, enum store_mode mode) {
    struct store_txn *txn = NULL;
    must(store_begin(contract->store, &contract->arena, mode, &txn));
    return txn;
}

void put(struct store_txn *txn, uint8_t keyspace, const char *key, const char *value) {
    struct store_key at = text_key(keyspace, key);
    store_put(txn, &at, slice_text(value));
}

void commit(struct store_txn *txn, enum store_durability durability) {
    enum store_outcome outcome = STORE_UNKNOWN;
    must(store_commit(txn, durability, &outcome));
    assert_int_equal(outcome, STORE_COMMITTED);
    store_end(txn);
}

void put_now(struct contract *contract, uint8_t keyspace, const char *key, const char *value) {
    struct store_txn *txn = begin(contract, STORE_WRITE);
    put(txn, keyspace, key, value);
    commit(txn, STORE_DURABLE);
}

void expect_get(struct store_txn *txn, uint8_t keyspace, const char *key, const char *value) {
    struct store_key at = text_key(keyspace, key);
    struct slice found = SLICE_LITERAL("untouched");
    must(store_get(txn, &at, &found));
    if (value == NULL) {
        assert_null(found.data);
        return;
    }
    assert_non_null(found.data);
    assert_int_equal(found.len, strlen(value));
    assert_memory_equal(found.data, value, found.len);
}

void expect_scan(struct store_txn *txn, struct store_range range, bool reverse,
                 const char *expected) {
    struct buffer text;
    buffer_init(&text, 1 << 20);
    struct store_scan *scan = NULL;
    must(store_scan_open(txn, &range, reverse, &scan));
    for (;;) {
        bool found = false;
        struct slice key, value;
        must(store_scan_next(scan, &found, &key, &value));
        if (!found)
            break;
        buffer_printf(&text, "%s%.*s=%.*s", text.len == 0 ? "" : " ", SLICE_ARGS(key),
                      SLICE_ARGS(value));
    }
    bool found = true;
    struct slice key, value;
    must(store_scan_next(scan, &found, &key, &value));
    assert_false(found); /* the end stays the end */
    store_scan_close(scan);
    buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    buffer_release(&text);
}

void expect_content(struct contract *contract, uint8_t keyspace, const char *expected) {
    struct store_txn *txn = begin(contract, STORE_READ);
    expect_scan(txn, text_range(keyspace, NULL, NULL), false, expected);
    store_end(txn);
}
