/* check_changes.h - the part of a check for what tells of changes: records of streams, and history.
 * Private to this folder. */
#ifndef GRAMME_ENGINE_CHECK_CHANGES_H
#define GRAMME_ENGINE_CHECK_CHANGES_H

#include "engine/checking.h"

void check_changes(struct checking *checking);

#endif
