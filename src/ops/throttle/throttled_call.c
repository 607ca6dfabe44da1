/* throttled_call.c - see throttled_call.h. */
#include "ops/throttle/throttled_call.h"

#include "engine/throttled.h"

static enum throttling_limit usual_limit(const struct op_call *call, enum error_code code) {
    unsigned kind = code == ERROR_PROVISIONED_THROUGHPUT_EXCEEDED ? LIMIT_PROVISIONED
                    : code == ERROR_THROTTLING                    ? LIMIT_KEY_RANGE
                                                                  : LIMIT_ACCOUNT;
    bool writes = (call->op->flags & OP_WRITES) != 0;
    return (enum throttling_limit)(kind + (writes ? LIMIT_KINDS : 0));
}

static const char *text_of(enum error_code code, enum throttling_limit limit, bool index) {
    if (code == ERROR_REQUEST_LIMIT_EXCEEDED)
        return "Throughput exceeds the current throughput limit for your account. To request a "
               "limit increase, contact AWS Support at https://aws.amazon.com/support.";
    return throttled_text((struct throttled_words){
        .provisioned = code == ERROR_PROVISIONED_THROUGHPUT_EXCEEDED,
        .index = index,
        .maximum = (unsigned)limit % LIMIT_KINDS == LIMIT_MAX_ON_DEMAND,
    });
}

struct error *throttled_call_error(struct op_call *call, const struct throttled_wish *wish) {
    enum throttling_limit limit = wish->has_limit ? wish->limit : usual_limit(call, wish->code);
    bool index = wish->index.len > 0;
    struct error *error =
        error_new(call->arena, wish->code, "%s", text_of(wish->code, limit, index));
    if (wish->table.len == 0)
        return error;
    struct throttling_reason *by = ARENA_NEW(call->arena, struct throttling_reason);
    *by = (struct throttling_reason){limit, wish->table, index ? wish->index : SLICE_NONE};
    error->throttled_by = by;
    error->throttled_by_count = 1;
    const struct table *table = catalog_find(call->context->catalog, wish->table);
    if (table != NULL)
        account_throttled(call, table, error);
    return error;
}

struct error *throttled_call_part(struct op_call *call, const struct table *table) {
    bool on_demand = table->definition.billing == BILLING_PAY_PER_REQUEST;
    const struct throttled_hit hit = {
        .direction = call->op->flags & OP_WRITES ? LIMIT_WRITES : LIMIT_READS,
        .kinds = 1U << (on_demand ? LIMIT_KEY_RANGE : LIMIT_PROVISIONED),
    };
    struct error *error = throttled_error(call->arena, &table->definition, &hit, 1);
    account_throttled(call, table, error);
    return error;
}
