/* bucket.c - see bucket.h. */
#include "throttle/bucket.h"

/* A clock that was set back by more than this is believed; by less, two threads looked at it. */
enum { CLOCK_SET_BACK_MS = 10000 };

static int64_t cap_of(struct bucket_rate rate) {
    return 2 * BUCKET_GRAINS * rate.units * rate.seconds;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void limit_above(struct bucket *bucket, int64_t cap) {
    int64_t grains = atomic_load_explicit(&bucket->grains, memory_order_relaxed);
    while (grains > cap &&
           !atomic_compare_exchange_weak_explicit(&bucket->grains, &grains, cap,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void limit_below(struct bucket *bucket, int64_t floor) {
    int64_t grains = atomic_load_explicit(&bucket->grains, memory_order_relaxed);
    while (grains < floor &&
           !atomic_compare_exchange_weak_explicit(&bucket->grains, &grains, floor,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void bucket_start(struct bucket *bucket, struct bucket_rate rate, int64_t since_ms) {
    atomic_store_explicit(&bucket->grains,
                          smaller(cap_of(rate), cap_of((struct bucket_rate){rate.units, 1})),
                          memory_order_relaxed);
    atomic_store_explicit(&bucket->filled_ms, since_ms, memory_order_relaxed);
}

void bucket_cut(struct bucket *bucket, struct bucket_rate rate) {
    limit_above(bucket, cap_of(rate));
    limit_below(bucket, -cap_of(rate));
}

/* Twice the time that a bucket keeps fills it from the lowest that it can be. */
static void fill(struct bucket *bucket, struct bucket_rate rate, int64_t now_ms) {
    int64_t before = atomic_load_explicit(&bucket->filled_ms, memory_order_relaxed);
    if (now_ms == before || (now_ms < before && before - now_ms < CLOCK_SET_BACK_MS))
        return;
    if (!atomic_compare_exchange_strong_explicit(&bucket->filled_ms, &before, now_ms,
                                                 memory_order_relaxed, memory_order_relaxed))
        return; /* another thread does it */
    if (now_ms < before || before == 0)
        return;
    int64_t elapsed_ms = smaller(now_ms - before, 2 * 1000 * rate.seconds);
    atomic_fetch_add_explicit(&bucket->grains, 2 * rate.units * elapsed_ms, memory_order_relaxed);
    limit_above(bucket, cap_of(rate));
}

bool bucket_has(struct bucket *bucket, struct bucket_rate rate, int64_t now_ms, uint64_t halves) {
    fill(bucket, rate, now_ms);
    return atomic_load_explicit(&bucket->grains, memory_order_relaxed) >=
           smaller((int64_t)halves * BUCKET_GRAINS, cap_of(rate));
}

void bucket_take(struct bucket *bucket, struct bucket_rate rate, uint64_t halves) {
    int64_t grains = (int64_t)halves * BUCKET_GRAINS;
    int64_t floor = -cap_of(rate);
    if (atomic_fetch_sub_explicit(&bucket->grains, grains, memory_order_relaxed) - grains < floor)
        limit_below(bucket, floor);
}
