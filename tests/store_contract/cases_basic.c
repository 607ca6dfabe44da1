/* cases_basic.c - the contract on one thread: reads, order, bounds, and what a transaction shows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "contract.h"

static void absent_keys_are_absent(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "b", "1");
    struct store_txn *txn = begin(contract, STORE_READ);
    expect_get(txn, 0, "a", NULL);
    expect_get(txn, 0, "b", "1");
    expect_get(txn, 0, "bb", NULL);
    expect_get(txn, 1, "b", NULL); /* keyspaces are apart */
    expect_get(txn, 2, "b", NULL);
    store_end(txn);
    txn = begin(contract, STORE_READ_LATEST);
    expect_get(txn, 0, "b", "1");
    store_end(txn);
}

static void an_empty_store_scans_empty(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = begin(contract, STORE_READ);
    expect_scan(txn, text_range(0, NULL, NULL), false, "");
    expect_scan(txn, text_range(0, "a", "z"), true, "");
    store_end(txn);
}

static void get_many_answers_in_order(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = begin(contract, STORE_WRITE);
    char name[16], value[16];
    for (int i = 0; i < 200; i += 2) {
        snprintf(name, sizeof(name), "key%03d", i);
        snprintf(value, sizeof(value), "value%d", i);
        put(txn, (uint8_t)(i / 2 % KEYSPACE_COUNT), name, value);
    }
    commit(txn, STORE_DURABLE);
    for (int count = 1; count <= 200; count = count * 2 + 1) {
        struct store_key keys[200];
        struct slice values[200];
        char names[200][16];
        txn = begin(contract, STORE_READ);
        for (int i = 0; i < count; i++) {
            snprintf(names[i], sizeof(names[i]), "key%03d", 199 - i);
            keys[i] = text_key((uint8_t)((199 - i) / 2 % KEYSPACE_COUNT), names[i]);
        }
        must(store_get_many(txn, (size_t)count, keys, values));
        for (int i = 0; i < count; i++) {
            snprintf(value, sizeof(value), "value%d", 199 - i);
            assert_int_equal(slice_present(values[i]), (199 - i) % 2 == 0);
            assert_true(!slice_present(values[i]) || slice_is(values[i], value));
        }
        store_end(txn);
    }
}

/* Unsigned bytes, a prefix before what it starts. */
static void keys_sort_as_unsigned_bytes(void **state) {
    struct contract *contract = *state;
    static const struct {
        const char *bytes;
        size_t len;
    } sorted[] = {
        {"\0", 1},   {"\0\0", 2},   {"\0\xff", 2},       {"\x01", 1},     {"A", 1},
        {"A\0", 2},  {"AA", 2},     {"\x7f", 1},         {"\x80", 1},     {"\xc3\xa9", 2},
        {"\xff", 1}, {"\xff\0", 2}, {"\xff\xfe\xff", 3}, {"\xff\xff", 2}, {"\xff\xff\0", 3}};
    enum { COUNT = sizeof(sorted) / sizeof(*sorted) };
    struct store_txn *txn = begin(contract, STORE_WRITE);
    for (size_t i = 0; i < COUNT; i++) {
        size_t place = i * 7 % COUNT; /* in another order */
        struct store_key key = {1, slice_of(sorted[place].bytes, sorted[place].len)};
        store_put(txn, &key, slice_of(sorted[place].bytes, sorted[place].len));
    }
    commit(txn, STORE_DURABLE);
    txn = begin(contract, STORE_READ);
    for (int reverse = 0; reverse <= 1; reverse++) {
        struct store_range all = text_range(1, NULL, NULL);
        struct store_scan *scan;
        must(store_scan_open(txn, &all, reverse != 0, &scan));
        for (size_t i = 0; i < COUNT; i++) {
            size_t place = reverse ? COUNT - 1 - i : i;
            bool found;
            struct slice key, value;
            must(store_scan_next(scan, &found, &key, &value));
            assert_true(found);
            assert_true(slice_equal(key, slice_of(sorted[place].bytes, sorted[place].len)));
            assert_true(slice_equal(value, key));
        }
        store_scan_close(scan);
    }
    store_end(txn);
}

