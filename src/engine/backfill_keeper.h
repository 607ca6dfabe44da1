/* backfill_keeper.h - whether there is something to fill (backfill.h). Private to this folder;
 * commit thread. */
#ifndef GRAMME_ENGINE_BACKFILL_KEEPER_H
#define GRAMME_ENGINE_BACKFILL_KEEPER_H

#include "engine/catalog.h"

struct backfill_keeper {
    uint_fast64_t generation; /* of the catalog that this was seen in */
    bool any;                 /* some index or range of expiries is being filled */
};

/* Looks at the tables when they are others than before. */
bool backfill_keeper_look_at(struct backfill_keeper *keeper, const struct catalog *catalog);

#endif
