/* capacity.c - rounding of capacity units. */
#include "model/capacity.h"

enum {
    /* What the service gives one partition. */
    PARTITION_READ_UNITS = 3000,
    PARTITION_WRITE_UNITS = 1000,
    /* A new on-demand table or index serves these at once. */
    WARM_READ_UNITS = 12000,
    WARM_WRITE_UNITS = 4000,
};

uint32_t capacity_partitions(const struct table_definition *table,
                             const struct table_index *index) {
    const struct provisioned_throughput *units =
        index != NULL && index->global ? &index->throughput : &table->throughput;
    if (table->billing == BILLING_PAY_PER_REQUEST)
        return CAPACITY_PARTITIONS_MAX;
    double share = (double)units->read_units / PARTITION_READ_UNITS +
                   (double)units->write_units / PARTITION_WRITE_UNITS;
    uint32_t partitions = 1;
    while (partitions < CAPACITY_PARTITIONS_MAX && (double)partitions < share)
        partitions++;
    return partitions;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static int64_t larger_units(int64_t a, int64_t b) {
    return a > b ? a : b;
}

struct unit_pair warm_units(enum billing_mode billing,
                            const struct provisioned_throughput *throughput,
                            struct unit_pair warm) {
    struct unit_pair least = {throughput->read_units, throughput->write_units};
    if (billing == BILLING_PAY_PER_REQUEST)
        least = (struct unit_pair){WARM_READ_UNITS, WARM_WRITE_UNITS};
    return (struct unit_pair){larger_units(least.read, warm.read),
                              larger_units(least.write, warm.write)};
}

/* Whole units of `unit` bytes, at least one, in halves. */
static uint64_t round_up(uint64_t size, uint64_t unit) {
    uint64_t units = (size + unit - 1) / unit;
    return 2 * (units == 0 ? 1 : units);
}

uint64_t capacity_read(uint64_t size, bool consistent) {
    return round_up(size, CAPACITY_READ_BYTES) / (consistent ? 1 : 2);
}

uint64_t capacity_transact_read(uint64_t size) {
    return 2 * round_up(size, CAPACITY_READ_BYTES);
}

uint64_t capacity_write(uint64_t old_size, uint64_t new_size) {
    return round_up(larger(old_size, new_size), CAPACITY_WRITE_BYTES);
}

uint64_t capacity_transact_write(uint64_t old_size, uint64_t new_size) {
    return 2 * capacity_write(old_size, new_size);
}

uint64_t capacity_transact_replay(uint64_t old_size, uint64_t new_size) {
    return capacity_transact_read(larger(old_size, new_size));
}

uint64_t capacity_index_write(struct index_change change) {
    uint64_t before = change.old_size == 0 ? 0 : round_up(change.old_size, CAPACITY_WRITE_BYTES);
    uint64_t after = change.new_size == 0 ? 0 : round_up(change.new_size, CAPACITY_WRITE_BYTES);
    if (before == 0 || after == 0 || change.key_changed)
        return before + after;
    return change.identical ? 0 : larger(before, after);
}
