/* service_route.h - requests for the services besides DynamoDB (service/service.h).
 *
 * JSON is told by its target, CBOR by its path, a form by its Version. Whoever asks is known by a
 * signature for that service before anything large is read; what they may do is asked of the same
 * policies. Operations run on a worker, so that a long one holds up nobody. */
#ifndef GRAMME_PIPELINE_SERVICE_ROUTE_H
#define GRAMME_PIPELINE_SERVICE_ROUTE_H

#include "endpoint/endpoint.h"

/* JSON or CBOR. False: it is for none of the services, and nothing has happened. */
bool service_route_handle(struct exchange *exchange);
/* A form, likewise. */
bool service_route_form(struct exchange *exchange);

#endif
