/* read_throttle.h - whether a read may begin, by what its table or index and its partition key have
 * left, and what it took of it. Writes are asked about where they happen (engine/write_throttle.h).
 *
 * A page is asked about when it begins, and may take more than there is; what is left then is less
 * than nothing. Where nothing is limited all of this is one look at a pointer. */
#ifndef GRAMME_OPS_THROTTLE_READ_THROTTLE_H
#define GRAMME_OPS_THROTTLE_READ_THROTTLE_H

#include "engine/table.h"
#include "ops/op.h"

struct read_target {
    const struct table *table;
    const struct table_index *index; /* NULL: the table itself */
    /* Of one partition: the values of its HASH attributes; NULL: of all of them. */
    const struct value *hash;
};

static inline bool reads_are_throttled(const struct op_call *call) {
    return __builtin_expect(call->context->throttle != NULL, 0);
}

/* The least that it can cost is `halves`. NULL: it may begin. */
struct error *read_throttle_check(struct op_call *call, const struct read_target *target,
                                  uint64_t halves);
void read_throttle_take(struct op_call *call, const struct read_target *target, uint64_t halves);

/* The same for one item by its key. */
struct error *read_throttle_check_item(struct op_call *call, const struct table *table,
                                       struct value key, uint64_t halves);
void read_throttle_take_item(struct op_call *call, const struct table *table, struct value key,
                             uint64_t halves);

#endif
