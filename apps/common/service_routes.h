/* service_routes.h - finding a request's route, and checking what it brings. Private to the frame.
 */
#ifndef APPS_COMMON_SERVICE_ROUTES_H
#define APPS_COMMON_SERVICE_ROUTES_H

#include <stdio.h>

#include "common/service.h"

/* Splits `path` in place: what stands for the {names} is kept in `ret_values`. NULL when there is
 * no such path, or, with *ret_other_method set, none for the method. */
const struct service_route *routes_find(const struct service_route *routes, const char *method,
                                        char *path, const char *ret_values[SERVICE_PATH_MAX],
                                        bool *ret_other_method);
/* What the route asks for is there, and of its type. Says what is not. */
enum app_status routes_check(const struct service_route *route, const struct service_call *call);

/* The description of all routes, OpenAPI 3.1, to the stream. */
void routes_describe(FILE *out, const char *program, const char *summary,
                     const struct service_route *routes);

#endif
