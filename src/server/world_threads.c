/* world_threads.c - see world_threads.h. */
#include "server/world_threads.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "base/ticks.h"
#include "pipeline/authenticate.h"
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

/* A request whose world is not open yet. In the exchange's arena. */
struct early_request {
    struct world_wait wait;
    struct exchange *exchange;
};

/* ---- contexts ---- */

/* Takes the world over. */
static struct thread_world *enter_new(struct server_thread *thread, struct world *world) {
    struct thread_world *here = calloc(1, sizeof(*here));
    CHECK(here != NULL);
    here->world = world;
    here->pipeline.owner = thread;
    here->pipeline.pages = thread->pipeline.pages;
    here->pipeline.console = thread->pipeline.console;
    server_thread_fill(here->world, &here->pipeline);
    here->next = thread->worlds;
    thread->worlds = here;
    return here;
}

/* That a world was left is seen by whoever comes after the answer that says so. NULL: none. */
static struct thread_world *find_here(const struct server_thread *thread,
                                      const struct world_name *name) {
    const char *key = name == NULL ? "" : name->key;
    for (struct thread_world *here = thread->worlds; here != NULL; here = here->next) {
        const struct world_name *named = &here->world->name;
        if (!atomic_load(&here->world->left) && strcmp(named->key, key) == 0 &&
            (name == NULL || strcmp(named->region, name->region) == 0))
            return here;
    }
    return NULL;
}

static void leave(struct exchange *exchange) {
    struct thread_world *here = exchange->thread_context;
    exchange->thread_context = here->pipeline.owner;
    here->calls--;
    atomic_fetch_sub(&here->world->calls, 1);
}

/* NULL: it is of no name, and is answered by the server's own world, with an error mostly. Keys
 * that are too long for one would share that: an error. */
static struct error *name_of(struct exchange *exchange, const struct server_thread *thread,
                             const struct world_name **ret_name) {
    struct slice key, region;
    if (!thread->server->config.name_spaces || !authenticate_scope(exchange, &key, &region))
        return NULL;
    if (key.len > WORLD_KEY_MAX)
        return error_validation(&exchange->arena, "An access key has at most %d bytes here",
                                WORLD_KEY_MAX);
    struct world_name *name = ARENA_NEW(&exchange->arena, struct world_name);
    *ret_name = world_name_read(key, region, name) ? name : NULL;
    return NULL;
}

static void refuse(struct exchange *exchange, const struct error *error) {
    buffer_printf(&exchange->reply,
                  "{\"__type\":\"com.amazonaws.dynamodb.v20120810#%s\",\"message\":\"%.*s\"}",
                  error_kind(error->code)->type, SLICE_ARGS(error->message));
    exchange_reply(exchange, error_kind(error->code)->http_status);
}

static void resume(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    const struct early_request *early = exchange->user;
    if (early->wait.error != NULL)
        refuse(exchange, early->wait.error);
    else
        exchange_try_again(exchange);
}

static void opened(struct world_wait *wait) {
    struct exchange *exchange = container_of(wait, struct early_request, wait)->exchange;
    exchange->task.run = resume;
    net_loop_post(exchange->loop, &exchange->task);
}

/* NULL: it was answered, or waits until its world is open and is handled anew then. */
static struct thread_world *find_or_wait(struct server_thread *thread, struct exchange *exchange,
                                         const struct world_name *name) {
    struct world *world = NULL;
    struct early_request *early = ARENA_NEW(&exchange->arena, struct early_request);
    early->exchange = exchange;
    early->wait = (struct world_wait){.arena = &exchange->arena, .opened = opened};
    const struct error *error = worlds_find(thread->server, name, &early->wait, &world);
    if (world != NULL)
        return enter_new(thread, world);
    exchange->user = early;
    if (error != NULL)
        refuse(exchange, error);
    return NULL;
}

/* In this order, for world_room.h. False: the world was left. */
static bool call_begins(struct world *world) {
    atomic_fetch_add(&world->calls, 1);
    if (atomic_load(&world->left)) {
        atomic_fetch_sub(&world->calls, 1);
        return false;
    }
    atomic_store_explicit(&world->used, ticks_now(), memory_order_relaxed);
    return true;
}

/* False: it was answered, or will be. */
static bool enter(struct exchange *exchange) {
    const struct pipeline_thread *pipeline = exchange->thread_context;
    struct server_thread *thread = pipeline->owner;
    const struct world_name *name = NULL;
    struct thread_world *here = NULL;
    const struct error *error = name_of(exchange, thread, &name);
    if (error != NULL) {
        refuse(exchange, error);
        return false;
    }
    do {
        here = find_here(thread, name);
        if (here == NULL)
            here = find_or_wait(thread, exchange, name);
        if (here == NULL)
            return false;
    } while (!call_begins(here->world));
    here->calls++;
    here->idle_ticks = 0;
    exchange->thread_context = here;
    exchange->ended = leave;
    return true;
}

/* Takes the first out of the list. */
static void forget(struct thread_world **link) {
    struct thread_world *here = *link;
    *link = here->next;
    server_thread_empty(&here->pipeline);
    meters_leave(here->world->meters, here->pipeline.meter.thread);
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
    if (enter(exchange))
        pipeline_handle(exchange);
}

void world_threads_handle_form(struct exchange *exchange) {
    if (enter(exchange))
        query_handle(exchange);
}

/* One that nobody here knows was in no world. */
static bool handled(struct exchange *exchange, bool (*handle)(struct exchange *exchange)) {
    if (!enter(exchange) || handle(exchange))
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
    return (thread->server->config.test_reset && world_route_handle(exchange, thread->server)) ||
           handled(exchange, routes_handle);
}
