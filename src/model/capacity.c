/* capacity.c - rounding of capacity units. */
#include "model/capacity.h"

/* What the service gives one partition. */
enum { PARTITION_READ_UNITS = 3000, PARTITION_WRITE_UNITS = 1000 };

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

/* Whole units of `unit` bytes, at least one, in halves. */
static uint64_t round_up(uint64_t size, uint64_t unit) {
    uint64_t units = (size + unit - 1) / unit;
    return 2 * (units == 0 ? 1 : units);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
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
