/* op.h - an operation of the API, as data.
 *
 * One file per operation: it begins with the request's struct and field table and ends in one
 * descriptor, and ops.def names it once. Everything else - dispatch, decoding, constraint errors,
 * metrics, documentation - comes from the descriptor. Rows and structures that several operations
 * share are in their family's header.
 *
 * The steps of a call, all on the I/O thread that received it unless said otherwise:
 * - decode and check: from the field table.
 * - validate: what is wrong with the request whatever the table looks like, in the service's order.
 * - authorize: asks for the permissions that the request needs, where permissions are checked
 *   (permission.h); NULL: the action on each resource that the field table names.
 * - run: looks up the table and works. OP_DONE: the reply is written. OP_WAITING: a write was
 * handed to the engine, or items are fetched (read/call_fetch.h); finish runs on the same I/O
 * thread when that is done. OP_ELSEWHERE: the work is long; run is called again on a worker thread,
 * where it must return OP_DONE.
 * - finish: writes the reply of a call that waited.
 * - release: gives back what the arena does not hold (references, transactions); always called once
 *   after validate was, also on errors; may be NULL.
 *
 * What a call touched is on its account, which is complete, for replies and for whoever counts what
 * is used, when run has written the reply or failed, or finish has; it holds what was touched up to
 * an error. It is read before release, which lets go of its tables. */
#ifndef GRAMME_OPS_OP_H
#define GRAMME_OPS_OP_H

#include "base/clock.h"
#include "base/random.h"
#include "engine/engine.h"
#include "expr/expr.h"
#include "ops/account/account.h"
#include "ops/request/field.h"

struct permission;
struct permission_check;
struct throttle;
struct write_job;

enum op_state { OP_DONE, OP_WAITING, OP_ELSEWHERE };

enum op_flags {
    OP_READS = 1 << 0,  /* items */
    OP_WRITES = 1 << 1, /* it changes something: items, or with CONTROL what is not an item */
    OP_CONTROL = 1 << 2,
    /* Request-level ValidationExceptions get "1 validation error detected: " in front. */
    OP_ENVELOPE = 1 << 3,
    /* Its requests are judged by the service's older layer. */
    OP_OLDER_LAYER = 1 << 4,
    /* Of DynamoDBStreams_20120810, not of DynamoDB_20120810. */
    OP_STREAMS = 1 << 5,
    /* It is about no resource: no member names one. */
    OP_NO_RESOURCE = 1 << 6,
    /* A request with a ClientRequestToken happens once, however often it comes. */
    OP_TOKEN = 1 << 7,
    /* It writes items, each on its own, and nothing else: whichever server may do it, where several
     * write (engine_groups). */
    OP_SHARED = 1 << 8,
};

/* What an I/O thread or worker gives to the calls it runs. */
struct op_context {
    struct engine *engine;
    struct catalog_view *catalog; /* of this thread */
    struct expr_cache *exprs;     /* of this thread */
    const struct clock *clock;
    const struct random *random;
    struct throttle *throttle; /* NULL: nothing limits reads, and the engine limits no writes */
    struct slice region;
    struct slice account;
    bool defers;           /* writes are left to who runs the call: op_call.deferred */
    bool store_is_far;     /* a read takes a round trip: no I/O thread waits for one */
    unsigned leniencies;   /* base/leniency.h */
    struct slice endpoint; /* host:port, for DescribeEndpoints */
    /* Asks whether the caller of permission->call would be allowed something, beyond what is asked
     * before run; NULL: they would. May be NULL: nobody is ever refused. */
    struct error *(*ask)(struct permission *permission);
};

struct op_call {
    const struct op *op;
    unsigned number; /* the operation's (op_find_numbered) */
    struct op_context *context;
    struct arena *arena;
    void *request; /* decoded, of the descriptor's shape */
    /* Whose words errors have: the operation's layer, or the older one for a request that is nested
     * too deeply for the current layer to read. */
    enum value_layer layer;
    struct buffer *reply;       /* the body, JSON */
    bool elsewhere;             /* running on a worker thread */
    bool fetches;               /* what it waits for are items, not a commit */
    bool eventual;              /* it reads what may be a moment old (engine/eventual.h) */
    void *work;                 /* the operation's own state between its steps */
    struct write_job *deferred; /* what is still to be submitted; NULL: nothing */
    struct account account;
    int64_t throttled_at_ms; /* when it begins to run, by the clock; where reads are throttled */
    size_t unprocessed; /* a test wishes that so many parts of a batch are left to the caller */
    uint32_t denied;    /* permissions that it was refused, of parts of a batch too */
    /* Called by any thread when the engine has finished what the call waits for. */
    void (*wake)(struct op_call *call);
    void *user; /* the pipeline's */
};

struct op {
    const char *name;   /* "PutItem" */
    const char *action; /* "dynamodb:PutItem"; NULL: that of the name, or each part has its own */
    uint32_t flags;
    const struct shape *input;
    struct error *(*validate)(struct op_call *call); /* may be NULL */
    struct error *(*authorize)(struct op_call *call, const struct permission_check *check);
    struct error *(*run)(struct op_call *call, enum op_state *ret_state);
    struct error *(*finish)(struct op_call *call);
    void (*release)(struct op_call *call);
};

/* Whether a read that waits for the store belongs on a worker thread, and is not there yet. */
static inline bool op_goes_elsewhere(const struct op_call *call, enum op_state *ret_state) {
    bool goes = __builtin_expect(call->context->store_is_far, 0) && !call->elsewhere;
    if (goes)
        *ret_state = OP_ELSEWHERE;
    return goes;
}

static inline enum value_layer op_layer(const struct op *op) {
    return op->flags & OP_OLDER_LAYER ? VALUE_LAYER_OLDER : VALUE_LAYER_CURRENT;
}

/* NULL when there is no such operation. The number is its place in the listing. */
const struct op *op_find_numbered(struct slice name, unsigned *ret_number);

static inline const struct op *op_find(struct slice name) {
    unsigned number;
    return op_find_numbered(name, &number);
}

/* For listings: every name of the API in order, and whether it is here. */
struct op_listing {
    const char *name;
    const struct op *op; /* NULL: missing */
};
size_t op_list(const struct op_listing **ret_list);
/* Whether the API has this name, and it is not here. */
bool op_is_missing(struct slice name);

#endif
