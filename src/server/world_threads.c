/* world_threads.c - see world_threads.h. */
#include "server/world_threads.h"

#include <stdlib.h>

#include "base/check.h"
#include "pipeline/query_route.h"
#include "pipeline/routes.h"
#include "pipeline/service_route.h"
#include "server/state.h"
#include "server/world.h"
#include "server/world_route.h"
#include "server/worlds.h"

/* Of an I/O thread's ticks: about two seconds. */
enum { IDLE_TICKS = 8 };

/* What an I/O thread has of a world. */
struct thread_world {
    struct pipeline_thread pipeline; /* exchange->thread_context of its requests */
    struct world *world;             /* held */
    size_t calls;                    /* under way here */
    unsigned idle_ticks;
    struct thread_world *next;
};

/* ---- contexts ---- */

static struct thread_world *enter_new(struct server_thread *thread) {
    struct thread_world *here = calloc(1, sizeof(*here));
    CHECK(here != NULL);
    here->world = worlds_take(thread->server);
    here->pipeline.owner = thread;
    here->pipeline.pages = thread->pipeline.pages;
    here->pipeline.console = thread->pipeline.console;
    server_thread_fill(here->world, &here->pipeline);
    here->next = thread->worlds;
    thread->worlds = here;
    return here;
}

/* That a world was left is seen by whoever comes after the answer that says so. */
static struct thread_world *current(struct server_thread *thread) {
    for (struct thread_world *here = thread->worlds; here != NULL; here = here->next)
        if (!atomic_load(&here->world->left))
            return here;
    return enter_new(thread);
}

static void leave(struct exchange *exchange) {
    struct thread_world *here = exchange->thread_context;
    exchange->thread_context = here->pipeline.owner;
    here->calls--;
}

static void enter(struct exchange *exchange) {
    const struct pipeline_thread *pipeline = exchange->thread_context;
    struct thread_world *here = current(pipeline->owner);
    here->calls++;
    here->idle_ticks = 0;
    exchange->thread_context = here;
    exchange->ended = leave;
}

/* Takes the first out of the list. */
static void forget(struct thread_world **link) {
    struct thread_world *here = *link;
    *link = here->next;
    server_thread_empty(&here->pipeline);
    worlds_give(here->world);
    free(here);
}

void world_threads_sent(struct server_thread *thread) {
    for (struct thread_world **link = &thread->worlds; *link != NULL;) {
        struct thread_world *here = *link;
        call_meter_sent(&here->pipeline.meter);
        if (here->calls == 0 && atomic_load(&here->world->left))
            forget(link);
        else
            link = &here->next;
    }
}

bool world_threads_ticked(struct server_thread *thread) {
    for (struct thread_world **link = &thread->worlds; *link != NULL;) {
        struct thread_world *here = *link;
        if (here->calls == 0 &&
            (++here->idle_ticks > IDLE_TICKS || atomic_load(&here->world->left)))
            forget(link);
        else
            link = &here->next;
    }
    return thread->worlds != NULL;
}

void world_threads_forget(struct server_thread *thread) {
    while (thread->worlds != NULL)
        forget(&thread->worlds);
}

/* ---- handlers ---- */

void world_threads_handle(struct exchange *exchange) {
    enter(exchange);
    pipeline_handle(exchange);
}

void world_threads_handle_form(struct exchange *exchange) {
    enter(exchange);
    query_handle(exchange);
}

/* One that nobody here knows was in no world. */
static bool handled(struct exchange *exchange, bool (*handle)(struct exchange *exchange)) {
    enter(exchange);
    if (handle(exchange))
        return true;
    exchange->ended = NULL;
    leave(exchange);
    return false;
}

bool world_threads_handle_service(struct exchange *exchange) {
    return handled(exchange, service_route_handle);
}

bool world_threads_handle_own(struct exchange *exchange) {
    const struct pipeline_thread *pipeline = exchange->thread_context;
    const struct server_thread *thread = pipeline->owner;
    return world_route_handle(exchange, thread->server) || handled(exchange, routes_handle);
}
