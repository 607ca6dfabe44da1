/* chores.h - what the commit thread does besides jobs: fill indexes, forget what has ended, …
 * Private to this folder; commit thread.
 *
 * A chore works in short steps, each a store transaction of its own between two groups of writes,
 * so that a write hardly waits for it, and each step leaves the store so that the next one can go
 * on, also after a crash. A step that fails has changed nothing; it is logged and tried again
 * after a while that doubles from one failure to the next. */
#ifndef GRAMME_ENGINE_CHORES_H
#define GRAMME_ENGINE_CHORES_H

#include <time.h>

#include "base/arena.h"
#include "engine/chore.h"

struct engine;

enum { CHORES_MAX = 16 };

struct chores {
    struct {
        enum chore_state state;
        struct timespec look_at; /* CHORE_WAITING, CHORE_RESTING, and after a failure */
        uint32_t retry_ms;       /* after a failure: how long it waits; 0: it has not failed */
    } each[CHORES_MAX];
};

/* Something may be left over from before: all of them look at once. */
void chores_init(struct chores *chores);
/* Until when to wait for jobs; NULL: as long as it takes. */
const struct timespec *chores_deadline(const struct chores *chores);
/* Runs one step of each chore whose time it is. `all`: of each one, since jobs were run or time was
 * moved. True when a step may have committed something. */
bool chores_run(struct chores *chores, struct engine *engine, struct arena *arena, bool all);

#endif
