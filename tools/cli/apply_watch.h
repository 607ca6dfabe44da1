/* apply_watch.h - alarms, dashboards and auto scaling of the service as `gramme apply` needs them.
 */
#ifndef GRAMME_CLI_APPLY_WATCH_H
#define GRAMME_CLI_APPLY_WATCH_H

#include "cli/service.h"
#include "template/watch.h"

/* What its service has of it. ERROR_UNKNOWN_OPERATION: the server has no such service. */
struct error *apply_find_watch(struct service *service, const struct wanted_watch *wanted,
                               struct found_watch *ret_found);

#endif
