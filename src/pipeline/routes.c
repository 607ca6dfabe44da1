/* routes.c - a table of paths and their handlers.
 *
 * A handler answers the exchange, or returns false when it has nothing for this method or is not
 * turned on: then nothing has happened, and the request goes the way of all others. Threads: the
 * exchange's I/O thread. */
#include "pipeline/routes.h"

#include "console/console.h"
#include "pipeline/clock_route.h"
#include "pipeline/fault_route.h"

struct route {
    const char *path;
    bool (*handle)(struct exchange *exchange, const struct pipeline_thread *thread);
};

static const struct route routes[] = {
    {"/_gramme/clock", clock_route_handle},
    {"/_gramme/faults", fault_route_handle},
};

bool routes_are_allowed(struct exchange *exchange) {
    const struct pipeline_thread *thread = exchange->thread_context;
    struct caller caller = {.kind = CALLER_ANYONE};
    if (thread->authenticator == NULL)
        return true;
    return authenticate(thread->authenticator, exchange, SLICE_LITERAL("dynamodb"),
                        thread->ops.account, &caller) == NULL &&
           caller.kind == CALLER_ROOT;
}

static void refuse(struct exchange *exchange) {
    buffer_append_text(&exchange->reply, "only a key of the owner's may sign for this path\n");
    exchange_reply_with(exchange, &(struct exchange_reply_options){.status = 403});
}

static bool show_console(struct exchange *exchange) {
    const struct pipeline_thread *thread = exchange->thread_context;
    return thread->console != NULL && console_handle(exchange, thread->console);
}

static const struct route *route_at(struct slice path) {
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        if (slice_equal(path, slice_text(routes[i].path)))
            return &routes[i];
    return NULL;
}

bool routes_know(struct slice path) {
    return route_at(path) != NULL;
}

bool routes_handle(struct exchange *exchange) {
    if (show_console(exchange))
        return true;
    const struct route *route = route_at(exchange->request.path);
    if (route == NULL)
        return false;
    if (routes_are_allowed(exchange))
        return route->handle(exchange, exchange->thread_context);
    refuse(exchange);
    return true;
}