static void bounds_include_the_first_and_exclude_the_last(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = begin(contract, STORE_WRITE);
    for (const char *key = "bdfhj"; *key != 0; key++)
        put(txn, 0, (const char[]){*key, 0}, (const char[]){(char)(*key - 32), 0});
    put(txn, 1, "c", "other");
    commit(txn, STORE_DURABLE);
    txn = begin(contract, STORE_READ);
    static const struct {
        const char *first, *last, *forward, *backward;
    } cases[] = {
        {NULL, NULL, "b=B d=D f=F h=H j=J", "j=J h=H f=F d=D b=B"},
        {"", NULL, "b=B d=D f=F h=H j=J", "j=J h=H f=F d=D b=B"},
        {"d", "h", "d=D f=F", "f=F d=D"},
        {"c", "i", "d=D f=F h=H", "h=H f=F d=D"},
        {"c", "h", "d=D f=F", "f=F d=D"},
        {"d", "h\x01", "d=D f=F h=H", "h=H f=F d=D"},
        {"d\x01", "h", "f=F", "f=F"},
        {"a", "b", "", ""},
        {"k", NULL, "", ""},
        {"j", NULL, "j=J", "j=J"},
        {NULL, "b", "", ""},
        {NULL, "b\x01", "b=B", "b=B"},
        {"d", "d", "", ""},
        {"h", "d", "", ""},
        {"", "", "", ""},
        {"d", "", "", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        expect_scan(txn, text_range(0, cases[i].first, cases[i].last), false, cases[i].forward);
        expect_scan(txn, text_range(0, cases[i].first, cases[i].last), true, cases[i].backward);
    }
    store_end(txn);
}

static void a_scan_keeps_its_own_copy_of_its_bounds(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = begin(contract, STORE_WRITE);
    for (const char *key = "abcdef"; *key != 0; key++)
        put(txn, 0, (const char[]){*key, 0}, "v");
    commit(txn, STORE_DURABLE);
    txn = begin(contract, STORE_READ);
    for (int reverse = 0; reverse <= 1; reverse++) {
        char first[] = "b", last[] = "e";
        struct store_range range = text_range(0, first, last);
        struct store_scan *scan;
        must(store_scan_open(txn, &range, reverse != 0, &scan));
        first[0] = 'z';
        last[0] = 'a';
        int steps = 0;
        for (bool found = true; found; steps++) {
            struct slice key, value;
            must(store_scan_next(scan, &found, &key, &value));
        }
        assert_int_equal(steps, 4); /* b, c, d and the end */
        store_scan_close(scan);
    }
    store_end(txn);
}

static void nothing_shows_before_the_commit(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "old");
    struct store_txn *writer = begin(contract, STORE_WRITE);
    expect_get(writer, 0, "a", "old");
    put(writer, 0, "a", "new");
    put(writer, 1, "b", "new");
    struct store_txn *reader = begin(contract, STORE_READ_LATEST);
    expect_get(reader, 0, "a", "old");
    expect_get(reader, 1, "b", NULL);
    store_end(reader);
    commit(writer, STORE_DURABLE);
    expect_content(contract, 0, "a=new");
    expect_content(contract, 1, "b=new");
}

static void ending_without_a_commit_leaves_nothing(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "1");
    put_now(contract, 0, "b", "2");
    struct store_txn *txn = begin(contract, STORE_WRITE);
    struct store_key a = text_key(0, "a");
    struct store_range all = text_range(0, NULL, NULL);
    put(txn, 0, "c", "3");
    store_delete(txn, &a);
    store_delete_range(txn, &all);
    put(txn, 0, "d", "4");
    store_end(txn);
    expect_content(contract, 0, "a=1 b=2");
    put_now(contract, 0, "e", "5");
    expect_content(contract, 0, "a=1 b=2 e=5");
}

static void an_empty_commit_is_fine(void **state) {
    struct contract *contract = *state;
    commit(begin(contract, STORE_WRITE), STORE_DURABLE);
    commit(begin(contract, STORE_WRITE), STORE_RELAXED);
    expect_content(contract, 0, "");
}

static void the_last_write_to_a_key_wins(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "0");
    put_now(contract, 0, "d", "0");
    struct store_txn *txn = begin(contract, STORE_WRITE);
    struct store_key a = text_key(0, "a"), b = text_key(0, "b"), c = text_key(0, "c");
    put(txn, 0, "a", "1");
    put(txn, 0, "a", "2");
    put(txn, 0, "b", "1");
    store_delete(txn, &b);
    store_delete(txn, &c);
    put(txn, 0, "c", "3");
    store_delete(txn, &a);
    put(txn, 0, "a", "4");
    commit(txn, STORE_DURABLE);
    expect_content(contract, 0, "a=4 c=3 d=0");
}

