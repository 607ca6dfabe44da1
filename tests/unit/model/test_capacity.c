/* test_capacity.c - capacity units, in halves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/capacity.h"

static void reads(void **state) {
    (void)state;
    static const struct {
        uint64_t size, eventual, consistent, transact;
    } cases[] = {
        {0, 1, 2, 4},
        {1, 1, 2, 4},
        {4095, 1, 2, 4},
        {4096, 1, 2, 4},
        {4097, 2, 4, 8},
        {8192, 2, 4, 8},
        {8193, 3, 6, 12},
        {409600, 100, 200, 400},
        {1048576, 256, 512, 1024},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(capacity_read(cases[i].size, false), cases[i].eventual);
        assert_int_equal(capacity_read(cases[i].size, true), cases[i].consistent);
        assert_int_equal(capacity_transact_read(cases[i].size), cases[i].transact);
    }
    assert_true(capacity_units(capacity_read(5000, false)) == 1.0);
    assert_true(capacity_units(capacity_read(1, false)) == 0.5);
}

static void writes(void **state) {
    (void)state;
    static const struct {
        uint64_t old_size, new_size, write, transact, replay;
    } cases[] = {
        {0, 0, 2, 4, 4},     {0, 1, 2, 4, 4},        {1024, 10, 2, 4, 4},
        {10, 1025, 4, 8, 4}, {3000, 2000, 6, 12, 4}, {0, 409600, 800, 1600, 400},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t old_size = cases[i].old_size, new_size = cases[i].new_size;
        assert_int_equal(capacity_write(old_size, new_size), cases[i].write);
        assert_int_equal(capacity_transact_write(old_size, new_size), cases[i].transact);
        assert_int_equal(capacity_transact_replay(old_size, new_size), cases[i].replay);
    }
}

static void index_writes(void **state) {
    (void)state;
    static const struct {
        struct index_change change;
        uint64_t halves;
    } cases[] = {
        {{0, 0, false, false}, 0},      {{0, 1500, false, false}, 4},
        {{1500, 0, false, false}, 4},   {{1500, 1500, false, true}, 0},
        {{500, 2500, false, false}, 6}, {{2500, 500, false, false}, 6},
        {{500, 2500, true, false}, 8},  {{100, 100, true, false}, 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(capacity_index_write(cases[i].change), cases[i].halves);
}

static void partitions(void **state) {
    (void)state;
    static const struct {
        int64_t read, write;
        uint32_t partitions;
    } rows[] = {{1, 1, 1},       {1500, 500, 1},  {3000, 1, 2},     {3000, 1000, 2},
                {3000, 1001, 3}, {9000, 1000, 4}, {40000, 40000, 4}};
    const struct table_index local = {.global = false};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct provisioned_throughput units = {.read_units = rows[i].read,
                                               .write_units = rows[i].write};
        const struct table_definition table = {.throughput = units}, other = {.name = SLICE_NONE};
        const struct table_index global = {.global = true, .throughput = units};
        assert_int_equal(capacity_partitions(&table, NULL), rows[i].partitions);
        assert_int_equal(capacity_partitions(&table, &local), rows[i].partitions);
        assert_int_equal(capacity_partitions(&other, &global), rows[i].partitions);
    }
    const struct table_definition on_demand = {.billing = BILLING_PAY_PER_REQUEST};
    assert_int_equal(capacity_partitions(&on_demand, NULL), 4);
    assert_int_equal(capacity_partitions(&on_demand, &local), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(writes),
        cmocka_unit_test(index_writes),
        cmocka_unit_test(partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
