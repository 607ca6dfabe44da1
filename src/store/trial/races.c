/* races.c - what two servers do to each other, and what an engine must not let happen. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/container.h"
#include "store/trial/internal.h"

enum { SKEW_ROUNDS = 100, INCREMENTS = 150, MOMENTS = 200, VALUE_BYTES = 400 * 1024 };

/* Two threads, each on a store of its own. */
struct racer {
    struct trial_step step;
    struct store *store;
    struct arena arena;
    struct error *error; /* in that arena */
    atomic_uint *start;  /* both leave a round together */
    unsigned side;       /* 0 or 1 */
    unsigned round;
    unsigned rounds;
};

/* ---- the steps ---- */

/* Each side is there only if the other is not. */
static struct error *exclude_other(struct trial_step *step, struct store_txn *txn) {
    const struct racer *racer = container_of(step, struct racer, step);
    static const char *const names[] = {"left", "right"};
    struct store_key mine = trial_key(txn->arena, names[racer->side], racer->round);
    struct store_key other = trial_key(txn->arena, names[1 - racer->side], racer->round);
    struct slice found;
    TRY(store_get(txn, &other, &found));
    sched_yield();
    if (!slice_present(found))
        store_put(txn, &mine, SLICE_LITERAL("here"));
    return NULL;
}

static struct error *read_number(struct store_txn *txn, const char *name, uint64_t *ret_number) {
    struct store_key key = trial_key(txn->arena, name, 0);
    struct slice value;
    TRY(store_get(txn, &key, &value));
    *ret_number = value.len == 8 ? load_u64(value.data) : 0;
    return NULL;
}

static void write_number(struct store_txn *txn, const char *name, uint64_t number) {
    uint8_t bytes[8];
    struct store_key key = trial_key(txn->arena, name, 0);
    store_u64(bytes, number);
    store_put(txn, &key, slice_of(bytes, sizeof(bytes)));
}

static struct error *increment(struct trial_step *step, struct store_txn *txn) {
    uint64_t number;
    (void)step;
    TRY(read_number(txn, "counter", &number));
    write_number(txn, "counter", number + 1);
    return NULL;
}

static struct error *write_pair(struct trial_step *step, struct store_txn *txn) {
    const struct racer *racer = container_of(step, struct racer, step);
    write_number(txn, "first", racer->round);
    write_number(txn, "second", racer->round);
    return NULL;
}

/* ---- two threads ---- */

static void *race(void *argument) {
    struct racer *racer = argument;
    for (racer->round = 1; racer->round <= racer->rounds; racer->round++) {
        atomic_fetch_add(racer->start, 1);
        while (atomic_load(racer->start) < 2 * racer->round)
            sched_yield();
        if (racer->error == NULL)
            racer->error = trial_commit(racer->store, &racer->arena, &racer->step, STORE_RELAXED);
        if (racer->error == NULL)
            arena_reset(&racer->arena);
    }
    return NULL;
}

static struct error *run_race(struct trial *trial, unsigned rounds,
                              struct error *(*run)(struct trial_step *step,
                                                   struct store_txn *txn)) {
    struct racer racers[2];
    pthread_t thread;
    atomic_uint start;
    atomic_init(&start, 0);
    for (unsigned i = 0; i < 2; i++) {
        racers[i] = (struct racer){.step.run = run,
                                   .store = trial->stores[i],
                                   .start = &start,
                                   .side = i,
                                   .rounds = rounds};
        arena_init(&racers[i].arena);
    }
    CHECK(pthread_create(&thread, NULL, race, &racers[0]) == 0);
    race(&racers[1]);
    pthread_join(thread, NULL);
    struct error *error = NULL;
    for (size_t i = 0; i < 2; i++) {
        if (racers[i].error != NULL)
            error = error_local(trial->arena, "%.*s", SLICE_ARGS(racers[i].error->message));
        arena_release(&racers[i].arena);
    }
    return error;
}

