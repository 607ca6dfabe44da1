/* keys.c - see keys.h.
 *
 * The zipfian generator needs no table and no sum over all ranks. It draws a point of the area
 * under 1/x^0.99 up to count + 0.5, which is found by inverting the integral; the rank is the
 * nearest whole number. The area around a whole number is a little larger than its share, since the
 * curve is convex: a point in what is too much is drawn again (W. Hörmann and G. Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", 1996). */
#include "bench/keys.h"

#include <string.h>

/* The exponent is 1 - 1/ROOT: then all that is needed are hundredth powers and roots, and the
 * program does without the library of mathematics, which nothing else in it uses. */
enum { ROOT = 100, ROOT_STEPS = 12 };

/* ---- chance ---- */

struct bench_random bench_random_seeded(uint64_t seed) {
    /* Seeds that differ in a bit make states that differ in half of them. */
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    seed ^= seed >> 31;
    return (struct bench_random){seed == 0 ? 1 : seed};
}

uint64_t bench_random_below(struct bench_random *random, uint64_t bound) {
    return (uint64_t)((__uint128_t)bench_random_next(random) * bound >> 64);
}

/* From 0 to less than 1. */
static double next_fraction(struct bench_random *random) {
    return (double)(bench_random_next(random) >> 11) * 0x1p-53;
}

/* ---- zipfian ---- */

/* x^99 */
static double power(double x) {
    double x3 = x * x * x, x6 = x3 * x3, x12 = x6 * x6, x24 = x12 * x12, x48 = x24 * x24;
    return x48 * x48 * x3;
}

/* x^(1/100), by Newton's method from above; x is from 1 to 2^32. */
static double root(double x) {
    unsigned doublings = 64u - (unsigned)__builtin_clzll((uint64_t)x);
    double part = 0.00694 * doublings; /* of the natural logarithm of the result, at most */
    double y = 1 + part + part * part / 2 + part * part * part / 4;
    for (int i = 0; i < ROOT_STEPS; i++) {
        double p = power(y);
        y -= (y * p - x) / (ROOT * p);
    }
    return y;
}

/* 1 / x^0.99 */
static double height(double x) {
    return root(x) / x;
}

/* The integral of that. */
static double area(double x) {
    return ROOT * root(x);
}

static double area_inverse(double y) {
    return power(y / ROOT) * (y / ROOT);
}

void zipfian_init(struct zipfian *zipfian, uint64_t count) {
    *zipfian = (struct zipfian){
        .count = (double)count,
        /* Rank 1 gets exactly its height. */
        .area_first = area(1.5) - height(1),
        .area_last = area((double)count + 0.5),
        .sure = 2 - area_inverse(area(2.5) - height(2)),
    };
}

uint64_t zipfian_next(const struct zipfian *zipfian, struct bench_random *random) {
    /* At worst a draw in a few is refused; the bound is for the reader. */
    for (int attempt = 0; attempt < 1000; attempt++) {
        double y =
            zipfian->area_last + next_fraction(random) * (zipfian->area_first - zipfian->area_last);
        double x = area_inverse(y);
        double rank = (double)(uint64_t)(x + 0.5);
        rank = rank < 1 ? 1 : rank > zipfian->count ? zipfian->count : rank;
        if (rank - x <= zipfian->sure || y >= area(rank + 0.5) - height(rank))
            return (uint64_t)rank - 1;
    }
    return 0;
}

/* ---- the space ---- */

const char *const key_order_names[] = {[KEYS_UNIFORM] = "uniform",
                                       [KEYS_ZIPFIAN] = "zipfian",
                                       [KEYS_SEQUENTIAL] = "sequential",
                                       [KEYS_LATEST] = "latest",
                                       NULL};

static uint64_t common_factor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void key_space_init(struct key_space *space, enum key_order order, uint64_t count) {
    /* Near the golden section of 2^32: neighbours in turn lie far apart. */
    uint64_t step = UINT64_C(2654435761) % count;
    while (common_factor(step, count) != 1)
        step++;
    space->order = order;
    space->count = count;
    space->step = step;
    zipfian_init(&space->zipfian, count);
    atomic_init(&space->turn, 0);
    atomic_init(&space->issued, 0);
    atomic_init(&space->added, 0);
    pthread_mutex_init(&space->lock, NULL);
    memset(space->arrived, 0, sizeof(space->arrived));
}

uint64_t key_at_turn(const struct key_space *space, uint64_t turn) {
    return turn % space->count * space->step % space->count;
}

uint64_t key_take_turns(struct key_space *space, uint64_t turns) {
    return atomic_fetch_add_explicit(&space->turn, turns, memory_order_relaxed);
}

uint64_t key_choose(const struct key_space *space, struct bench_random *random) {
    if (space->order == KEYS_UNIFORM)
        return bench_random_below(random, space->count);
    uint64_t rank = zipfian_next(&space->zipfian, random);
    if (space->order != KEYS_LATEST)
        return key_at_turn(space, rank);
    uint64_t newest = space->count - 1 + atomic_load_explicit(&space->added, memory_order_relaxed);
    return (newest - rank) % KEYS_MAX;
}

uint64_t key_issue(struct key_space *space) {
    uint64_t number = atomic_fetch_add_explicit(&space->issued, 1, memory_order_relaxed);
    return (space->count + number) % KEYS_MAX;
}

/* Inserts are answered in any order. One that takes so long that the window is full holds up the
 * rest: then `latest` stays where it is, which is right for as long as it is not there. */
void key_added(struct key_space *space, uint64_t key) {
    uint64_t number = (key + KEYS_MAX - space->count) % KEYS_MAX;
    pthread_mutex_lock(&space->lock);
    uint64_t added = atomic_load_explicit(&space->added, memory_order_relaxed);
    if (number >= added && number - added < KEYS_WINDOW)
        space->arrived[number % KEYS_WINDOW] = 1;
    while (space->arrived[added % KEYS_WINDOW] != 0)
        space->arrived[added++ % KEYS_WINDOW] = 0;
    atomic_store_explicit(&space->added, added, memory_order_relaxed);
    pthread_mutex_unlock(&space->lock);
}