static void a_deleted_range_is_gone_and_can_be_filled_again(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = begin(contract, STORE_WRITE);
    for (const char *key = "abcdefgh"; *key != 0; key++)
        put(txn, 0, (const char[]){*key, 0}, "1");
    put(txn, 1, "c", "other");
    commit(txn, STORE_DURABLE);

    txn = begin(contract, STORE_WRITE);
    struct store_range middle = text_range(0, "b", "f");
    put(txn, 0, "bb", "before");
    store_delete_range(txn, &middle);
    put(txn, 0, "d", "after");
    commit(txn, STORE_DURABLE);
    expect_content(contract, 0, "a=1 d=after f=1 g=1 h=1");
    expect_content(contract, 1, "c=other");

    txn = begin(contract, STORE_WRITE);
    struct store_range nothing = text_range(0, "g", "g"), crossed = text_range(0, "h", "a");
    struct store_range tail = text_range(0, "g", NULL);
    store_delete_range(txn, &nothing);
    store_delete_range(txn, &crossed);
    commit(txn, STORE_DURABLE);
    expect_content(contract, 0, "a=1 d=after f=1 g=1 h=1");
    txn = begin(contract, STORE_WRITE);
    store_delete_range(txn, &tail);
    commit(txn, STORE_DURABLE);
    expect_content(contract, 0, "a=1 d=after f=1");
    txn = begin(contract, STORE_WRITE);
    struct store_range all = text_range(0, NULL, NULL);
    store_delete_range(txn, &all);
    commit(txn, STORE_DURABLE);
    expect_content(contract, 0, "");
    put_now(contract, 0, "c", "again");
    expect_content(contract, 0, "c=again");
}

static void an_empty_value_is_not_an_absent_one(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "");
    struct store_txn *txn = begin(contract, STORE_READ);
    expect_get(txn, 0, "a", "");
    struct store_range all = text_range(0, NULL, NULL);
    struct store_scan *scan;
    bool found;
    struct slice key, value = SLICE_NONE;
    must(store_scan_open(txn, &all, false, &scan));
    must(store_scan_next(scan, &found, &key, &value));
    assert_true(found && slice_present(value) && value.len == 0);
    store_scan_close(scan);
    store_end(txn);
}

static void the_longest_key_and_a_long_value_fit(void **state) {
    struct contract *contract = *state;
    enum { VALUE = 1 << 20 };
    uint8_t bytes[STORE_BOUND_MAX];
    memset(bytes, 0xff, sizeof(bytes));
    uint8_t *value = malloc(VALUE);
    assert_non_null(value);
    for (size_t i = 0; i < VALUE; i++)
        value[i] = (uint8_t)(i * 31);
    struct store_key longest = {0, slice_of(bytes, STORE_KEY_MAX)};
    struct store_key shorter = {0, slice_of(bytes, STORE_KEY_MAX - 1)};
    struct store_txn *txn = begin(contract, STORE_WRITE);
    store_put(txn, &longest, slice_of(value, VALUE));
    store_put(txn, &shorter, SLICE_LITERAL("s"));
    commit(txn, STORE_DURABLE);

    txn = begin(contract, STORE_READ);
    struct slice found;
    must(store_get(txn, &longest, &found));
    assert_true(slice_equal(found, slice_of(value, VALUE)));
    store_end(txn);
    bytes[STORE_KEY_MAX] = 0; /* the successor of the longest key */
    txn = begin(contract, STORE_WRITE);
    struct store_range one = {0, slice_of(bytes, STORE_KEY_MAX), slice_of(bytes, STORE_BOUND_MAX)};
    store_delete_range(txn, &one);
    commit(txn, STORE_DURABLE);
    txn = begin(contract, STORE_WRITE);
    must(store_get(txn, &longest, &found));
    assert_null(found.data);
    must(store_get(txn, &shorter, &found));
    assert_true(slice_is(found, "s"));
    struct store_range tail = {0, SLICE_LITERAL("a"), SLICE_NONE};
    store_delete_range(txn, &tail);
    commit(txn, STORE_DURABLE);
    expect_content(contract, 0, "");
    free(value);
}

static void a_snapshot_is_taken_at_the_first_read(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "1");
    struct store_txn *early = begin(contract, STORE_READ);
    struct store_txn *late = begin(contract, STORE_READ);
    expect_get(early, 0, "a", "1");
    struct store_txn *writer = begin(contract, STORE_WRITE);
    struct store_range all = text_range(0, NULL, NULL);
    store_delete_range(writer, &all);
    put(writer, 0, "b", "2");
    put(writer, 1, "c", "3");
    commit(writer, STORE_DURABLE);
    expect_get(late, 0, "b", "2");
    put_now(contract, 0, "d", "4");

    expect_get(early, 0, "b", NULL);
    expect_get(early, 1, "c", NULL);
    expect_scan(early, all, false, "a=1");
    expect_scan(late, all, true, "b=2");
    expect_content(contract, 0, "b=2 d=4");
    store_end(early);
    expect_scan(late, all, false, "b=2");
    store_end(late);
}

