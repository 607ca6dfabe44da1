/* service_reply.h - what handlers of requests share: reading amounts, copying items, failures. */
#ifndef APPS_COMMON_SERVICE_REPLY_H
#define APPS_COMMON_SERVICE_REPLY_H

#include "common/service.h"

/* A number of the body that is an amount of money, at least `low` cents. Says what is wrong. */
bool reply_read_money(const struct service_call *call, const char *name, int64_t low,
                      int64_t *ret_cents);

void reply_set_time(struct ddb_item *reply, const char *name, int64_t time_ms);
/* All attributes of an item, which may be NULL. */
void reply_copy(struct ddb_item *reply, const struct ddb_item *item);
/* A list of the items that a cursor gives, at most `limit`; frees the cursor, which may be NULL. */
enum app_status reply_items(struct service_call *call, const char *name, struct ddb_cursor *items,
                            size_t limit);

/* A failure that has a message: 503 when the tables could not be read or written, 409 when they do
 * not allow what was asked for. */
enum app_status reply_failure(struct service_call *call);
/* 404: there is no such thing. */
enum app_status reply_missing(struct service_call *call, const char *what, const char *id);

#endif
