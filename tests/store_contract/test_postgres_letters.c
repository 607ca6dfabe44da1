/* test_postgres_letters.c - what servers leave for the one that leads: it is taken once,
 * and by nobody else, wherever connections are cut. */
#include <stdio.h>
#include <stdlib.h>

#include "postgres_server.h"
#include "store/postgres/letters.h"

/* Nobody loses the lead because the machine is busy. */
enum { LEAD_MS = 120000, NUMBERS_MAX = 1000 };

static struct error *open_store(struct contract *contract, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store) {
    struct postgres_store_options options = {
        .url = postgres_url(contract), .create = true, .lead_ms = LEAD_MS};
    return postgres_store_open(&contract->arena, &options, keyspaces, count, ret_store);
}

static struct store *open_another(struct contract *contract, const char *url) {
    struct postgres_store_options options = {.url = url, .lead_ms = LEAD_MS};
    struct store *store = NULL;
    must(postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                             &store));
    return store;
}

static bool leave(struct contract *contract, struct store *store, unsigned number) {
    bool left = false;
    must(postgres_letter_leave(store, &contract->arena,
                               arena_printf(&contract->arena, "letter %u", number), &left));
    return left;
}

/* How often each was taken, until there are none; how many that were. */
static size_t take_all(struct contract *contract, struct store *store,
                       unsigned taken[NUMBERS_MAX]) {
    struct slice letters[POSTGRES_LETTERS_TAKEN_MAX];
    size_t all = 0, count;
    do {
        must(postgres_letters_take(store, &contract->arena, letters, &count));
        for (size_t i = 0; i < count; i++) {
            unsigned number = 0;
            assert_int_equal(
                sscanf((const char *)arena_printf(&contract->arena, "%.*s", SLICE_ARGS(letters[i]))
                           .data,
                       "letter %u", &number),
                1);
            assert_true(number < NUMBERS_MAX);
            taken[number]++;
        }
        all += count;
    } while (count > 0);
    return all;
}

static void letters_are_taken_once_and_by_who_leads(void **state) {
    struct contract *contract = *state;
    struct store *other = open_another(contract, postgres_url(contract));
    unsigned taken[NUMBERS_MAX] = {0};
    bool leads = false;
    for (unsigned number = 0; number < 20; number++)
        assert_true(leave(contract, other, number));
    assert_int_equal(take_all(contract, other, taken), 0); /* it does not lead */
    assert_int_equal(take_all(contract, contract->store, taken), 20);
    for (unsigned number = 0; number < 20; number++)
        assert_int_equal(taken[number], 1);
    assert_int_equal(take_all(contract, contract->store, taken), 0);
    assert_true(leave(contract, other, 20)); /* for whoever leads next */
    store_close(contract->store);
    contract->store = other;
    must(store_lead(other, &contract->arena, 10000, &leads));
    assert_true(leads);
    assert_int_equal(take_all(contract, other, taken), 1);
    assert_int_equal(taken[20], 1);
}

static void letters_that_nobody_takes_have_an_end(void **state) {
    struct contract *contract = *state;
    unsigned taken[NUMBERS_MAX] = {0};
    for (unsigned number = 0; number < POSTGRES_LETTERS_MAX; number++)
        assert_true(leave(contract, contract->store, number));
    assert_false(leave(contract, contract->store, POSTGRES_LETTERS_MAX));
    assert_int_equal(take_all(contract, contract->store, taken), POSTGRES_LETTERS_MAX);
    assert_true(leave(contract, contract->store, POSTGRES_LETTERS_MAX));
}

/* As a server does: what was not left is left again. */
static void leave_over_cut_wire(struct contract *contract, struct store *store, struct wire *wire,
                                enum wire_way way, long bytes, unsigned number) {
    struct slice letter = arena_printf(&contract->arena, "letter %u", number);
    bool left = false;
    wire_cut_after(wire, way, bytes);
    while (!left)
        (void)postgres_letter_leave(store, &contract->arena, letter, &left);
    wire_cut_after(wire, way, -1);
}

/* One whose answer was lost may be lost, too; it is never there twice. */
static void no_letter_is_left_twice(void **state) {
    struct contract *contract = *state;
    struct wire wire;
    struct store *store = open_another(contract, postgres_wire_url(contract, &wire));
    unsigned taken[NUMBERS_MAX] = {0}, number = 0, lost = 0;
    assert_true(leave(contract, store, number++)); /* and connects */
    for (int way = WIRE_TO_SERVER; way <= WIRE_TO_CLIENT; way++) {
        unsigned long cuts;
        long bytes = 0;
        do {
            cuts = atomic_load(&wire.cuts);
            leave_over_cut_wire(contract, store, &wire, (enum wire_way)way, bytes, number++);
            bytes += 61;
            take_all(contract, contract->store, taken);
        } while (atomic_load(&wire.cuts) > cuts);
    }
    for (unsigned i = 0; i < number; i++) {
        assert_true(taken[i] <= 1);
        lost += taken[i] == 0;
    }
    assert_true(number > 5 && lost < atomic_load(&wire.cuts));
    store_close(store);
    wire_stop(&wire);
}

int main(void) {
    static const struct engine engine = {.name = "postgres", .open = open_store};
    struct CMUnitTest tests[] = {
        CONTRACT_CASE(letters_are_taken_once_and_by_who_leads),
        CONTRACT_CASE(letters_that_nobody_takes_have_an_end),
        CONTRACT_CASE(no_letter_is_left_twice),
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tests[i].initial_state = (void *)(uintptr_t)&engine;
    return cmocka_run_group_tests_name("postgres letters", tests, NULL, NULL);
}
