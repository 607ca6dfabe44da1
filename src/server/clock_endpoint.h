/* clock_endpoint.h - /_gramme/clock: the server's time read and moved over HTTP, for tests of
 * applications. Only there with `gramme serve --test-clock`. */
#ifndef GRAMME_SERVER_CLOCK_ENDPOINT_H
#define GRAMME_SERVER_CLOCK_ENDPOINT_H

#include "engine/engine.h"
#include "server/connection.h"

/* GET tells the time; POST moves it, all that the body asks for or nothing, and answers when the
 * engine has stored it. False when the request is not for the clock: nothing has happened. */
bool clock_endpoint_handle(struct exchange *exchange, struct movable_clock *clock,
                           struct engine *engine);

#endif
