/* index_fixture.h - indexes that come and go, and the comparison of all indexes of a table with its
 * items: for tests of the engine and of its faults. */
#ifndef GRAMME_TESTS_INDEX_FIXTURE_H
#define GRAMME_TESTS_INDEX_FIXTURE_H

#include "support/engine_fixture.h"

/* Adds a global index "later" by n of type N and g of type S that projects x. The engine fills it.
 */
struct error *index_add(struct engine_fixture *fixture, const char *table);
struct error *index_remove(struct engine_fixture *fixture, const char *table, const char *index);
bool index_exists(struct engine_fixture *fixture, const char *table, const char *index);
/* Until no index of the table is being created. */
void index_wait(struct engine_fixture *fixture, const char *table);

/* What is wrong: an index has an entry too many or too few, or another than the item makes; a
 * statistic or the size of an item collection is off; the store holds something that belongs to
 * nothing. NULL: all is as it should be. The fixture has this one table only. */
const char *index_difference_from_items(struct engine_fixture *fixture, struct store *store,
                                        const char *table);

#endif
