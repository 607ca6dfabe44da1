/* keys.h - which key comes next: numbers from 0 on, chosen in one of four ways.
 *
 *   uniform      each as likely as any other
 *   zipfian      a few are wanted much more often than the rest: the one at rank r in proportion to
 *                1 / r^0.99, as in YCSB. The ranks are spread over the numbers, so that popular
 *                items are not neighbours
 *   sequential   each once before one comes again, in a scattered order
 *   latest       zipfian by age: the newest is the most popular; new ones are added meanwhile
 *
 * Threads: the space is shared by all; a random belongs to one. */
#ifndef GRAMME_BENCH_KEYS_H
#define GRAMME_BENCH_KEYS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { KEY_DIGITS = 8, KEYS_WINDOW = 65536 };
/* A key has eight digits. */
#define KEYS_MAX UINT64_C(100000000)

/* xorshift64: cheap, and repeatable from its seed. */
struct bench_random {
    uint64_t state; /* never 0 */
};

struct bench_random bench_random_seeded(uint64_t seed);

static inline uint64_t bench_random_next(struct bench_random *random) {
    uint64_t x = random->state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return random->state = x;
}

/* Below `bound`, which is at least 1. */
uint64_t bench_random_below(struct bench_random *random, uint64_t bound);

struct zipfian {
    double count;
    double area_first; /* see keys.c */
    double area_last;
    double sure;
};

void zipfian_init(struct zipfian *zipfian, uint64_t count);
/* A rank from 0, the most popular, to count - 1. */
uint64_t zipfian_next(const struct zipfian *zipfian, struct bench_random *random);

enum key_order { KEYS_UNIFORM, KEYS_ZIPFIAN, KEYS_SEQUENTIAL, KEYS_LATEST };
/* By order; NULL ends them. */
extern const char *const key_order_names[];

struct key_space {
    enum key_order order;
    uint64_t count;
    uint64_t step; /* has no factor in common with the count */
    struct zipfian zipfian;
    _Atomic uint64_t turn;        /* of the sequential order */
    _Atomic uint64_t issued;      /* new keys that were handed out */
    _Atomic uint64_t added;       /* and that are there now, with all before them */
    pthread_mutex_t lock;         /* of the following */
    uint8_t arrived[KEYS_WINDOW]; /* new keys after those, by their number modulo the window */
};

void key_space_init(struct key_space *space, enum key_order order, uint64_t count);
/* The scattered order: the numbers below the count, each for one turn below it. */
uint64_t key_at_turn(const struct key_space *space, uint64_t turn);
/* Takes `turns` turns in a row of the sequential order; returns the first. */
uint64_t key_take_turns(struct key_space *space, uint64_t turns);
/* In all orders but the sequential one. */
uint64_t key_choose(const struct key_space *space, struct bench_random *random);
/* A new key, above all that are there. */
uint64_t key_issue(struct key_space *space);
/* Of one that was handed out: it is there, or will never be. */
void key_added(struct key_space *space, uint64_t key);

#endif
