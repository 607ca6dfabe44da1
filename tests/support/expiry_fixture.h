/* expiry_fixture.h - tables whose items expire, a clock to make them expire, and the comparison of
 * a table's expiries with its items: for tests of the engine and of its faults. */
#ifndef GRAMME_TESTS_EXPIRY_FIXTURE_H
#define GRAMME_TESTS_EXPIRY_FIXTURE_H

#include "support/engine_fixture.h"

/* Options of an engine on the clock, which then stands still at EXPIRY_NOW. */
#define EXPIRY_NOW INT64_C(2000000000) /* seconds */
struct engine_options expiry_options(struct store *store, struct movable_clock *clock);
/* Moves the clock forward and tells the engine. */
void expiry_advance(struct engine_fixture *fixture, struct movable_clock *clock, int64_t ms);

/* Gives the table a TTL attribute, or takes it away with NULL. */
struct error *expiry_set(struct engine_fixture *fixture, const char *table, const char *attribute);
/* Until the items that were there are looked through. */
void expiry_wait_built(struct engine_fixture *fixture, const char *table);
/* Until the table has so many items. */
void expiry_wait_items(struct engine_fixture *fixture, const char *table, int64_t count);

/* Until no item that has an entry expired before that second, and the statistics have it. */
void expiry_wait_swept(struct engine_fixture *fixture, struct store *store, const char *table,
                       int64_t second);

/* What is wrong: an entry is missing, or there is one that no item makes, of this table or of none;
 * or their count is off. NULL: all is as it should be. The fixture has this one table only. */
const char *expiry_difference_from_items(struct engine_fixture *fixture, struct store *store,
                                         const char *table);

#endif
