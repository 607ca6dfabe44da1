/* limits.h - what may be used of a table or of a global index in a second, and what of it is left.
 *
 * Four things can say no: what is provisioned; the maximum that an on-demand resource was given;
 * what the service has made ready for an on-demand resource, which grows with its use; and what one
 * partition key may take. A request asks before it begins (limits_check) and tells what it really
 * took when it is known (limits_take); who is refused takes nothing.
 *
 * Memory: one struct for each resource, shared by all versions of its definition; nothing of it is
 * stored. Threads: limits_set on one at a time, the rest on any, without locks. */
#ifndef GRAMME_THROTTLE_LIMITS_H
#define GRAMME_THROTTLE_LIMITS_H

#include "base/clock.h"
#include "throttle/hot_keys.h"

enum limit_direction { LIMIT_READS, LIMIT_WRITES, LIMIT_DIRECTIONS };

/* In the order of enum throttling_limit (base/error.h), of each direction. That of the account is
 * not kept here. */
enum limit_kind {
    LIMIT_PROVISIONED,
    LIMIT_KEY_RANGE,
    LIMIT_ACCOUNT,
    LIMIT_MAX_ON_DEMAND,
    LIMIT_KINDS,
};

/* Of all tables. */
struct throttle {
    const struct clock *clock;
    int64_t burst_seconds; /* of provisioned units that were not used are kept */
    uint64_t seed;         /* for hashes of keys: random */
    struct hot_keys keys;
};

struct throttle *throttle_new(const struct clock *clock, int64_t burst_seconds);
void throttle_free(struct throttle *throttle); /* NULL is fine */

static inline int64_t throttle_now_ms(const struct throttle *throttle) {
    return clock_now_ms(throttle->clock);
}

/* How much more than ever before an on-demand resource may serve. */
struct growth {
    _Atomic int64_t units; /* may be used in a second now; 0: it is not on demand */
    struct bucket bucket;
    _Atomic uint64_t used;      /* in a second: which, the high half, and the half units */
    _Atomic uint64_t peak;      /* the most of this period, in half units */
    _Atomic int64_t period_end; /* in ms */
};

struct limit {
    _Atomic int64_t units; /* provisioned, or at most; 0: there is no such limit */
    struct bucket bucket;
    struct growth growth;
};

struct limits {
    uint32_t id; /* of the resource's keys */
    atomic_bool on_demand;
    struct limit limit[LIMIT_DIRECTIONS];
};

struct limits_setting {
    bool on_demand;
    int64_t units[LIMIT_DIRECTIONS]; /* provisioned, or the maximum; 0: no maximum */
    int64_t warm[LIMIT_DIRECTIONS];  /* on demand: what is ready at least */
    int64_t since_ms;                /* new limits begin then; 0: when they are first asked */
};

struct limits *limits_new(uint32_t id);
void limits_free(struct limits *limits); /* NULL is fine */
/* The definition says so from now on. What is left stays, as far as there is room for it. */
void limits_set(struct throttle *throttle, struct limits *limits,
                const struct limits_setting *setting);

/* What a request is about. */
struct limits_use {
    enum limit_direction direction;
    bool has_key;
    uint64_t key; /* a hash of its partition key, as good as random */
    int64_t now_ms;
};

/* The least that it can cost is `halves`. A set of kinds, 1 << kind, that have no more; 0: it may
 * begin. */
unsigned limits_check(struct throttle *throttle, struct limits *limits,
                      const struct limits_use *use, uint64_t halves);
void limits_take(struct throttle *throttle, struct limits *limits, const struct limits_use *use,
                 uint64_t halves);

#endif
