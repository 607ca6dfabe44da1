/* duration.h - how long things live, and whether they still do.
 *
 * DynamoDB deletes an item some time after its `ttl`, a number of seconds since 1970, has passed:
 * soon in gramme, up to 48 hours later in the service. A reader must not take it as alive until
 * then, so it looks at the ttl itself. */
#ifndef APPS_COMMON_DURATION_H
#define APPS_COMMON_DURATION_H

#include "common/app.h"
#include "common/timestamp.h"

enum { DURATION_MAX_S = 366 * 24 * 60 * 60 };

/* The value of an option: "45s", "30m", "24h" or "14d", at least a second and at most
 * DURATION_MAX_S. Without the option `*ret_seconds` stays. Says what is wrong. */
bool duration_option(const struct app *app, const char *name, int64_t *ret_seconds);

/* Seconds since 1970. */
int64_t ttl_now(void);
/* Sets `ttl` to so many seconds from now. */
void ttl_set(struct ddb_item *item, int64_t lifetime_s);
/* Whether the item's ttl has passed. An item without a ttl, or with another thing there, lives for
 * ever, as it does for DynamoDB. */
bool ttl_has_passed(const struct ddb_item *item);
/* An attribute that is a number of seconds since 1970, as "2024-01-01T00:00:00Z"; "?" where it is
 * not. */
void seconds_describe(const struct ddb_item *item, const char *name, char ret_text[TIMESTAMP_SIZE]);
/* "expires 2024-01-02T00:00:00Z", "expired ...", or "never expires". */
enum { TTL_TEXT_SIZE = 48 };
void ttl_describe(const struct ddb_item *item, char ret_text[TTL_TEXT_SIZE]);

#endif
