/* routes.c - a table of paths and their handlers.
 *
 * A handler answers the exchange, or returns false when it has nothing for this method or is not
 * turned on: then nothing has happened, and the request goes the way of all others. Threads: the
 * exchange's I/O thread. */
#include "pipeline/routes.h"

#include "pipeline/clock_route.h"

struct route {
    const char *path;
    bool (*handle)(struct exchange *exchange, const struct pipeline_thread *thread);
};

static const struct route routes[] = {
    {"/_gramme/clock", clock_route_handle},
};

bool routes_handle(struct exchange *exchange) {
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        if (slice_equal(exchange->request.path, slice_text(routes[i].path)))
            return routes[i].handle(exchange, exchange->thread_context);
    return false;
}
