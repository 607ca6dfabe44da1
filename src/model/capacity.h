/* capacity.h - capacity units: what an operation is said to have consumed.
 *
 * An eventually consistent read costs half a unit, so everything is counted in halves, as integers;
 * capacity_units() turns a sum into what the API reports. Sizes are those of value.h. */
#ifndef GRAMME_MODEL_CAPACITY_H
#define GRAMME_MODEL_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/table.h"

enum {
    CAPACITY_READ_BYTES = 4096,  /* one read unit */
    CAPACITY_WRITE_BYTES = 1024, /* one write unit */
    CAPACITY_PARTITIONS_MAX = 4,
};

/* Halves to units: 3 is 1.5. */
static inline double capacity_units(uint64_t halves) {
    return (double)halves / 2;
}

/* The partitions of a table, or of the index when it is not NULL: as many as a new on-demand table
 * has in the service, or as provisioned throughput needs, up to the same number. */
uint32_t capacity_partitions(const struct table_definition *table, const struct table_index *index);

/* What a table or index is warm for: what was asked for, what is provisioned, what a new on-demand
 * table serves at once; the largest of them. */
struct unit_pair warm_units(enum billing_mode billing,
                            const struct provisioned_throughput *throughput, struct unit_pair warm);

/* One item read, or all the bytes that a Query evaluated, or a Scan in one partition; nothing found
 * costs as much as a small item. */
uint64_t capacity_read(uint64_t size, bool consistent);
/* One item read in a transaction. */
uint64_t capacity_transact_read(uint64_t size);

/* A put, an update or a delete of one item; a size of 0 is an item that is not there. A failed
 * condition costs capacity_write(size, 0). */
uint64_t capacity_write(uint64_t old_size, uint64_t new_size);
/* The same inside a transaction; a condition check costs capacity_transact_write(size, 0). */
uint64_t capacity_transact_write(uint64_t old_size, uint64_t new_size);
/* A transaction that was answered from its token: what reading the item costs, whatever it did. */
uint64_t capacity_transact_replay(uint64_t old_size, uint64_t new_size);

/* How a write changes one index. Sizes are of the projected entry, 0 when there is none. */
struct index_change {
    uint64_t old_size;
    uint64_t new_size;
    bool key_changed; /* with both entries there: the index key differs */
    bool identical;   /* with both entries there: nothing projected differs */
};

uint64_t capacity_index_write(struct index_change change);

#endif
