/* limits.c - see limits.h. */
#include "throttle/limits.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/random.h"

enum {
    /* What the service lets one partition do in a second. */
    KEY_READ_UNITS = 3000,
    KEY_WRITE_UNITS = 1000,
    /* An on-demand resource serves twice its earlier peak; what is a peak, and earlier, is seen
     * after so long. */
    GROWTH_PERIOD_MS = 30 * 60 * 1000,
    GROWTH_UNITS_MAX = 40000, /* the quota of a table */
};

struct throttle *throttle_new(const struct clock *clock, int64_t burst_seconds) {
    struct throttle *throttle = calloc(1, sizeof(*throttle));
    CHECK(throttle != NULL);
    throttle->clock = clock;
    throttle->burst_seconds = burst_seconds;
    random_fill(&system_random, &throttle->seed, sizeof(throttle->seed));
    hot_keys_init(&throttle->keys);
    return throttle;
}

void throttle_free(struct throttle *throttle) {
    if (throttle == NULL)
        return;
    hot_keys_release(&throttle->keys);
    free(throttle);
}

struct limits *limits_new(uint32_t id) {
    struct limits *limits = calloc(1, sizeof(*limits));
    CHECK(limits != NULL);
    limits->id = id;
    return limits;
}

void limits_free(struct limits *limits) {
    free(limits);
}

static int64_t get(const _Atomic int64_t *number) {
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void set(_Atomic int64_t *number, int64_t value) {
    atomic_store_explicit(number, value, memory_order_relaxed);
}

/* ---- what is configured ---- */

/* A maximum is one of each second: nothing of it is kept. */
static struct bucket_rate rate_of(const struct throttle *throttle, const struct limits *limits,
                                  int64_t units) {
    bool on_demand = atomic_load_explicit(&limits->on_demand, memory_order_relaxed);
    return (struct bucket_rate){units, on_demand ? 1 : throttle->burst_seconds};
}

static void set_units(_Atomic int64_t *units, int64_t value, struct bucket *bucket,
                      struct bucket_rate rate, int64_t since_ms) {
    int64_t before = get(units);
    if (value != 0 && before == 0)
        bucket_start(bucket, rate, since_ms);
    else if (value != 0)
        bucket_cut(bucket, rate);
    set(units, value);
}

static int64_t bounded(int64_t units) {
    return units > BUCKET_UNITS_MAX ? BUCKET_UNITS_MAX : units < 0 ? 0 : units;
}

void limits_set(struct throttle *throttle, struct limits *limits,
                const struct limits_setting *setting) {
    int64_t now_ms = throttle_now_ms(throttle);
    atomic_store_explicit(&limits->on_demand, setting->on_demand, memory_order_relaxed);
    for (int i = 0; i < LIMIT_DIRECTIONS; i++) {
        struct limit *limit = &limits->limit[i];
        struct growth *growth = &limit->growth;
        int64_t units = bounded(setting->units[i]);
        set_units(&limit->units, units, &limit->bucket, rate_of(throttle, limits, units),
                  setting->since_ms);
        int64_t ready = setting->on_demand ? bounded(setting->warm[i]) : 0;
        if (ready != 0 && get(&growth->units) > ready)
            ready = get(&growth->units); /* it has grown */
        if (get(&growth->units) == 0)
            set(&growth->period_end, now_ms + GROWTH_PERIOD_MS);
        set_units(&growth->units, ready, &growth->bucket, (struct bucket_rate){ready, 1},
                  setting->since_ms);
    }
}

/* ---- growth ---- */

static void note_peak(struct growth *growth, uint64_t halves) {
    uint64_t peak = atomic_load_explicit(&growth->peak, memory_order_relaxed);
    while (halves > peak &&
           !atomic_compare_exchange_weak_explicit(&growth->peak, &peak, halves,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* Twice the peak, in units, is as many as it has half units. */
static void end_period(struct growth *growth, int64_t now_ms) {
    int64_t end = get(&growth->period_end);
    if (now_ms < end || !atomic_compare_exchange_strong_explicit(
                            &growth->period_end, &end, now_ms + GROWTH_PERIOD_MS,
                            memory_order_relaxed, memory_order_relaxed))
        return;
    uint64_t peak = atomic_exchange_explicit(&growth->peak, 0, memory_order_relaxed);
    int64_t units = peak > GROWTH_UNITS_MAX ? GROWTH_UNITS_MAX : (int64_t)peak;
    if (units > get(&growth->units))
        set(&growth->units, units);
}

static void note_use(struct growth *growth, int64_t now_ms, uint64_t halves) {
    uint32_t second = (uint32_t)(now_ms / 1000);
    uint64_t before = atomic_load_explicit(&growth->used, memory_order_relaxed), count;
    do {
        count = halves + ((uint32_t)(before >> 32) == second ? (uint32_t)before : 0);
        if (count > UINT32_MAX)
            count = UINT32_MAX;
    } while (!atomic_compare_exchange_weak_explicit(&growth->used, &before,
                                                    (uint64_t)second << 32 | count,
                                                    memory_order_relaxed, memory_order_relaxed));
    note_peak(growth, count);
}

/* ---- a request ---- */

static int64_t key_units(enum limit_direction direction) {
    return direction == LIMIT_READS ? KEY_READ_UNITS : KEY_WRITE_UNITS;
}

/* A key of one resource and direction, apart from the same one elsewhere. */
static uint64_t key_of(const struct limits *limits, const struct limits_use *use) {
    uint64_t of = (uint64_t)limits->id * LIMIT_DIRECTIONS + use->direction + 1;
    return use->key ^ of * UINT64_C(0x9e3779b97f4a7c15);
}

static bool growth_has(struct growth *growth, int64_t now_ms, uint64_t halves) {
    if (get(&growth->units) == 0)
        return true;
    end_period(growth, now_ms);
    return bucket_has(&growth->bucket, (struct bucket_rate){get(&growth->units), 1}, now_ms,
                      halves);
}

unsigned limits_check(struct throttle *throttle, struct limits *limits,
                      const struct limits_use *use, uint64_t halves) {
    struct limit *limit = &limits->limit[use->direction];
    int64_t now_ms = use->now_ms, units = get(&limit->units);
    unsigned kinds = 0;
    if (units != 0 && !bucket_has(&limit->bucket, rate_of(throttle, limits, units), now_ms, halves))
        kinds |= 1U << (atomic_load_explicit(&limits->on_demand, memory_order_relaxed)
                            ? LIMIT_MAX_ON_DEMAND
                            : LIMIT_PROVISIONED);
    if (!growth_has(&limit->growth, now_ms, halves) ||
        (use->has_key && !hot_keys_has(&throttle->keys, key_of(limits, use),
                                       key_units(use->direction), now_ms, halves)))
        kinds |= 1U << LIMIT_KEY_RANGE;
    return kinds;
}

void limits_take(struct throttle *throttle, struct limits *limits, const struct limits_use *use,
                 uint64_t halves) {
    struct limit *limit = &limits->limit[use->direction];
    int64_t now_ms = use->now_ms, units = get(&limit->units);
    int64_t ready = get(&limit->growth.units);
    if (units != 0)
        bucket_take(&limit->bucket, rate_of(throttle, limits, units), halves);
    if (ready != 0) {
        bucket_take(&limit->growth.bucket, (struct bucket_rate){ready, 1}, halves);
        note_use(&limit->growth, now_ms, halves);
    }
    if (use->has_key)
        hot_keys_take(&throttle->keys, key_of(limits, use), key_units(use->direction), now_ms,
                      halves);
}