static void slices_live_until_their_transaction_ends(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "a value that is to stay");
    put_now(contract, 0, "b", "b value that is to stay");
    struct store_txn *reader = begin(contract, STORE_READ_LATEST);
    struct store_key keys[] = {text_key(0, "a"), text_key(0, "b")};
    struct slice values[2], again;
    must(store_get_many(reader, 2, keys, values));
    struct store_txn *writer = begin(contract, STORE_WRITE);
    must(store_get(writer, &keys[0], &again));
    put(writer, 0, "a", "another");
    store_delete(writer, &keys[1]);
    enum store_outcome outcome;
    must(store_commit(writer, STORE_DURABLE, &outcome));
    assert_true(slice_is(again, "a value that is to stay"));
    store_end(writer);
    for (int i = 0; i < 50; i++)
        put_now(contract, 0, i % 2 ? "a" : "b", "yet another value, of some other length");
    assert_true(slice_is(values[0], "a value that is to stay"));
    assert_true(slice_is(values[1], "b value that is to stay"));
    store_end(reader);
}

static void eight_keyspaces_commit_together(void **state) {
    struct contract *contract = *state;
    struct store_keyspace keyspaces[STORE_KEYSPACES_MAX];
    char names[STORE_KEYSPACES_MAX][8];
    for (size_t i = 0; i < STORE_KEYSPACES_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "k%zu", i);
        keyspaces[i] = (struct store_keyspace){.name = names[i], .point_reads = i % 2 == 0};
    }
    store_close(contract->store);
    contract->store = NULL;
    directory_remove(contract->directory);
    contract_open(contract, keyspaces, STORE_KEYSPACES_MAX);
    struct store_txn *txn = begin(contract, STORE_WRITE);
    for (uint8_t i = 0; i < STORE_KEYSPACES_MAX; i++)
        put(txn, i, "same", names[i]);
    commit(txn, STORE_DURABLE);
    txn = begin(contract, STORE_READ);
    for (uint8_t i = 0; i < STORE_KEYSPACES_MAX; i++)
        expect_get(txn, i, "same", names[i]);
    store_end(txn);
}

static void a_batch_of_100000_keys_commits_whole(void **state) {
    struct contract *contract = *state;
    enum { COUNT = 100000 };
    struct store_txn *txn = begin(contract, STORE_WRITE);
    char text[24];
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(text, sizeof(text), "%08x", i * 2654435761u); /* each once, in no order */
        put(txn, (uint8_t)(i % 2), text, text);
    }
    commit(txn, STORE_DURABLE);
    size_t seen = 0;
    txn = begin(contract, STORE_READ);
    for (uint8_t keyspace = 0; keyspace < 2; keyspace++) {
        struct store_range all = text_range(keyspace, NULL, NULL);
        struct store_scan *scan;
        must(store_scan_open(txn, &all, keyspace == 1, &scan));
        for (bool found = true; found;) {
            struct slice key, value;
            must(store_scan_next(scan, &found, &key, &value));
            assert_true(!found || slice_equal(key, value));
            seen += found;
        }
        store_scan_close(scan);
    }
    store_end(txn);
    assert_int_equal(seen, COUNT);

    txn = begin(contract, STORE_WRITE);
    struct store_range most = text_range(0, "0", "fff");
    store_delete_range(txn, &most);
    commit(txn, STORE_DURABLE);
    txn = begin(contract, STORE_READ);
    snprintf(text, sizeof(text), "%08x", 0u);
    expect_get(txn, 0, text, NULL);
    snprintf(text, sizeof(text), "%08x", 2654435761u);
    expect_get(txn, 1, text, text);
    store_end(txn);
}

const struct CMUnitTest cases_basic[] = {
    CONTRACT_CASE(absent_keys_are_absent),
    CONTRACT_CASE(an_empty_store_scans_empty),
    CONTRACT_CASE(get_many_answers_in_order),
    CONTRACT_CASE(keys_sort_as_unsigned_bytes),
    CONTRACT_CASE(bounds_include_the_first_and_exclude_the_last),
    CONTRACT_CASE(a_scan_keeps_its_own_copy_of_its_bounds),
    CONTRACT_CASE(nothing_shows_before_the_commit),
    CONTRACT_CASE(ending_without_a_commit_leaves_nothing),
    CONTRACT_CASE(an_empty_commit_is_fine),
    CONTRACT_CASE(the_last_write_to_a_key_wins),
    CONTRACT_CASE(a_deleted_range_is_gone_and_can_be_filled_again),
    CONTRACT_CASE(an_empty_value_is_not_an_absent_one),
    CONTRACT_CASE(the_longest_key_and_a_long_value_fit),
    CONTRACT_CASE(a_snapshot_is_taken_at_the_first_read),
    CONTRACT_CASE(slices_live_until_their_transaction_ends),
    CONTRACT_CASE(eight_keyspaces_commit_together),
    CONTRACT_CASE(a_batch_of_100000_keys_commits_whole),
};
const size_t cases_basic_count = sizeof(cases_basic) / sizeof(*cases_basic);
