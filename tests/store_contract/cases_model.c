/* cases_model.c - random transactions against a sorted array that is too simple to be wrong.
 *
 * GRAMME_SEED=n runs another seed. A few snapshots stay open across commits,
 * each with its own copy of the array. */
#include <stdio.h>
#include <stdlib.h>

#include "contract.h"

enum { KEY_BYTES_MAX = 40, ENTRIES_MAX = 6000, SNAPSHOTS = 3 };

struct entry {
    uint8_t key[KEY_BYTES_MAX];
    uint8_t key_len;
    uint32_t value;
};

struct model {
    size_t count[KEYSPACE_COUNT];
    struct entry *entries[KEYSPACE_COUNT];
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static struct slice entry_key(const struct entry *entry) {
    return slice_of(entry->key, entry->key_len);
}

static void model_init(struct model *model) {
    for (size_t i = 0; i < KEYSPACE_COUNT; i++) {
        model->count[i] = 0;
        model->entries[i] = calloc(ENTRIES_MAX, sizeof(struct entry));
        CHECK(model->entries[i] != NULL);
    }
}

static void model_release(struct model *model) {
    for (size_t i = 0; i < KEYSPACE_COUNT; i++)
        free(model->entries[i]);
}

static void model_copy(struct model *to, const struct model *from) {
    for (size_t i = 0; i < KEYSPACE_COUNT; i++) {
        to->count[i] = from->count[i];
        memcpy(to->entries[i], from->entries[i], from->count[i] * sizeof(struct entry));
    }
}

static size_t model_place(const struct model *model, uint8_t keyspace, struct slice key) {
    size_t place = 0;
    while (place < model->count[keyspace] &&
           slice_compare(entry_key(&model->entries[keyspace][place]), key) < 0)
        place++;
    return place;
}

static bool model_has(const struct model *model, uint8_t keyspace, size_t place, struct slice key) {
    return place < model->count[keyspace] &&
           slice_equal(entry_key(&model->entries[keyspace][place]), key);
}

static void model_cut(struct model *model, uint8_t keyspace, size_t from, size_t to) {
    struct entry *entries = model->entries[keyspace];
    memmove(entries + from, entries + to, (model->count[keyspace] - to) * sizeof(*entries));
    model->count[keyspace] -= to - from;
}

static void model_put(struct model *model, uint8_t keyspace, const struct entry *entry) {
    size_t place = model_place(model, keyspace, entry_key(entry));
    struct entry *entries = model->entries[keyspace];
    if (!model_has(model, keyspace, place, entry_key(entry))) {
        CHECK(model->count[keyspace] < ENTRIES_MAX);
        memmove(entries + place + 1, entries + place,
                (model->count[keyspace] - place) * sizeof(*entries));
        model->count[keyspace]++;
    }
    entries[place] = *entry;
}

/* Few distinct bytes and some long common beginnings, so that keys often meet or nearly meet. */
static struct entry random_entry(void) {
    struct entry entry = {.value = random_below(1u << 30)};
    size_t common = (size_t[]){0, 2, 20, 30}[random_below(4)];
    memset(entry.key, 'p', common);
    entry.key_len = (uint8_t)(common + 1 + random_below(6));
    for (size_t i = common; i < entry.key_len; i++)
        entry.key[i] = (uint8_t[]){0, 1, 'a', 'p', 0xfe, 0xff}[random_below(6)];
    return entry;
}

static struct store_key key_of(uint8_t keyspace, const struct entry *entry) {
    return (struct store_key){keyspace, entry_key(entry)};
}

static struct store_range random_range(const struct entry *first, const struct entry *last) {
    struct store_range range = {(uint8_t)random_below(KEYSPACE_COUNT), SLICE_NONE, SLICE_NONE};
    if (random_below(8) != 0)
        range.first = entry_key(first);
    if (random_below(8) != 0)
        range.last = entry_key(last);
    return range;
}

static void model_range(const struct model *model, const struct store_range *range,
                        size_t *ret_from, size_t *ret_to) {
    *ret_from = slice_present(range->first) ? model_place(model, range->keyspace, range->first) : 0;
    *ret_to = slice_present(range->last) ? model_place(model, range->keyspace, range->last)
                                         : model->count[range->keyspace];
    if (*ret_to < *ret_from)
        *ret_to = *ret_from;
}

static void step_delete_range(struct store_txn *txn, struct model *model) {
    struct entry first = random_entry(), last = random_entry();
    struct store_range range = random_range(&first, &last);
    size_t from, to;
    model_range(model, &range, &from, &to);
    if (to - from > 200 && random_below(100) != 0)
        return; /* else the store would stay nearly empty */
    store_delete_range(txn, &range);
    model_cut(model, range.keyspace, from, to);
}

static void random_write(struct store_txn *txn, struct model *model) {
    struct entry entry = random_entry();
    uint8_t keyspace = (uint8_t)random_below(KEYSPACE_COUNT);
    struct store_key key = key_of(keyspace, &entry);
    uint32_t choice = random_below(100);
    if (choice < 80 && model->count[keyspace] < ENTRIES_MAX) {
        store_put(txn, &key, slice_of(&entry.value, sizeof(entry.value)));
        model_put(model, keyspace, &entry);
    } else if (choice < 99) {
        size_t place = model_place(model, keyspace, key.key);
        store_delete(txn, &key);
        if (model_has(model, keyspace, place, key.key))
            model_cut(model, keyspace, place, place + 1);
    } else {
        step_delete_range(txn, model);
    }
}

static void check_gets(struct store_txn *txn, const struct model *model) {
    enum { COUNT = 12 };
    struct entry entries[COUNT];
    struct store_key keys[COUNT];
    struct slice values[COUNT];
    size_t count = 1 + random_below(COUNT);
    for (size_t i = 0; i < count; i++) {
        uint8_t keyspace = (uint8_t)random_below(KEYSPACE_COUNT);
        entries[i] = random_entry();
        if (model->count[keyspace] > 0 && random_below(2) == 0)
            entries[i] = model->entries[keyspace][random_below((uint32_t)model->count[keyspace])];
        keys[i] = key_of(keyspace, &entries[i]);
    }
    must(store_get_many(txn, count, keys, values));
    for (size_t i = 0; i < count; i++) {
        size_t place = model_place(model, keys[i].keyspace, keys[i].key);
        bool has = model_has(model, keys[i].keyspace, place, keys[i].key);
        assert_int_equal(slice_present(values[i]), has);
        if (has) {
            uint32_t expected = model->entries[keys[i].keyspace][place].value;
            assert_true(slice_equal(values[i], slice_of(&expected, sizeof(expected))));
        }
    }
}

static void check_range(struct store_txn *txn, const struct model *model,
                        const struct store_range *range, bool reverse) {
    size_t from, to;
    model_range(model, range, &from, &to);
    struct store_scan *scan;
    must(store_scan_open(txn, range, reverse, &scan));
    for (size_t i = from; i < to; i++) {
        const struct entry *entry =
            &model->entries[range->keyspace][reverse ? to - 1 - (i - from) : i];
        bool found = false;
        struct slice key, value;
        must(store_scan_next(scan, &found, &key, &value));
        assert_true(found);
        assert_true(slice_equal(key, entry_key(entry)));
        assert_true(slice_equal(value, slice_of(&entry->value, sizeof(entry->value))));
    }
    bool found = true;
    struct slice key, value;
    must(store_scan_next(scan, &found, &key, &value));
    assert_false(found);
    store_scan_close(scan);
}

static void check_random_range(struct store_txn *txn, const struct model *model) {
    struct entry first = random_entry(), last = random_entry();
    struct store_range range = random_range(&first, &last);
    check_range(txn, model, &range, random_below(2) == 0);
}

static void check_all(struct store_txn *txn, const struct model *model) {
    for (uint8_t keyspace = 0; keyspace < KEYSPACE_COUNT; keyspace++) {
        struct store_range all = text_range(keyspace, NULL, NULL);
        check_range(txn, model, &all, false);
        check_range(txn, model, &all, true);
    }
}

/* A snapshot that outlives commits, with what it must show and an arena of its own. */
struct snapshot {
    struct store_txn *txn;
    struct arena arena;
    struct model model;
};

static void snapshot_close(struct snapshot *snapshot) {
    if (snapshot->txn == NULL)
        return;
    check_all(snapshot->txn, &snapshot->model);
    store_end(snapshot->txn);
    snapshot->txn = NULL;
    arena_reset(&snapshot->arena);
}

static void snapshot_open(struct snapshot *snapshot, struct store *store,
                          const struct model *model) {
    must(store_begin(store, &snapshot->arena, STORE_READ, &snapshot->txn));
    model_copy(&snapshot->model, model);
    check_gets(snapshot->txn, model);
}

/* One transaction: reads, writes, then a commit or an end without one. `next` is for scratch. */
static void random_transaction(struct contract *contract, struct model *model, struct model *next) {
    struct store_txn *txn = begin(contract, STORE_WRITE);
    check_gets(txn, model);
    check_random_range(txn, model);
    model_copy(next, model);
    uint32_t writes = random_below(20) == 0 ? 1 + random_below(800) : 1 + random_below(12);
    for (uint32_t i = 0; i < writes; i++)
        random_write(txn, next);
    if (random_below(8) == 0) {
        store_end(txn);
    } else {
        commit(txn, random_below(30) == 0 ? STORE_DURABLE : STORE_RELAXED);
        struct model last = *model;
        *model = *next;
        *next = last;
    }
}

static void model_run(struct contract *contract, unsigned transactions) {
    struct model model, next;
    struct snapshot snapshots[SNAPSHOTS] = {{0}};
    model_init(&model);
    model_init(&next);
    for (size_t i = 0; i < SNAPSHOTS; i++)
        model_init(&snapshots[i].model);
    for (unsigned i = 0; i < transactions; i++) {
        random_transaction(contract, &model, &next);
        struct snapshot *snapshot = &snapshots[random_below(SNAPSHOTS)];
        if (snapshot->txn != NULL)
            check_random_range(snapshot->txn, &snapshot->model);
        if (random_below(10) == 0) {
            snapshot_close(snapshot);
            snapshot_open(snapshot, contract->store, &model);
        }
        arena_reset(&contract->arena);
    }
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        snapshot_close(&snapshots[i]);
        model_release(&snapshots[i].model);
        arena_release(&snapshots[i].arena);
    }
    if (store_can(contract->store, STORE_PERSISTENT))
        contract_reopen(contract);
    struct store_txn *txn = begin(contract, STORE_READ);
    check_all(txn, &model);
    store_end(txn);
    model_release(&model);
    model_release(&next);
}

