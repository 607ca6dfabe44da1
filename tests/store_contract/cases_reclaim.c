/* cases_reclaim.c - room that is given back takes nothing along. */
#include <unistd.h>

#include <stdio.h>

#include "contract.h"

static bool reclaim(struct contract *contract, struct store_range range, uint64_t *moment) {
    bool done = false;
    must(store_reclaim(contract->store, &contract->arena, &range, moment, &done));
    return done;
}

static void reclaim_all(struct contract *contract, struct store_range range, uint64_t *moment) {
    for (int calls = 0; !reclaim(contract, range, moment); calls++) {
        assert_true(calls < 3000);
        usleep(10000);
    }
}

static void delete_range(struct contract *contract, struct store_range range,
                         enum store_durability durability) {
    struct store_txn *txn = begin(contract, STORE_WRITE);
    store_delete_range(txn, &range);
    commit(txn, durability);
}

static void the_neighbours_stay(void **state) {
    struct contract *contract = *state;
    struct store_range range = text_range(0, "b", "d");
    uint64_t moment = 0;
    put_now(contract, 0, "a", "1");
    put_now(contract, 0, "b", "2");
    put_now(contract, 0, "c", "3");
    put_now(contract, 0, "d", "4"); /* the end is not part of the range */
    put_now(contract, 1, "c", "5");
    delete_range(contract, range, STORE_RELAXED);
    reclaim_all(contract, range, &moment);
    expect_content(contract, 0, "a=1 d=4");
    expect_content(contract, 1, "c=5");
    put_now(contract, 0, "c", "6");
    expect_content(contract, 0, "a=1 c=6 d=4");
    if (!store_can(contract->store, STORE_PERSISTENT))
        return;
    contract_reopen(contract);
    expect_content(contract, 0, "a=1 c=6 d=4");
}

static void whoever_reads_an_older_moment_sees_it_whole(void **state) {
    struct contract *contract = *state;
    struct store_range range = text_range(0, "b", "d");
    uint64_t moment = 0;
    put_now(contract, 0, "b", "2");
    put_now(contract, 0, "c", "3");
    struct store_txn *reader = begin(contract, STORE_READ);
    expect_get(reader, 0, "b", "2");
    delete_range(contract, range, STORE_DURABLE);
    reclaim(contract, range, &moment);
    expect_scan(reader, text_range(0, NULL, NULL), false, "b=2 c=3");
    store_end(reader);
    struct store_txn *later = begin(contract, STORE_READ);
    expect_get(later, 0, "b", NULL);
    reclaim_all(contract, range, &moment); /* a later reader does not mind */
    expect_content(contract, 0, "");
    store_end(later);
}

/* Of keys that nobody asks for any more, at once or by and by. */
static void a_dropped_range_goes(void **state) {
    struct contract *contract = *state;
    enum { COUNT = 25000 };
    struct store_range range = text_range(0, "b", "d");
    struct store_txn *txn = begin(contract, STORE_WRITE);
    char key[16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof(key), "c%05d", i);
        put(txn, 0, key, "v");
    }
    put(txn, 0, "a", "1");
    put(txn, 0, "d", "2");
    commit(txn, STORE_RELAXED);
    txn = begin(contract, STORE_WRITE);
    put(txn, 0, "bb", "goes, too");
    store_drop_range(txn, &range);
    put(txn, 1, "c", "3");
    commit(txn, STORE_DURABLE);
    if (store_can(contract->store, STORE_PERSISTENT))
        contract_reopen(contract); /* before all of it is gone */
    for (int steps = 0; steps < 5; steps++)
        store_maintain(contract->store);
    expect_content(contract, 0, "a=1 d=2");
    expect_content(contract, 1, "c=3");
}

const struct CMUnitTest cases_reclaim[] = {
    CONTRACT_CASE(the_neighbours_stay),
    CONTRACT_CASE(whoever_reads_an_older_moment_sees_it_whole),
    CONTRACT_CASE(a_dropped_range_goes),
};
const size_t cases_reclaim_count = sizeof(cases_reclaim) / sizeof(*cases_reclaim);
