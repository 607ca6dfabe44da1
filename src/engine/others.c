/* others.c - what other servers have counted. */
#include "engine/others.h"

#include "base/deadline.h"
#include "engine/hold.h"
#include "engine/parts.h"
#include "engine/state.h"

enum { LOOK_MS = 1000 };

/* Of what nobody has counted there is nothing. */
static void take_sum(struct table_stats *stats, const struct part_counts *counts) {
    const struct part_count *found = part_counts_find(counts, stats->id);
    struct table_count others = found == NULL ? (struct table_count){0, 0} : found->count;
    atomic_store(&stats->items_of_others, others.items);
    atomic_store(&stats->bytes_of_others, others.bytes);
}

static void take_sums(const struct table_list *list, const struct part_counts *counts) {
    for (size_t i = 0; i < list->count; i++) {
        const struct table *table = list->tables[i];
        take_sum(table->stats, counts);
        for (size_t k = 0; k < table->definition.index_count; k++)
            take_sum(table->index_stats[k], counts);
        if (table->ttl_stats != NULL)
            take_sum(table->ttl_stats, counts);
    }
}

static struct error *look(struct engine *engine, struct arena *arena) {
    struct part_counts counts;
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ_LATEST, &txn));
    struct error *error = part_counts_read(arena, txn, &counts);
    store_end(txn);
    if (error == NULL)
        take_sums(engine->catalog.list, &counts);
    return error;
}

struct error *others_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state) {
    *ret_state = CHORE_ASLEEP;
    if (!hold_is_needed(engine->store))
        return NULL;
    *ret_state = CHORE_WAITING;
    if (!deadline_passed(&engine->others_at))
        return NULL;
    engine->others_at = deadline_after_ms(LOOK_MS);
    sweeper_forget(&engine->sweeper, &engine->catalog);
    return look(engine, arena);
}