static void random_transactions_match_a_sorted_array(void **state) {
    const char *chosen = getenv("GRAMME_SEED");
    random_state = chosen != NULL ? strtoull(chosen, NULL, 10) : 1;
    printf("# repeat with GRAMME_SEED=%llu\n", (unsigned long long)random_state);
    fflush(stdout);
    struct contract *contract = *state;
    model_run(contract, store_can(contract->store, STORE_PERSISTENT) ? 400 : 2000);
}

/* The canary: a store that differs from the model in one value must be noticed. */
static void the_model_notices_a_difference(void **state) {
    struct contract *contract = *state;
    struct model model;
    model_init(&model);
    struct entry entry = {.key = {'k'}, .key_len = 1, .value = 1};
    model_put(&model, 0, &entry);
    entry.value = 2;
    struct store_txn *txn = begin(contract, STORE_WRITE);
    struct store_key key = key_of(0, &entry);
    store_put(txn, &key, slice_of(&entry.value, sizeof(entry.value)));
    commit(txn, STORE_RELAXED);
    txn = begin(contract, STORE_READ);
    struct slice value;
    must(store_get(txn, &key, &value));
    size_t place = model_place(&model, 0, key.key);
    assert_true(model_has(&model, 0, place, key.key));
    assert_false(slice_equal(value, slice_of(&model.entries[0][place].value, 4)));
    store_end(txn);
    model_release(&model);
}

const struct CMUnitTest cases_model[] = {
    CONTRACT_CASE(random_transactions_match_a_sorted_array),
    CONTRACT_CASE(the_model_notices_a_difference),
};
const size_t cases_model_count = sizeof(cases_model) / sizeof(*cases_model);
