/* chores.c - which chores there are, and when each has its turn. */
#include "engine/chores.h"

#include "base/deadline.h"
#include "base/log.h"
#include "engine/backfill.h"
#include "engine/backup_change.h"
#include "engine/copy_step.h"
#include "engine/history_keep.h"
#include "engine/others.h"
#include "engine/reclaim.h"
#include "engine/state.h"
#include "engine/stream_keep.h"
#include "engine/sweep.h"

struct chore {
    const char *name; /* for the log */
    struct error *(*step)(struct engine *engine, struct arena *arena, enum chore_state *ret_state);
};

/* Those that belong to one owner need not know the engine. */

static struct error *forget_tokens(struct engine *engine, struct arena *arena,
                                   enum chore_state *ret_state) {
    return token_keeper_trim(&engine->tokens, engine->store, arena,
                             clock_now_ms(engine->options.clock), ret_state);
}

static struct error *give_back_room(struct engine *engine, struct arena *arena,
                                    enum chore_state *ret_state) {
    return reclaim_step(&engine->reclaims, engine->store, arena, ret_state);
}

static const struct chore list[] = {
    {.name = "filling an index", .step = backfill_step},
    {.name = "deleting expired items", .step = sweep_step},
    {.name = "forgetting request tokens", .step = forget_tokens},
    {.name = "copying a table", .step = copy_step},
    {.name = "dropping old history", .step = history_trim},
    {.name = "forgetting backups", .step = backup_expire},
    {.name = "giving back room", .step = give_back_room},
    {.name = "keeping streams", .step = stream_keep},
    {.name = "looking at other servers", .step = others_step},
};

enum {
    CHORE_COUNT = sizeof(list) / sizeof(list[0]),
    LOOK_MS = 1000,
    REST_MS = 3,
    RETRY_MS_MIN = 50,
    RETRY_MS_MAX = 30 * 1000,
};

_Static_assert((int)CHORE_COUNT <= (int)CHORES_MAX, "CHORES_MAX is too small");

void chores_init(struct chores *chores) {
    *chores = (struct chores){0};
    for (size_t i = 0; i < CHORE_COUNT; i++)
        chores->each[i].state = CHORE_STEPPED;
}

static bool has_time(enum chore_state state) {
    return state == CHORE_WAITING || state == CHORE_RESTING;
}

const struct timespec *chores_deadline(const struct chores *chores) {
    static const struct timespec at_once = {0, 0};
    const struct timespec *first = NULL;
    for (size_t i = 0; i < CHORE_COUNT; i++) {
        if (chores->each[i].state == CHORE_STEPPED)
            return &at_once;
        if (has_time(chores->each[i].state) &&
            (first == NULL || deadline_before(&chores->each[i].look_at, first)))
            first = &chores->each[i].look_at;
    }
    return first;
}

static void failed(struct chores *chores, size_t i, const struct error *error) {
    log_error("%s: %.*s", list[i].name, SLICE_ARGS(error->message));
    uint32_t retry_ms = chores->each[i].retry_ms * 2;
    if (retry_ms == 0)
        retry_ms = RETRY_MS_MIN;
    chores->each[i].retry_ms = retry_ms < RETRY_MS_MAX ? retry_ms : RETRY_MS_MAX;
    chores->each[i].state = CHORE_WAITING;
    chores->each[i].look_at = deadline_after_ms(chores->each[i].retry_ms);
}

static void run_step(struct chores *chores, size_t i, struct engine *engine, struct arena *arena) {
    struct error *error = list[i].step(engine, arena, &chores->each[i].state);
    if (error != NULL) {
        failed(chores, i, error);
    } else {
        chores->each[i].retry_ms = 0;
        if (has_time(chores->each[i].state))
            chores->each[i].look_at =
                deadline_after_ms(chores->each[i].state == CHORE_WAITING ? LOOK_MS : REST_MS);
    }
    arena_reset(arena);
}

/* After a failure, and when it gives way to others, a chore waits for its time whatever happens. */
static bool has_turn(const struct chores *chores, size_t i, bool all) {
    if (chores->each[i].state == CHORE_STEPPED)
        return true;
    if (has_time(chores->each[i].state) && deadline_passed(&chores->each[i].look_at))
        return true;
    return all && chores->each[i].retry_ms == 0 && chores->each[i].state != CHORE_RESTING;
}

bool chores_run(struct chores *chores, struct engine *engine, struct arena *arena, bool all) {
    bool stepped = false;
    for (size_t i = 0; i < CHORE_COUNT; i++) {
        if (!has_turn(chores, i, all))
            continue;
        run_step(chores, i, engine, arena);
        stepped = stepped || chores->each[i].state == CHORE_STEPPED ||
                  chores->each[i].state == CHORE_RESTING;
    }
    return stepped;
}
