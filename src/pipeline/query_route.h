/* query_route.h - requests of the query protocol: a form in, XML out. STS speaks it only, other
 * services too (service_route.h).
 *
 * Services are told apart by the Version that a form names; each is signed for by its own name. */
#ifndef GRAMME_PIPELINE_QUERY_ROUTE_H
#define GRAMME_PIPELINE_QUERY_ROUTE_H

#include "endpoint/endpoint.h"

/* The endpoint's handle_form. */
void query_handle(struct exchange *exchange);

#endif
