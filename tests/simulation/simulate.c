/* simulate.c - lives of an engine by the thousand, each moment of which follows from a seed.
 *
 * The seeds are 1 and the next ones, a fixed number of them. GRAMME_SEED=n runs that one alone.
 * GRAMME_FIRST_SEED=n begins with another one, and GRAMME_SECONDS=s tries further ones for so long.
 * Before, two canaries: that a seed repeats itself exactly, and that damage to the store is
 * noticed. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "simulation/world.h"
#include "store/fault/fault.h"

enum { SEEDS = 4, TURNS = 2000, CHANGES_PER_DAY_MAX = 2500, DAY_MS = 86400 * 1000 };

/* ---- one turn ---- */

static int64_t some_time_ms(struct world *world, size_t *day_began) {
    struct chance *c = &world->chance;
    if (world->model.change_count - *day_began > CHANGES_PER_DAY_MAX) {
        *day_began = world->model.change_count;
        return chance_once_in(c, 4) ? (int64_t)36 * DAY_MS : (int64_t)DAY_MS + 4 * 3600 * 1000;
    }
    switch (chance_below(c, 40)) {
    case 0:
        return chance_below(c, 40000);
    case 1:
        return chance_once_in(c, 10) ? 700 * 1000 : 1500;
    default:
        return chance_once_in(c, 3) ? chance_below(c, 50) : 0;
    }
}

/* What goes wrong in this turn, if anything. */
static void arm(struct world *world, bool told) {
    struct chance *c = &world->chance;
    if (chance_once_in(c, 20) && !told) {
        world->dying = true;
        world->gone_applied = chance_once_in(c, 2);
        if (world->gone_applied)
            fault_store_arm(world->store, FAULT_GONE_APPLIED, 1 + (uint64_t)chance_below(c, 3));
        else
            fault_store_arm(world->store, FAULT_ERROR_FROM_HERE, 1 + (uint64_t)chance_below(c, 20));
    } else if (chance_once_in(c, 15)) {
        fault_store_arm(world->store, chance_once_in(c, 3) ? FAULT_CONFLICT : FAULT_ERROR,
                        1 + (uint64_t)chance_below(c, 12));
    }
}

static void turn(struct world *world, size_t *day_began) {
    struct chance *c = &world->chance;
    bool told = world_pass(world, some_time_ms(world, day_began));
    jobs_submit(world);
    if (chance_once_in(c, 3))
        checks_read_one(world);
    if (world->scan.open || chance_once_in(c, 20))
        checks_scan(world);
    arm(world, told);
    if (!chance_once_in(c, 12) || !settings_change(world))
        engine_step(world->fixture.engine);
    world->steps++;
    bool fired = fault_store_fired(world->store);
    world->faults += fired;
    if (world->dying && fired) {
        world->crashes++;
        world_end_life(world);
        world_open(world);
        return;
    }
    fault_store_arm(world->store, FAULT_NONE, 0);
    world->dying = false;
    jobs_end(world);
    checks_expired(world);
    settings_look(world);
}

/* Until nothing is under way any more. */
static void settle(struct world *world) {
    for (int i = 0; i < 200; i++) {
        world_pass(world, 1000);
        engine_step(world->fixture.engine);
        checks_expired(world);
        settings_look(world);
    }
    if (world->restoring)
        world_fail(world, "a restore does not end");
    checks_expired(world);
    if (checks_due(world) > 0)
        world_fail(world, "what has expired stays");
    checks_all(world);
}

static void run_turns(struct world *world, int turns) {
    size_t day_began = 0;
    for (int i = 1; i <= turns; i++) {
        turn(world, &day_began);
        if (i % 40 == 0)
            checks_all(world);
        if (i % 500 == 0) {
            settle(world);
            world_end_life(world);
            world_open(world);
        }
    }
}

/* ---- canaries ---- */

