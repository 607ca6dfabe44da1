/* figures.c - how long things take, one after another, as one server asks for them. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/container.h"
#include "store/trial/internal.h"

enum { ITEM_BYTES = 300, SAMPLES_MAX = 400, SAMPLE_NS = 700000000, ITEMS = 4096 };

/* A thing to time, which does `count` items at once. */
struct timed {
    struct trial_step step;
    struct trial *trial;
    struct error *(*once)(struct timed *timed);
    enum store_durability durability;
    unsigned count;
    unsigned next; /* item */
    uint64_t samples[SAMPLES_MAX];
    size_t sample_count;
};

static int compare_samples(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

static void tell_samples(struct timed *timed, const char *name) {
    uint64_t total = 0;
    size_t count = timed->sample_count;
    for (size_t i = 0; i < count; i++)
        total += timed->samples[i];
    qsort(timed->samples, count, sizeof(uint64_t), compare_samples);
    trial_figure(timed->trial, name,
                 arena_printf(timed->trial->arena, "p50 %.2f ms, p99 %.2f ms, %.0f a second",
                              (double)timed->samples[count / 2] / 1e6,
                              (double)timed->samples[count * 99 / 100] / 1e6,
                              (double)count * timed->count * 1e9 / (double)total));
}

static struct error *time_it(struct timed *timed, const char *name) {
    uint64_t began_ns = monotonic_ns(), before = began_ns;
    for (timed->sample_count = 0;
         timed->sample_count < SAMPLES_MAX && before - began_ns < SAMPLE_NS;) {
        struct arena_mark mark = arena_mark(timed->trial->arena);
        TRY(timed->once(timed));
        arena_rewind(timed->trial->arena, mark);
        uint64_t now = monotonic_ns();
        timed->samples[timed->sample_count++] = now - before;
        before = now;
    }
    tell_samples(timed, name);
    return NULL;
}

/* ---- what is timed ---- */

static struct error *put_items(struct trial_step *step, struct store_txn *txn) {
    struct timed *timed = container_of(step, struct timed, step);
    struct slice value = slice_of(arena_zalloc(txn->arena, ITEM_BYTES), ITEM_BYTES);
    for (unsigned i = 0; i < timed->count; i++) {
        struct store_key key = trial_key(txn->arena, "item", timed->next++ % ITEMS);
        store_put(txn, &key, value);
    }
    return NULL;
}

static struct error *commit_once(struct timed *timed) {
    return trial_commit(timed->trial->stores[0], timed->trial->arena, &timed->step,
                        timed->durability);
}

static struct error *get_once(struct timed *timed) {
    struct arena *arena = timed->trial->arena;
    struct store_key *keys = ARENA_ARRAY(arena, struct store_key, timed->count);
    struct slice *values = ARENA_ARRAY(arena, struct slice, timed->count);
    struct store_txn *txn = NULL;
    for (unsigned i = 0; i < timed->count; i++)
        keys[i] = trial_key(arena, "item", (timed->next++ * 977) % ITEMS);
    TRY(store_begin(timed->trial->stores[0], arena, STORE_READ_LATEST, &txn));
    struct error *error = store_get_many(txn, timed->count, keys, values);
    store_end(txn);
    return error;
}

static const struct {
    const char *name;
    struct error *(*once)(struct timed *timed);
    unsigned count;
    enum store_durability durability;
} figures[] = {
    {"commit of 256", commit_once, 256, STORE_DURABLE}, /* makes the items, too */
    {"commit of 64", commit_once, 64, STORE_DURABLE},
    {"commit of 16", commit_once, 16, STORE_DURABLE},
    {"commit of 1", commit_once, 1, STORE_DURABLE},
    {"commit of 1, relaxed", commit_once, 1, STORE_RELAXED},
    {"get of 1", get_once, 1, STORE_DURABLE},
    {"get of 16", get_once, 16, STORE_DURABLE},
};

struct error *trial_figures(struct trial *trial) {
    struct timed *timed = ARENA_NEW(trial->arena, struct timed);
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
        timed->step.run = put_items;
        timed->trial = trial;
        timed->once = figures[i].once;
        timed->count = figures[i].count;
        timed->durability = figures[i].durability;
        TRY(time_it(timed, figures[i].name));
    }
    return NULL;
}
