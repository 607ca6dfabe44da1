/* bucket.h - units that come by the second and are taken by requests.
 *
 * A bucket fills at its rate, up to what so many seconds give, and what a request really took is
 * drawn afterwards: it may go below zero, but no further than it may rise above. A request is let
 * in when the least that it can cost is there, or the bucket is full.
 *
 * Everything is a whole number: half units (model/capacity.h) are BUCKET_GRAINS grains each, so
 * that a rate of n units a second is 2 n grains a millisecond, and nothing is ever rounded.
 *
 * Threads: any, without locks. One of those that come in a new millisecond fills the bucket; who
 * looks at that very moment may still find it as it was. */
#ifndef GRAMME_THROTTLE_BUCKET_H
#define GRAMME_THROTTLE_BUCKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { BUCKET_GRAINS = 1000, BUCKET_UNITS_MAX = 1000000000 };

struct bucket {
    _Atomic int64_t grains;
    _Atomic int64_t filled_ms; /* up to this time */
};

struct bucket_rate {
    int64_t units;   /* a second, from 1 to BUCKET_UNITS_MAX */
    int64_t seconds; /* of them that are kept */
};

/* Begins with what one second gives: the rest is earned by not using it. Time counts from
 * `since_ms` on; 0: from when it is first asked. */
void bucket_start(struct bucket *bucket, struct bucket_rate rate, int64_t since_ms);
/* The rate is another one: what is there stays, as far as there is room for it; of a debt, too. */
void bucket_cut(struct bucket *bucket, struct bucket_rate rate);

/* Whether so many halves are there now, or all that ever can be. */
bool bucket_has(struct bucket *bucket, struct bucket_rate rate, int64_t now_ms, uint64_t halves);
void bucket_take(struct bucket *bucket, struct bucket_rate rate, uint64_t halves);

#endif
