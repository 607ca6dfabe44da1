/* damage.h - records that are not what was written: told with their place, and counted.
 * Private to this folder. Threads: any. */
#ifndef GRAMME_ENGINE_DAMAGE_H
#define GRAMME_ENGINE_DAMAGE_H

#include <stdatomic.h>

#include "base/error.h"

struct damage {
    _Atomic uint64_t found; /* since the engine was opened */
};

/* What is said of the record of a table at that key. */
struct error *damage_found(struct damage *damage, struct arena *arena, struct slice table_name,
                           struct slice key, const struct error *why);

#endif
