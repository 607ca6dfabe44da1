/* check_items.h - the items' part of a check: what every item should have beside it is there.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_CHECK_ITEMS_H
#define GRAMME_ENGINE_CHECK_ITEMS_H

#include "engine/checking.h"

void check_items(struct checking *checking);

/* Whether the entries of an index, expiries or collections have come to an item: those that are
 * being filled end at a cursor. */
bool check_is_covered(const struct checking *checking, const struct record_owner *derived,
                      struct slice item_key);

#endif
