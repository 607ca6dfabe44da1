/* hot_keys.h - what each partition key is used: a key may take so many units a second, however much
 * its table has.
 *
 * Most keys are cold, and there may be any number of them. So the use of all is estimated first, in
 * counters that keys share (two each, of which the smaller counts; they begin anew every second),
 * and a key that has used an eighth of what it may gets a bucket of its own, as long as it is hot:
 * soon, since others that share both of its counters are taken for its own use until then. When
 * there are more hot keys than buckets, the estimate decides for those that have none. Memory is
 * the same whatever comes.
 *
 * Threads: any. A lock is taken when a key gets its bucket, and only then. */
#ifndef GRAMME_THROTTLE_HOT_KEYS_H
#define GRAMME_THROTTLE_HOT_KEYS_H

#include <pthread.h>

#include "throttle/bucket.h"

enum {
    HOT_KEY_COUNTERS = 65536, /* in each of the two rows */
    HOT_KEY_BUCKETS = 1024,
    HOT_KEY_WAYS = 4, /* where the bucket of one key may be */
};

struct hot_bucket {
    _Atomic uint64_t key; /* 0: free */
    struct bucket bucket;
};

struct hot_keys {
    /* The second that it counts in, the high half, and the half units. */
    _Atomic uint64_t counters[2][HOT_KEY_COUNTERS];
    struct hot_bucket buckets[HOT_KEY_BUCKETS];
    _Atomic int64_t hot_ms; /* when one of the buckets was last asked; 0: never */
    pthread_mutex_t lock;   /* of who changes the key of a bucket */
};

void hot_keys_init(struct hot_keys *keys);
void hot_keys_release(struct hot_keys *keys);

/* `key`: a hash, as good as random, of the key and of whose it is. `units`: what it may take in a
 * second, all of them at once if it likes. */
bool hot_keys_has(struct hot_keys *keys, uint64_t key, int64_t units, int64_t now_ms,
                  uint64_t halves);
void hot_keys_take(struct hot_keys *keys, uint64_t key, int64_t units, int64_t now_ms,
                   uint64_t halves);

#endif
