/* call_fetch.h - items that a call waits for while its thread does something else.
 *
 * Where a get takes a round trip, `run` starts a fetch and says OP_WAITING, and `finish` takes the
 * items; together with those of other calls they are one question to the store. Where a get takes
 * no time none of this is used. */
#ifndef GRAMME_OPS_READ_CALL_FETCH_H
#define GRAMME_OPS_READ_CALL_FETCH_H

#include "engine/read.h"
#include "ops/op.h"

/* How a call reads items. */
struct call_read {
    enum read_mode mode;
    bool consistent; /* false: what it finds may be a moment old */
};

struct error *call_reader_begin(struct op_call *call, struct call_read read,
                                struct reader *ret_reader);
/* The call failed, and had read what may be a moment old: that is not to be read from there again
 * for a while. */
void call_eventual_failed(const struct op_call *call);

struct call_fetch {
    struct op_call *call;
    struct reader reader;
    struct item_fetch items;
};

static inline bool call_fetches(const struct op_call *call) {
    return __builtin_expect(call->context->store_is_far, 0) && !call->elsewhere;
}

/* The keys, of which there is at least one, and their tables stay until it is released. */
struct error *call_fetch_start(struct op_call *call, struct call_read read, size_t count,
                               const struct read_key *keys, struct call_fetch **ret_fetch);
static inline struct error *call_fetch_take(struct call_fetch *fetch, size_t i,
                                            struct stored_item *ret_item) {
    return reader_fetched(&fetch->items, i, ret_item);
}
/* call_fetch_release(NULL) is fine. */
void call_fetch_release(struct call_fetch *fetch);

#endif
