/* timestamp.h - a time as text, by ISO 8601: 2026-10-17T08:30:00.123, in UTC. */
#ifndef GRAMME_BASE_TIMESTAMP_H
#define GRAMME_BASE_TIMESTAMP_H

#include "base/arena.h"

enum { TIMESTAMP_CHARS = 23 };

/* To the millisecond, without a zone. Times are from 1970 to CLOCK_MAX_MS; others are printed as
 * the nearest of these. Ends with a NUL. */
void timestamp_print(int64_t ms, char ret_text[TIMESTAMP_CHARS + 1]);

/* To the second, with its zone: 2026-10-17T08:30:00Z. */
struct slice timestamp_of_second(struct arena *arena, int64_t ms);

#endif
