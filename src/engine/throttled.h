/* throttled.h - what limits tables, and what is said to who is refused.
 *
 * With engine_options.throttle every table in the catalog has limits (throttle/limits.h), and so
 * has each of its global indexes; a local index uses those of its table. Without it there are none,
 * and nothing here is called. */
#ifndef GRAMME_ENGINE_THROTTLED_H
#define GRAMME_ENGINE_THROTTLED_H

#include "base/error.h"
#include "engine/table.h"
#include "throttle/limits.h"

/* Gives the table its limits, those that it had in the version before, and sets them as its
 * definition says. Before it is published; commit thread. `loaded`: it is not new, and when it was
 * last used is not known: what it has begins with its first use. */
void throttled_publish(struct throttle *throttle, struct table *table, bool loaded);

/* The service's words. */
struct throttled_words {
    bool provisioned; /* the table is, not on demand */
    bool index;       /* it is an index that has nothing left */
    bool maximum;     /* by its OnDemandThroughput */
};
const char *throttled_text(struct throttled_words words);

/* Limits that have nothing left. */
struct throttled_hit {
    const struct table_index *index; /* NULL: the table's */
    enum limit_direction direction;
    unsigned kinds; /* of limits_check() */
};

/* At least one. */
struct error *throttled_error(struct arena *arena, const struct table_definition *table,
                              const struct throttled_hit *hits, size_t count);
/* What refuses a request all of whose parts were refused: the first error, with the reasons of the
 * other. `first` may be NULL. */
struct error *throttled_join(struct arena *arena, struct error *first, const struct error *other);

#endif
