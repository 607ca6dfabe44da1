/* engine.c - opening and closing. */
#include "engine/engine.h"

#include <stdlib.h>

#include "base/check.h"
#include "engine/clock_job.h"
#include "engine/commit.h"
#include "engine/hold.h"
#include "engine/load.h"
#include "engine/state.h"
#include "engine/write.h"
#include "model/limits.h"

static struct error *load(struct engine *engine, struct arena *arena) {
    bool follows = engine->options.follows, joins = engine->options.joins;
    TRY((follows || joins ? format_find : format_load_or_create)(&engine->format, &engine->options,
                                                                 arena));
    TRY(engine_load(engine, arena));
    engine->time_at_open_ms = sequence_ms(engine->sequence.last);
    if (!follows && !joins && hold_is_needed(engine->store))
        TRY(commit_keep_time(engine, arena));
    return follows ? NULL : commit_start(engine, arena);
}

static void free_engine(struct engine *engine) {
    copies_clear(&engine->copies);
    reclaim_clear(&engine->reclaims);
    catalog_release(&engine->catalog);
    store_close(engine->store); /* whose thread may still be on its way back from the queue */
    commit_queue_release(&engine->queue);
    recent_release(&engine->recent);
    free(engine);
}

struct error *engine_open(struct arena *arena, const struct engine_options *options,
                          struct engine **ret_engine) {
    struct engine *engine = calloc(1, sizeof(*engine));
    CHECK(engine != NULL);
    engine->options = *options;
    if (options->collection_bytes_max == 0)
        engine->options.collection_bytes_max = LIMIT_COLLECTION_BYTES;
    engine->store = options->store;
    engine->eventual = options->eventual;
    catalog_init(&engine->catalog, options->throttle);
    commit_queue_init(&engine->queue);
    recent_init(&engine->recent, engine->store);
    struct error *error = load(engine, arena);
    if (error != NULL) {
        free_engine(engine);
        return error;
    }
    *ret_engine = engine;
    return NULL;
}

void engine_step(struct engine *engine) {
    commit_step(engine);
}

uint64_t engine_damage_found(const struct engine *engine) {
    return atomic_load(&engine->damage.found);
}

size_t engine_queue_length(struct engine *engine) {
    return commit_queue_length(&engine->queue);
}

bool engine_is_shared(const struct engine *engine) {
    return hold_is_needed(engine->store);
}

uint32_t engine_groups(const struct engine *engine) {
    return engine->store->groups;
}

uint32_t engine_group_of(const struct engine *engine, const struct item_write *write) {
    return (uint32_t)__builtin_ctzll(
        hold_groups_of(engine->store, &write->table->definition, write->store_key));
}

bool engine_store_is_far(const struct engine *engine) {
    return store_can(engine->store, STORE_REMOTE);
}

struct catalog *engine_catalog(struct engine *engine) {
    return &engine->catalog;
}

struct error *engine_reload(struct engine *engine, struct arena *arena) {
    struct load_job job = {.waited.job.kind = JOB_LOAD, .arena = arena};
    commit_queue_put_and_wait(&engine->queue, &job.waited);
    return job.error;
}

struct error *engine_look_again(struct engine *engine, struct arena *arena) {
    CHECK(engine->options.follows);
    return engine_load(engine, arena);
}

void engine_time_moved(struct engine *engine) {
    commit_queue_wake(&engine->queue);
}

enum clock_moved engine_move_clock(struct engine *engine, struct movable_clock *clock,
                                   const struct clock_move *move, int64_t *ret_now_ms) {
    struct clock_job job = {.waited.job.kind = JOB_CLOCK, .clock = clock, .move = move};
    commit_queue_put_and_wait(&engine->queue, &job.waited);
    *ret_now_ms = job.now_ms;
    return job.outcome;
}

int64_t engine_time_at_open_ms(const struct engine *engine) {
    return engine->time_at_open_ms;
}

void engine_close(struct engine *engine) {
    if (engine == NULL)
        return;
    if (!engine->options.follows)
        commit_stop(engine);
    free_engine(engine);
}
