/* series_departure.h - a turn of points on their way to their blocks (series_records.h). Private to
 * this folder. Under `writing`. */
#ifndef GRAMME_CLOUDWATCH_SERIES_DEPARTURE_H
#define GRAMME_CLOUDWATCH_SERIES_DEPARTURE_H

#include "base/error.h"

struct series_store;

/* Puts all pending points away; goes on with what an earlier call could not. */
struct error *series_depart(struct series_store *store, struct arena *arena);
/* Forgets what is under way; the journal has it. */
void departure_release(struct series_store *store);
/* The turn of what is under way; 0: nothing is. Under `lock`. */
uint32_t departure_turn(const struct series_store *store);

#endif
