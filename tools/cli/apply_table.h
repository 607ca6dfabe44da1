/* apply_table.h - a table of the service as `gramme apply` needs it: what it is like, and one step
 * of a plan. */
#ifndef GRAMME_CLI_APPLY_TABLE_H
#define GRAMME_CLI_APPLY_TABLE_H

#include "cli/service.h"
#include "template/plan.h"

/* Waits until the table stands still, then reads all that a template can say about it.
 * `ret_there` is false when there is no such table. */
struct error *apply_describe(struct service *service, const struct table_state *wanted,
                             struct found_table *ret_found, bool *ret_there);
/* Sends the request and waits for what it sets in motion. */
struct error *apply_step(struct service *service, struct slice table, const struct plan_step *step);

#endif
