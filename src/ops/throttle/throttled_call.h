/* throttled_call.h - a call that is throttled because somebody wishes it, for tests of clients. */
#ifndef GRAMME_OPS_THROTTLE_THROTTLED_CALL_H
#define GRAMME_OPS_THROTTLE_THROTTLED_CALL_H

#include "engine/table.h"
#include "ops/op.h"

struct throttled_wish {
    enum error_code code;
    bool has_limit; /* otherwise one that goes with the error and the operation */
    enum throttling_limit limit;
    struct slice table; /* empty: of nobody knows which; there is no reason then */
    struct slice index; /* empty or absent: the table itself */
};

/* In the service's words. It goes on the account, which is read before the call's view of the
 * catalog is used again. On the view's thread. */
struct error *throttled_call_error(struct op_call *call, const struct throttled_wish *wish);

/* What a part of a batch on the table is refused with: reads or writes, as the operation does. It
 * goes on the account. */
struct error *throttled_call_part(struct op_call *call, const struct table *table);

#endif
