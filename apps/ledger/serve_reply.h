/* serve_reply.h - items of the table as replies. */
#ifndef LEDGER_SERVE_REPLY_H
#define LEDGER_SERVE_REPLY_H

#include "common/service_reply.h"

enum { SERVE_ITEMS_MAX = 1000 };

/* The item without the keys of the table, which tell nothing more. */
void reply_entity(struct ddb_item *reply, const struct ddb_item *item);
/* The one whose id is in the path; 404 when there is none. */
enum app_status reply_entity_of(struct service_call *call, const char *what, const char *prefix);

#endif
