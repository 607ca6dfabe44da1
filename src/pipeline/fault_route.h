/* fault_route.h - /_gramme/faults: what is to go wrong, asked for over HTTP, for tests of clients.
 * Only there with `gramme serve --test-faults`. */
#ifndef GRAMME_PIPELINE_FAULT_ROUTE_H
#define GRAMME_PIPELINE_FAULT_ROUTE_H

#include "pipeline/pipeline.h"

/* A route (routes.c). GET lists the faults, POST adds one or a list of them, DELETE takes all away;
 * each answers with the list. */
bool fault_route_handle(struct exchange *exchange, const struct pipeline_thread *thread);

#endif