/* ---- what came of it ---- */

static struct error *count_sound(struct store_txn *txn, unsigned *ret_sound) {
    *ret_sound = 0;
    for (unsigned round = 1; round <= SKEW_ROUNDS; round++) {
        struct store_key keys[] = {trial_key(txn->arena, "left", round),
                                   trial_key(txn->arena, "right", round)};
        struct slice values[2];
        TRY(store_get_many(txn, 2, keys, values));
        *ret_sound += slice_present(values[0]) != slice_present(values[1]);
    }
    return NULL;
}

static struct error *judge_races(struct trial *trial, struct store_txn *txn) {
    unsigned sound;
    uint64_t counted;
    TRY(count_sound(txn, &sound));
    TRY(read_number(txn, "counter", &counted));
    trial_verdict(trial, "write skew", sound == SKEW_ROUNDS,
                  arena_printf(trial->arena, "%u of %d races had one winner", sound, SKEW_ROUNDS));
    trial_verdict(trial, "lost updates", counted == 2 * INCREMENTS,
                  arena_printf(trial->arena, "%llu of %d increments by two writers",
                               (unsigned long long)counted, 2 * INCREMENTS));
    return NULL;
}

static struct error *reading(struct trial *trial,
                             struct error *(*judge)(struct trial *trial, struct store_txn *txn)) {
    struct store_txn *txn = NULL;
    TRY(store_begin(trial->reader, trial->arena, STORE_READ, &txn));
    struct error *error = judge(trial, txn);
    store_end(txn);
    return error;
}

/* ---- fencing ---- */

/* One that was taken over from reads no more: what it knows may not be true. */
static struct error *try_read(struct store *store, struct arena *arena, bool *ret_refused) {
    struct store_key key = trial_key(arena, "fence", 0);
    struct store_txn *txn = NULL;
    struct slice found;
    TRY(store_begin(store, arena, STORE_READ_LATEST, &txn));
    *ret_refused = store_get(txn, &key, &found) != NULL;
    store_end(txn);
    return NULL;
}

static struct error *try_fence(struct trial *trial) {
    struct arena *arena = trial->arena;
    struct store_key key = trial_key(arena, "fence", 0);
    enum store_outcome outcome = STORE_UNKNOWN;
    struct store_txn *txn = NULL;
    struct slice found = SLICE_NONE;
    bool leads;
    TRY(store_lead(trial->stores[0], arena, 0, &leads));
    TRY(store_begin(trial->stores[0], arena, STORE_WRITE, &txn));
    store_put(txn, &key, SLICE_LITERAL("of who was taken over from"));
    struct error *error = store_lead(trial->stores[1], arena, 0, &leads);
    if (error == NULL)
        error = store_commit(txn, STORE_DURABLE, &outcome);
    store_end(txn);
    if (error != NULL)
        return error;
    TRY(store_begin(trial->stores[1], arena, STORE_READ_LATEST, &txn));
    error = store_get(txn, &key, &found);
    bool fenced = outcome == STORE_FENCED && !slice_present(found), refused = false;
    store_end(txn);
    if (error != NULL)
        return error;
    TRY(try_read(trial->stores[0], arena, &refused));
    trial_verdict(trial, "fencing", fenced && refused && !store_leads(trial->stores[0]),
                  !fenced    ? SLICE_LITERAL("who was taken over from could write")
                  : !refused ? SLICE_LITERAL("who was taken over from could read")
                             : SLICE_LITERAL("who was taken over from is refused"));
    return NULL;
}

/* ---- moments ---- */

static void *write_pairs(void *argument) {
    struct racer *racer = argument;
    for (racer->round = 1; racer->round <= racer->rounds && racer->error == NULL; racer->round++)
        racer->error = trial_commit(racer->store, &racer->arena, &racer->step, STORE_RELAXED);
    atomic_store(racer->start, 1);
    return NULL;
}

