/* world.c - putting a database together, and taking it apart in reverse. */
#include "server/world.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/ticks.h"
#include "crypto/keyring.h"
#include "pipeline/faults.h"
#include "publish/gathering.h"
#include "publish/publisher.h"
#include "server/access.h"
#include "server/services.h"
#include "server/state.h"
#include "throttle/limits.h"

enum { EXPR_CACHE_ENTRIES = 1024 };

/* ---- contexts ---- */

struct op_context world_context(struct world *world, struct engine *engine) {
    const struct server *server = world->server;
    return (struct op_context){
        .engine = engine,
        .catalog = catalog_view_new(engine_catalog(engine)),
        .exprs = expr_cache_new(EXPR_CACHE_ENTRIES),
        .clock = world->clock,
        .random = &system_random,
        .throttle = world->throttle,
        .store_is_far = engine_store_is_far(engine),
        .region = slice_text(world->name.region),
        .account = slice_text(server->config.account),
        .leniencies = server->config.leniencies,
        .endpoint = server->endpoint_name,
        .ask = pipeline_ask,
    };
}

void world_context_end(struct op_context *context) {
    catalog_view_free(context->catalog);
    expr_cache_free(context->exprs);
}

static struct op_context context_here(void *user) {
    struct world *world = user;
    return world_context(world, world->engine);
}

/* ---- life ---- */

/* Regions stand in ARNs. */
static bool is_region(struct slice text) {
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
            return false;
    }
    return text.len >= 1 && text.len <= WORLD_REGION_MAX;
}

bool world_name_read(struct slice key, struct slice region, struct world_name *ret_name) {
    if (key.len < 1 || key.len > WORLD_KEY_MAX || memchr(key.data, '\0', key.len) != NULL ||
        !is_region(region))
        return false;
    snprintf(ret_name->key, sizeof(ret_name->key), "%.*s", SLICE_ARGS(key));
    snprintf(ret_name->region, sizeof(ret_name->region), "%.*s", SLICE_ARGS(region));
    return true;
}

bool world_name_equal(const struct world_name *a, const struct world_name *b) {
    return strcmp(a->key, b->key) == 0 && strcmp(a->region, b->region) == 0;
}

struct world *world_new(struct server *server, const struct world_name *name) {
    const struct server_config *config = &server->config;
    struct world *world = calloc(1, sizeof(*world));
    CHECK(world != NULL && pthread_mutex_init(&world->unverified_lock, NULL) == 0);
    world->server = server;
    if (name != NULL)
        world->name = *name;
    else
        snprintf(world->name.region, sizeof(world->name.region), "%s", config->region);
    atomic_init(&world->holders, 1);
    atomic_init(&world->used, ticks_now());
    world->meters = meters_new();
    world->commit_meters = meters_join(world->meters);
    world->slow.least_ns = (uint64_t)config->slow_ms * 1000000;
    world->slow.last_sync_ns = &meter_commit(world->commit_meters)->last_sync_ns;
    movable_clock_init(&world->movable);
    steady_clock_init(&world->steady, (int64_t)config->clock_hold_ms);
    world->clock = config->test_clock ? &world->movable.clock : &world->steady.clock;
    world->gathering =
        gathering_new(&(struct gathering_options){world->meters, world->clock, server->operations});
    if (config->throttle)
        world->throttle = throttle_new(world->clock, config->burst_seconds);
    if (config->test_faults)
        world->faults = faults_new();
    contexts_init(&world->contexts, context_here, world_context_end, world);
    return world;
}

/* A clock that was moved in the last run must not go back in this one: it starts at the time of
 * the last change when that is ahead. */
static void catch_up(struct world *world) {
    struct clock_move move = {.now_ms = engine_time_at_open_ms(world->engine)};
    if (world->server->config.test_clock)
        movable_clock_move(&world->movable, &move);
}

struct error *world_open(struct world *world, struct arena *arena, struct store *store) {
    const struct server_config *config = &world->server->config;
    struct engine_options options = {
        .store = store,
        .durability = config->durability == SERVER_RELAXED ? STORE_RELAXED : STORE_DURABLE,
        .sync_interval_ms = SERVER_RELAXED_SYNC_MS,
        .clock = world->clock,
        .random = &system_random,
        .ttl_delay_ms = (int64_t)config->ttl_delay_ms,
        .transaction_conflicts = config->transaction_conflicts,
        .leniencies = config->leniencies,
        .throttle = world->throttle,
        .plain_files = config->data_directory != NULL && config->encrypt_with == NULL,
        .meters = world->commit_meters,
    };
    TRY(engine_open(arena, &options, &world->engine));
    world->store = store;
    catch_up(world);
    return NULL;
}

static struct error *start_publisher(struct world *world, struct arena *arena) {
    struct publisher_options options = {
        .gathering = world->gathering,
        .series = services_series(world->services),
        .engine = world->engine,
        .clock = world->clock,
    };
    return publisher_start(arena, &options, &world->publisher);
}

struct error *world_start(struct world *world, struct arena *arena) {
    TRY(world_open_services(world, arena));
    return start_publisher(world, arena);
}

void world_close(struct world *world) {
    if (world->server->config.test_clock && world->engine != NULL)
        engine_time_moved(world->engine); /* it keeps the time, for the next run */
    publisher_stop(world->publisher);
    services_close(world->services);
    if (world->inside.catalog != NULL)
        world_context_end(&world->inside);
    contexts_release(&world->contexts);
    access_close(world->unverified);
    pthread_mutex_destroy(&world->unverified_lock);
    engine_close(world->engine);
    keyring_free(world->keyring);
    faults_free(world->faults);
    throttle_free(world->throttle);
    gathering_free(world->gathering);
    meters_free(world->meters);
    free(world);
}
