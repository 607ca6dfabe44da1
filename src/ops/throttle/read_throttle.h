/* read_throttle.h - whether a read may begin, by what its table or index and its partition key have
 * left, and what it took of it. Writes are asked about where they happen (engine/write_throttle.h).
 *
 * A page is asked about when it begins, and may take more than there is; what is left then is less
 * than nothing. Where nothing is limited all of this is one look at a pointer. */
#ifndef GRAMME_OPS_THROTTLE_READ_THROTTLE_H
#define GRAMME_OPS_THROTTLE_READ_THROTTLE_H

#include "engine/table.h"
#include "ops/op.h"
#include "throttle/limits.h"

/* What is read, found out once for both questions. */
struct read_ticket {
    const struct table *table;
    const struct table_index *index; /* NULL: the table itself */
    struct limits_use use;
};

static inline bool reads_are_throttled(const struct op_call *call) {
    return __builtin_expect(call->context->throttle != NULL, 0);
}

/* `hash`: the values of the HASH attributes of the one partition that is read; NULL: of all. */
struct read_ticket read_ticket(const struct op_call *call, const struct table *table,
                               const struct table_index *index, const struct value *hash);
/* Of one item by its key. */
struct read_ticket read_ticket_of_item(const struct op_call *call, const struct table *table,
                                       struct value key);

/* The least that it can cost is `halves`. NULL: it may begin. */
struct error *read_throttle_check(struct op_call *call, const struct read_ticket *ticket,
                                  uint64_t halves);
void read_throttle_take(const struct op_call *call, const struct read_ticket *ticket,
                        uint64_t halves);

#endif
