/* others.c - what other servers have counted. */
#include "engine/others.h"

#include "base/bytes.h"
#include "base/deadline.h"
#include "codec/statistics.h"
#include "engine/hold.h"
#include "engine/keyspace.h"
#include "engine/state.h"

enum { LOOK_MS = 1000 };

/* What the records of a range of keys say together. */
struct sum {
    uint32_t id;
    struct table_count count;
};

static struct error *add_up(struct store_scan *scan, struct arena *arena, struct sum *sums,
                            size_t room, size_t *ret_count) {
    *ret_count = 0;
    for (;;) {
        bool found;
        struct slice key, value;
        struct table_count count;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        uint32_t id = load_u32_be(key.data + 1);
        TRY(statistics_decode(arena, value, &count.items, &count.bytes));
        if (*ret_count == 0 || sums[*ret_count - 1].id != id) {
            if (*ret_count == room)
                return NULL; /* of tables that are gone by now */
            sums[(*ret_count)++] = (struct sum){.id = id};
        }
        sums[*ret_count - 1].count.items += count.items;
        sums[*ret_count - 1].count.bytes += count.bytes;
    }
}

/* Of no sum nothing was counted. */
static void take_sum(struct table_stats *stats, const struct sum *sums, size_t count) {
    struct table_count others = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (sums[i].id == stats->id)
            others = sums[i].count;
    atomic_store(&stats->items_of_others, others.items);
    atomic_store(&stats->bytes_of_others, others.bytes);
}

static void take_sums(const struct table_list *list, const struct sum *sums, size_t count) {
    for (size_t i = 0; i < list->count; i++) {
        const struct table *table = list->tables[i];
        take_sum(table->stats, sums, count);
        for (size_t k = 0; k < table->definition.index_count; k++)
            take_sum(table->index_stats[k], sums, count);
        if (table->ttl_stats != NULL)
            take_sum(table->ttl_stats, sums, count);
    }
}

static size_t ranges_of(const struct table_list *list) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->tables[i]->definition.index_count + 2;
    return count;
}

static struct error *look(struct engine *engine, struct arena *arena) {
    const struct table_list *list = engine->catalog.list;
    struct store_range all = range_in(KEYSPACE_CATALOG, part_statistics_key_range(arena));
    size_t room = ranges_of(list), count = 0;
    struct sum *sums = ARENA_ARRAY(arena, struct sum, room);
    struct store_txn *txn;
    struct store_scan *scan;
    TRY(store_begin(engine->store, arena, STORE_READ_LATEST, &txn));
    struct error *error = store_scan_open(txn, &all, false, &scan);
    if (error == NULL) {
        error = add_up(scan, arena, sums, room, &count);
        store_scan_close(scan);
    }
    store_end(txn);
    if (error == NULL)
        take_sums(list, sums, count);
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
