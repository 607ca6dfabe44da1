/* hot_keys.c - see hot_keys.h. */
#include "throttle/hot_keys.h"

#include <stddef.h>

/* A bucket that nobody has looked at for so long is full, and free for another key. */
enum { COLD_MS = 2000 };
/* Of what a key may use: who has used that much gets a bucket. */
enum { HOT_SHARE = 8 };

void hot_keys_init(struct hot_keys *keys) {
    pthread_mutex_init(&keys->lock, NULL);
}

void hot_keys_release(struct hot_keys *keys) {
    pthread_mutex_destroy(&keys->lock);
}

/* ---- counters ---- */

static uint64_t counted_in(uint64_t counter, uint32_t second) {
    return (uint32_t)(counter >> 32) == second ? (uint32_t)counter : 0;
}

static _Atomic uint64_t *counter_of(struct hot_keys *keys, uint64_t key, int row) {
    return &keys->counters[row][(row == 0 ? key : key >> 32) % HOT_KEY_COUNTERS];
}

static uint64_t add_to(_Atomic uint64_t *counter, uint32_t second, uint64_t halves) {
    uint64_t before = atomic_load_explicit(counter, memory_order_relaxed), count;
    do {
        count = counted_in(before, second) + halves;
        if (count > UINT32_MAX)
            count = UINT32_MAX;
    } while (!atomic_compare_exchange_weak_explicit(counter, &before,
                                                    (uint64_t)second << 32 | count,
                                                    memory_order_relaxed, memory_order_relaxed));
    return count;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* What the key has used in this second; others may be counted with it. */
static uint64_t estimate(struct hot_keys *keys, uint64_t key, int64_t now_ms) {
    uint32_t second = (uint32_t)(now_ms / 1000);
    return smaller(
        counted_in(atomic_load_explicit(counter_of(keys, key, 0), memory_order_relaxed), second),
        counted_in(atomic_load_explicit(counter_of(keys, key, 1), memory_order_relaxed), second));
}

/* The same, with what it uses now. */
static uint64_t count(struct hot_keys *keys, uint64_t key, int64_t now_ms, uint64_t halves) {
    uint32_t second = (uint32_t)(now_ms / 1000);
    return smaller(add_to(counter_of(keys, key, 0), second, halves),
                   add_to(counter_of(keys, key, 1), second, halves));
}

/* ---- buckets ---- */

static struct hot_bucket *set_of(struct hot_keys *keys, uint64_t key) {
    size_t sets = HOT_KEY_BUCKETS / HOT_KEY_WAYS;
    return &keys->buckets[(size_t)(key >> 13) % sets * HOT_KEY_WAYS];
}

/* Most of the time no key at all is hot, and nobody has to look. */
static bool is_any_hot(const struct hot_keys *keys, int64_t now_ms) {
    int64_t hot_ms = atomic_load_explicit(&keys->hot_ms, memory_order_relaxed);
    return hot_ms != 0 && now_ms - hot_ms <= COLD_MS;
}

static void note_hot(struct hot_keys *keys, int64_t now_ms) {
    if (atomic_load_explicit(&keys->hot_ms, memory_order_relaxed) != now_ms)
        atomic_store_explicit(&keys->hot_ms, now_ms, memory_order_relaxed);
}

static struct hot_bucket *find(struct hot_keys *keys, uint64_t key) {
    struct hot_bucket *set = set_of(keys, key);
    for (size_t i = 0; i < HOT_KEY_WAYS; i++)
        if (atomic_load_explicit(&set[i].key, memory_order_acquire) == key)
            return &set[i];
    return NULL;
}

static bool is_free(const struct hot_bucket *slot, int64_t now_ms) {
    return atomic_load_explicit(&slot->key, memory_order_relaxed) == 0 ||
           now_ms - atomic_load_explicit(&slot->bucket.filled_ms, memory_order_relaxed) > COLD_MS;
}

/* NULL: there is none for it. */
static struct hot_bucket *make(struct hot_keys *keys, uint64_t key, struct bucket_rate rate,
                               int64_t now_ms) {
    struct hot_bucket *set = set_of(keys, key);
    pthread_mutex_lock(&keys->lock);
    struct hot_bucket *made = find(keys, key);
    if (made != NULL && is_free(made, now_ms)) /* from a time when it was hot before */
        bucket_start(&made->bucket, rate, now_ms);
    for (size_t i = 0; made == NULL && i < HOT_KEY_WAYS; i++)
        if (is_free(&set[i], now_ms)) {
            made = &set[i];
            bucket_start(&made->bucket, rate, now_ms);
            atomic_store_explicit(&made->key, key, memory_order_release);
        }
    pthread_mutex_unlock(&keys->lock);
    return made;
}

/* ---- both ---- */

bool hot_keys_has(struct hot_keys *keys, uint64_t key, int64_t units, int64_t now_ms,
                  uint64_t halves) {
    struct hot_bucket *hot = is_any_hot(keys, now_ms) ? find(keys, key | 1) : NULL;
    if (hot != NULL) {
        note_hot(keys, now_ms);
        return bucket_has(&hot->bucket, (struct bucket_rate){units, 1}, now_ms, halves);
    }
    return estimate(keys, key, now_ms) + halves <= 2 * (uint64_t)units;
}

/* Its bucket begins with what it has used of this second already. */
void hot_keys_take(struct hot_keys *keys, uint64_t key, int64_t units, int64_t now_ms,
                   uint64_t halves) {
    struct bucket_rate rate = {units, 1};
    struct hot_bucket *hot = is_any_hot(keys, now_ms) ? find(keys, key | 1) : NULL;
    if (hot != NULL) {
        bucket_take(&hot->bucket, rate, halves);
        return;
    }
    uint64_t used = count(keys, key, now_ms, halves);
    if (used < 2 * (uint64_t)units / HOT_SHARE)
        return;
    hot = make(keys, key | 1, rate, now_ms);
    if (hot == NULL)
        return;
    note_hot(keys, now_ms);
    bucket_take(&hot->bucket, rate, used);
}
