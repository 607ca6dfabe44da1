/* routes.h - the server's own paths, which the service does not have: all of them under /_gramme/.
 */
#ifndef GRAMME_PIPELINE_ROUTES_H
#define GRAMME_PIPELINE_ROUTES_H

#include "endpoint/endpoint.h"

/* The endpoint's handle_own. */
bool routes_handle(struct exchange *exchange);
/* Where signatures are verified, these paths are the owner's: whether it is them who ask. */
bool routes_are_allowed(struct exchange *exchange);
/* Whether there may be something at this path, besides the console's pages. */
bool routes_know(struct slice path);

#endif
