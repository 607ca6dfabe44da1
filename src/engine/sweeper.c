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

void sweeper_forget(struct sweeper *sweeper, const struct catalog *catalog) {
    sweeper->first = 0;
    for (size_t i = 0; i < catalog->list->count; i++)
        if (catalog->list->tables[i]->ttl_stats != NULL)
            kept_key_release(&catalog->list->tables[i]->ttl_stats->first_due);
}
