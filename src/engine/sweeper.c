/* sweeper.c - see the header. */
#include "engine/sweeper.h"

void sweeper_look_at(struct sweeper *sweeper, const struct catalog *catalog) {
    if (!catalog_changed(catalog, &sweeper->generation))
        return;
    sweeper->any = false;
    sweeper->first = 0;
    for (size_t i = 0; i < catalog->list->count; i++)
        sweeper->any = sweeper->any || catalog->list->tables[i]->definition.ttl_id != 0;
}
