/* audit_follow.h - makes an entry of the audit trail for each change of the table, by reading its
 * stream.
 *
 * Totals and their place have none: they are sums of what has. Changes that the stream has lost,
 * because nobody read it for 24 hours or because it was switched off, are told by an entry. */
#ifndef LEDGER_AUDIT_FOLLOW_H
#define LEDGER_AUDIT_FOLLOW_H

#include "common/service.h"

/* Until the service stops, or something fails; counts changes, and tells up to when they are in. */
enum app_status audit_follow(struct app *app, struct service_counter counters[2]);
/* `audit record`: what has happened up to now. */
enum app_status audit_record(struct app *app);

#endif
