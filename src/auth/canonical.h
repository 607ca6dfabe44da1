/* canonical.h - the path and the query of a request in the form in which they are signed.
 *
 * Memory: the arena, or the request itself where nothing has to change. */
#ifndef GRAMME_AUTH_CANONICAL_H
#define GRAMME_AUTH_CANONICAL_H

#include "base/arena.h"

/* Without empty, "." and ".." segments, and then encoded: what was encoded already, twice. */
struct slice canonical_path(struct arena *arena, struct slice path);

/* Sorted by name and value, each encoded once, without X-Amz-Signature. */
struct slice canonical_query(struct arena *arena, struct slice query);

#endif
