/* world.c - lives and deaths.
 *
 * The clocks of the machine are replaced, for the whole program, by one that stands still, and so
 * is the log, which would tell of every fault that was injected. */
#include "simulation/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "store/fault/fault.h"
#include "support/shared_store.h"

#define START_MS INT64_C(2000000000000)

static int64_t passed_ms;

int clock_gettime(clockid_t id, struct timespec *ret_now) {
    (void)id;
    *ret_now = (struct timespec){1000 + passed_ms / 1000, passed_ms % 1000 * 1000000};
    return 0;
}

void log_info(const char *format, ...) {
    (void)format;
}

void log_warning(const char *format, ...) {
    (void)format;
}

void log_error(const char *format, ...) {
    (void)format;
}

void log_repeated_error(const char *format, ...) {
    (void)format;
}

void world_fail(struct world *world, const char *format, ...) {
    va_list arguments;
    printf("not ok - seed %llu, step %llu: ", (unsigned long long)world->seed,
           (unsigned long long)world->steps);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n# repeat: GRAMME_SEED=%llu build-check/tests/simulation/simulate\n",
           (unsigned long long)world->seed);
    fflush(stdout);
    _exit(1);
}

/* FNV-1a */
void world_note(struct world *world, const char *what) {
    for (; *what != '\0'; what++)
        world->digest = (world->digest ^ (uint8_t)*what) * UINT64_C(1099511628211);
}

int64_t world_now_ms(void) {
    return START_MS + passed_ms;
}

bool world_pass(struct world *world, int64_t ms) {
    passed_ms += ms;
    fixture_clock.now_ms = world_now_ms();
    bool told = ms > 0 && chance_once_in(&world->chance, 2);
    if (told)
        engine_time_moved(world->fixture.engine);
    return told;
}

static void fill_seeded(const struct random *random, void *bytes, size_t size) {
    (void)random;
    memset(bytes, 7, size);
}

void world_open(struct world *world) {
    static const struct random seeded = {fill_seeded};
    world->store = fault_store_new(shared_store_again(world->base));
    struct engine_options options = fixture_options(world->store);
    options.clock = &fixture_clock.clock;
    options.random = &seeded;
    options.stepped = true;
    struct error *error = fixture_open_with(&world->fixture, &options);
    if (error != NULL)
        world_fail(world, "it does not open: %.*s", SLICE_ARGS(error->message));
    world->dying = false;
    if (fixture_table(&world->fixture, "T") == NULL) {
        CHECK(fixture_create_indexed(&world->fixture, "T") == NULL);
        CHECK(fixture_set_stream(&world->fixture, "T", STREAM_NEW_AND_OLD) == NULL);
        return;
    }
    jobs_resolve(world);
    settings_resolve(world);
    checks_expired(world);
}

void world_end_life(struct world *world) {
    checks_scan_close(world);
    fixture_close(&world->fixture);
    world->fixture.engine = NULL;
}

void world_init(struct world *world, uint64_t seed) {
    *world =
        (struct world){.seed = seed, .chance = {seed}, .digest = UINT64_C(14695981039346656037)};
    passed_ms = 0;
    fixture_clock.now_ms = world_now_ms();
    world->base = shared_store_new(fixture_store());
    world->programs = expr_cache_new(64);
    world_open(world);
}

void world_release(struct world *world) {
    checks_scan_close(world);
    fixture_close(&world->fixture);
    expr_cache_free(world->programs);
    store_close(world->base);
    model_release(&world->model);
}
