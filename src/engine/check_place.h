/* check_place.h - where a record stands, in words: its table, its key. Private to this folder.
 *
 * What is stored there may be damaged: only what can be read of it is told. Long keys are cut. The
 * text may hold any character that a key does. Memory: the arena. */
#ifndef GRAMME_ENGINE_CHECK_PLACE_H
#define GRAMME_ENGINE_CHECK_PLACE_H

#include "engine/owners.h"

struct slice check_place(struct arena *arena, const struct owners *owners,
                         const struct store_key *key, struct slice value);
/* "table T", "table T, index I". */
struct slice check_owner_name(struct arena *arena, const struct record_owner *owner);

#endif