/* Takes the last record out of a keyspace: of the changes one that the stream must tell. */
static void damage(struct world *world, uint8_t keyspace) {
    struct store_txn *txn;
    struct store_scan *scan;
    struct slice key, value;
    enum store_outcome outcome;
    bool found;
    struct arena *arena = &world->fixture.arena;
    struct store_range all = {.keyspace = keyspace};
    CHECK(store_begin(world->base, arena, STORE_WRITE, &txn) == NULL);
    CHECK(store_scan_open(txn, &all, true, &scan) == NULL);
    CHECK(store_scan_next(scan, &found, &key, &value) == NULL && found);
    struct store_key last = {keyspace, arena_slice(arena, key)};
    store_scan_close(scan);
    store_delete(txn, &last);
    CHECK(store_commit(txn, STORE_DURABLE, &outcome) == NULL && outcome == STORE_COMMITTED);
    store_end(txn);
}

/* In a process of its own, which ends as soon as something is wrong. */
static bool is_noticed(uint64_t seed, uint8_t keyspace) {
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct world world;
        CHECK(freopen("/dev/null", "w", stdout) != NULL);
        world_init(&world, seed);
        run_turns(&world, 100);
        damage(&world, keyspace);
        checks_all(&world);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static uint64_t digest_of(uint64_t seed, int turns) {
    struct world world;
    world_init(&world, seed);
    run_turns(&world, turns);
    world_release(&world);
    return world.digest;
}

/* ---- all ---- */

/* Of a clock of the machine; clock_gettime() is the simulation's. */
static int64_t real_ms(clockid_t id) {
    struct timespec now;
    CHECK(syscall(SYS_clock_gettime, id, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long number_from(const char *name, long fallback) {
    const char *text = getenv(name);
    return text == NULL ? fallback : strtol(text, NULL, 10);
}

struct totals {
    uint64_t steps, writes, refused, crashes, faults, backups, restores, replays, expired, checks;
};

static void run_seed(uint64_t seed, struct totals *totals) {
    struct world world;
    world_init(&world, seed);
    run_turns(&world, TURNS);
    world_release(&world);
    totals->steps += world.steps;
    totals->writes += world.writes;
    totals->refused += world.refused;
    totals->crashes += world.crashes;
    totals->faults += world.faults;
    totals->backups += world.backups;
    totals->restores += world.restores;
    totals->replays += world.replays;
    totals->expired += world.expired;
    totals->checks += world.checks;
}

static void run_seeds(uint64_t seed, bool one) {
    struct totals t = {0};
    unsigned long long count = 0;
    int64_t used = real_ms(CLOCK_PROCESS_CPUTIME_ID);
    int64_t end = real_ms(CLOCK_MONOTONIC) + number_from("GRAMME_SECONDS", 0) * 1000;
    while (count < (one ? 1 : SEEDS) || (!one && real_ms(CLOCK_MONOTONIC) < end))
        run_seed(seed + count++, &t);
    used = real_ms(CLOCK_PROCESS_CPUTIME_ID) - used + 1;
    printf(
        "ok 3 - seeds %llu to %llu: %llu steps, %lld in a second of a processor, %llu writes, %llu "
        "cancelled, "
        "%llu crashes, %llu faults, %llu backups, %llu restores, %llu replays, %llu expired, "
        "%llu checks of everything\n",
        (unsigned long long)seed, (unsigned long long)(seed + count - 1),
        (unsigned long long)t.steps, (long long)t.steps * 1000 / (long long)used,
        (unsigned long long)t.writes, (unsigned long long)t.refused, (unsigned long long)t.crashes,
        (unsigned long long)t.faults, (unsigned long long)t.backups, (unsigned long long)t.restores,
        (unsigned long long)t.replays, (unsigned long long)t.expired, (unsigned long long)t.checks);
}

int main(void) {
    bool one = getenv("GRAMME_SEED") != NULL;
    uint64_t seed = (uint64_t)number_from("GRAMME_SEED", number_from("GRAMME_FIRST_SEED", 1));
    printf("1..3\n");
    printf("%s 1 - a seed repeats itself\n",
           digest_of(seed, 300) == digest_of(seed, 300) ? "ok" : "not ok");
    bool noticed = true;
    for (uint8_t keyspace = KEYSPACE_ITEMS; keyspace <= KEYSPACE_CHANGES; keyspace++)
        noticed = is_noticed(1, keyspace) && is_noticed(2, keyspace) && noticed;
    printf("%s 2 - damage is noticed\n", noticed ? "ok" : "not ok");
    run_seeds(seed, one);
    return 0;
}
