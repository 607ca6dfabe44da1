/* world_route.h - /_gramme/reset and /_gramme/snapshots: a world as new, kept and brought back, for
 * tests of clients.
 *
 *   POST   /_gramme/reset                    everything is as when the server started
 *   GET    /_gramme/snapshots                {"Snapshots": [{"Name": "seeded", "Made": 1.7e9}]}
 *   POST   /_gramme/snapshots                {"Name": "seeded"}: keeps what there is now
 *   POST   /_gramme/snapshots/NAME/restore   as it was then
 *   DELETE /_gramme/snapshots/NAME           forgets it
 *
 * With name spaces a body says whose world it is about: {"AccessKeyId": "test", "Region":
 * "us-east-1"}. A snapshot of one may be restored to another. */
#ifndef GRAMME_SERVER_WORLD_ROUTE_H
#define GRAMME_SERVER_WORLD_ROUTE_H

#include <stdbool.h>

struct exchange;
struct server;

/* False: it is none of these, and nothing has happened. The work is a worker's. */
bool world_route_handle(struct exchange *exchange, struct server *server);

#endif
