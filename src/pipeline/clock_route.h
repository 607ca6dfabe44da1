/* clock_route.h - /_gramme/clock: the server's time read and moved over HTTP, for tests of
 * applications. Only there with `gramme serve --test-clock`. */
#ifndef GRAMME_PIPELINE_CLOCK_ROUTE_H
#define GRAMME_PIPELINE_CLOCK_ROUTE_H

#include "pipeline/pipeline.h"

/* A route (routes.c). GET tells the time; POST moves it, all that the body asks for or nothing, and
 * answers when the engine has stored it. */
bool clock_route_handle(struct exchange *exchange, const struct pipeline_thread *thread);

#endif
