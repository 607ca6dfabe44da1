/* check_derived.h - the part of a check for what follows from items: index entries, expiries and
 * sizes of item collections each have the item that they follow from. Private to this folder. */
#ifndef GRAMME_ENGINE_CHECK_DERIVED_H
#define GRAMME_ENGINE_CHECK_DERIVED_H

#include "engine/checking.h"

void check_derived(struct checking *checking);

#endif
