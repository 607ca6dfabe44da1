/* whole.h - a store that several servers write to, as it would be if one did.
 *
 * Copies and dumps show the statistics of a range and the last number once, whoever has counted
 * (parts.h). So they are the same whatever store they come from, and may go to any: with other
 * groups of keys, or with none. */
#ifndef GRAMME_ENGINE_WHOLE_H
#define GRAMME_ENGINE_WHOLE_H

#include "store/sight.h"

/* A store_look. */
struct error *engine_look_whole(struct store_txn *txn, struct store_sight **ret_sight);

/* Of a record of the catalog that is sound by itself: whether it may be in such a store. */
struct error *whole_record_check(struct arena *arena, struct slice key, struct slice value);

#endif
