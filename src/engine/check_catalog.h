/* check_catalog.h - the catalog's part of a check: its records, and what they say of each other.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_CHECK_CATALOG_H
#define GRAMME_ENGINE_CHECK_CATALOG_H

#include "engine/checking.h"

/* The first part: from here on the owners and their states are known. False when so little of it
 * can be read that nothing else can be checked. */
bool check_catalog(struct checking *checking);

#endif
