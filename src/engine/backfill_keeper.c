/* backfill_keeper.c - see the header. */
#include "engine/backfill_keeper.h"

static bool is_filling(const struct table_definition *definition) {
    bool filling = definition->ttl_building;
    for (size_t i = 0; i < definition->index_count; i++)
        filling = filling || definition->indexes[i].status == TABLE_CREATING;
    return filling;
}

bool backfill_keeper_look_at(struct backfill_keeper *keeper, const struct catalog *catalog) {
    if (!catalog_changed(catalog, &keeper->generation))
        return keeper->any;
    keeper->any = false;
    for (size_t i = 0; i < catalog->list->count; i++)
        keeper->any = keeper->any || is_filling(&catalog->list->tables[i]->definition);
    return keeper->any;
}
