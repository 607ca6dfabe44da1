/* totals_follow.h - the task that keeps the totals, by reading the table's stream. */
#ifndef LEDGER_TOTALS_FOLLOW_H
#define LEDGER_TOTALS_FOLLOW_H

#include "common/service.h"

/* Reads changes and adds them to the totals until the service stops, or something fails. Counts the
 * changes that counted, and tells up to when they are in. At the very first it builds the totals
 * from what is there. While another copy builds them it returns at once: it is to be called again a
 * while later. */
enum app_status totals_follow(struct app *app, struct service_counter counters[2]);

/* Says why the stream cannot be read, after a failure, and what to do. */
enum app_status totals_explain_stream(struct app *app);

#endif
