/* date.h - reading dates, in the forms in which requests and policies write them. */
#ifndef GRAMME_BASE_DATE_H
#define GRAMME_BASE_DATE_H

#include "base/arena.h"

/* Takes ISO 8601's basic form (20130609T095204Z) or an HTTP date (Sun, 09 Jun 2013 09:52:04 GMT).
 * Returns the basic form, or an absent slice when it is neither. */
struct slice date_parse(struct arena *arena, struct slice text);

/* Of the basic form: seconds since 1970. */
int64_t date_seconds(struct slice basic);

/* Takes ISO 8601's extended form, 2026-10-17T08:30:00Z or 2026-10-17, or seconds since 1970, and
 * gives the latter. False: it is neither. */
bool date_read(struct slice text, int64_t *ret_seconds);

#endif