/* Two reads of one transaction, between which the writer goes on. */
static struct error *read_pair(struct store *store, struct arena *arena, bool *ret_equal) {
    struct store_txn *txn = NULL;
    uint64_t first = 0, second = 0;
    TRY(store_begin(store, arena, STORE_READ, &txn));
    struct error *error = read_number(txn, "first", &first);
    if (error == NULL)
        error = read_number(txn, "second", &second);
    store_end(txn);
    *ret_equal = first == second;
    return error;
}

static struct error *try_moments(struct trial *trial) {
    atomic_uint done;
    atomic_init(&done, 0);
    struct racer writer = {
        .step.run = write_pair, .store = trial->stores[0], .start = &done, .rounds = MOMENTS};
    pthread_t thread;
    unsigned reads = 0, torn = 0;
    struct error *error = NULL;
    arena_init(&writer.arena);
    CHECK(pthread_create(&thread, NULL, write_pairs, &writer) == 0);
    while (error == NULL && atomic_load(&done) == 0) {
        bool equal = true;
        error = read_pair(trial->reader, trial->arena, &equal);
        reads++;
        torn += !equal;
    }
    pthread_join(thread, NULL);
    if (error == NULL && writer.error != NULL)
        error = error_local(trial->arena, "%.*s", SLICE_ARGS(writer.error->message));
    arena_release(&writer.arena);
    if (error == NULL)
        trial_verdict(trial, "reads of one moment", torn == 0,
                      arena_printf(trial->arena, "%u of %u saw two", torn, reads));
    return error;
}

/* ---- keys and values ---- */

static struct error *put_extremes(struct trial_step *step, struct store_txn *txn) {
    (void)step;
    static const uint8_t bytes[] = {0x00, 0x41, 0x61, 0x7f, 0x80, 0xc3, 0xff};
    uint8_t *value = arena_zalloc(txn->arena, VALUE_BYTES);
    uint8_t *longest = arena_alloc(txn->arena, STORE_KEY_MAX);
    memset(longest, 0xff, STORE_KEY_MAX);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        struct store_key key = {1, slice_of(&bytes[sizeof(bytes) - 1 - i], 1)};
        store_put(txn, &key, SLICE_LITERAL(""));
    }
    struct store_key key = {1, slice_of(longest, STORE_KEY_MAX)};
    store_put(txn, &key, slice_of(value, VALUE_BYTES));
    return NULL;
}

static struct error *judge_order(struct trial *trial, struct store_txn *txn) {
    struct store_range all = {1, SLICE_NONE, SLICE_NONE};
    struct store_scan *scan = NULL;
    struct slice key, value, last = SLICE_LITERAL("");
    struct error *error = NULL;
    bool sorted = true;
    size_t count = 0;
    TRY(store_scan_open(txn, &all, false, &scan));
    for (bool found = true; error == NULL && found;) {
        error = store_scan_next(scan, &found, &key, &value);
        if (error != NULL || !found)
            break;
        sorted = sorted && slice_compare(last, key) < 0;
        last = arena_slice(txn->arena, key);
        count++;
    }
    store_scan_close(scan);
    if (error == NULL)
        trial_verdict(trial, "keys", sorted && count == 8 && last.len == STORE_KEY_MAX,
                      arena_printf(trial->arena, "%zu of 8, %s", count,
                                   sorted ? "in the order of their bytes" : "out of order"));
    return error;
}

struct error *trial_races(struct trial *trial) {
    struct trial_step extremes = {put_extremes};
    TRY(run_race(trial, SKEW_ROUNDS, exclude_other));
    TRY(run_race(trial, INCREMENTS, increment));
    TRY(reading(trial, judge_races));
    TRY(try_fence(trial));
    TRY(try_moments(trial));
    TRY(trial_commit(trial->stores[0], trial->arena, &extremes, STORE_DURABLE));
    return reading(trial, judge_order);
}
