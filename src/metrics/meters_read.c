/* meters_read.c - the meters of all threads added up, by name.
 *
 * Counters are read one after another while threads go on counting: each is right, and two of them
 * may be a moment apart. */
#include <stdlib.h>

#include "metrics/meters.h"
#include "metrics/meters_state.h"

struct reading {
    struct arena *arena;
    bool take;
};

static void merge_resource(const struct reading *reading, struct meter_resource *total,
                           struct meter_resource *from) {
    spread_merge(&total->read, &from->read, reading->take);
    spread_merge(&total->write, &from->write, reading->take);
    for (size_t i = 0; i < METER_THROTTLES; i++)
        counter_add(&total->throttled[i], counter_read(&from->throttled[i]));
}

static void merge_operation(const struct reading *reading, struct meter_operation *total,
                            struct meter_operation *from) {
    for (size_t i = 0; i < METER_OUTCOMES; i++)
        counter_add(&total->outcomes[i], counter_read(&from->outcomes[i]));
    latency_merge(&total->latency, &from->latency, reading->take);
    spread_merge(&total->returned, &from->returned, reading->take);
    spread_merge(&total->returned_bytes, &from->returned_bytes, reading->take);
    counter_add(&total->throttled, counter_read(&from->throttled));
}

static struct meter_index *total_index(const struct reading *reading, struct meter_table *total,
                                       struct slice name) {
    struct meter_index *index = total->indexes;
    while (index != NULL && !slice_equal(index->name, name))
        index = index->next;
    if (index == NULL) {
        index = ARENA_NEW(reading->arena, struct meter_index);
        index->name = name;
        index->next = total->indexes;
        total->indexes = index;
    }
    return index;
}

static void merge_table(const struct reading *reading, struct meter_table *total,
                        struct meter_table *from) {
    merge_resource(reading, &total->own, &from->own);
    counter_add(&total->conditions_failed, counter_read(&from->conditions_failed));
    counter_add(&total->conflicts, counter_read(&from->conflicts));
    counter_add(&total->expired, counter_read(&from->expired));
    counter_add(&total->stream_records, counter_read(&from->stream_records));
    struct meter_index *index = atomic_load_explicit(&from->indexes, memory_order_acquire);
    for (; index != NULL; index = atomic_load_explicit(&index->next, memory_order_relaxed))
        merge_resource(reading, &total_index(reading, total, index->name)->own, &index->own);
    for (size_t i = 0; i < METER_OPERATIONS_MAX; i++) {
        struct meter_operation *operation =
            atomic_load_explicit(&from->operations[i], memory_order_acquire);
        if (operation == NULL)
            continue;
        if (total->operations[i] == NULL)
            total->operations[i] = ARENA_NEW(reading->arena, struct meter_operation);
        merge_operation(reading, total->operations[i], operation);
    }
}

static void merge_commit(const struct reading *reading, struct meter_commit *total,
                         struct meter_commit *from) {
    for (size_t i = 0; i < METER_GROUP_SIZES; i++)
        counter_add(&total->group_sizes[i], counter_read(&from->group_sizes[i]));
    spread_merge(&total->groups, &from->groups, reading->take);
    latency_merge(&total->syncs, &from->syncs, reading->take);
}

/* ---- by name ---- */

static int compare_names(const void *a, const void *b) {
    const struct meter_table *const *left = a, *const *right = b;
    return slice_compare((*left)->name, (*right)->name);
}

/* All threads' tables, those of a name together. */
static size_t gather(struct arena *arena, struct meter_thread *threads,
                     struct meter_table ***ret_tables) {
    size_t count = 0, room = 0;
    struct meter_table **tables = NULL;
    for (struct meter_thread *thread = threads; thread != NULL; thread = thread->next) {
        struct meter_table *table = atomic_load_explicit(&thread->tables, memory_order_acquire);
        for (; table != NULL; table = atomic_load_explicit(&table->next, memory_order_relaxed)) {
            if (count == room) {
                struct meter_table **before = tables;
                room = room == 0 ? 64 : room * 2;
                tables = ARENA_ARRAY(arena, struct meter_table *, room);
                if (count > 0)
                    memcpy(tables, before, count * sizeof(struct meter_table *));
            }
            tables[count++] = table;
        }
    }
    if (count > 0)
        qsort(tables, count, sizeof(struct meter_table *), compare_names);
    *ret_tables = tables;
    return count;
}

static struct meter_thread *first_thread(struct meters *meters) {
    pthread_mutex_lock(&meters->lock);
    struct meter_thread *first = meters->threads;
    pthread_mutex_unlock(&meters->lock);
    return first;
}

void meters_read(struct meters *meters, struct arena *arena, bool take,
                 struct meter_sums *ret_sums) {
    struct reading reading = {arena, take};
    struct meter_thread *threads = first_thread(meters);
    struct meter_table **tables;
    size_t count = gather(arena, threads, &tables);
    memset(ret_sums, 0, sizeof(*ret_sums));
    ret_sums->tables = ARENA_ARRAY(arena, struct meter_table *, count);
    for (size_t i = 0; i < count; i++) {
        struct meter_table **totals = ret_sums->tables;
        size_t n = ret_sums->table_count;
        if (n == 0 || !slice_equal(totals[n - 1]->name, tables[i]->name)) {
            totals[n] = ARENA_NEW(arena, struct meter_table);
            totals[n]->name = tables[i]->name;
            ret_sums->table_count++;
        }
        merge_table(&reading, totals[ret_sums->table_count - 1], tables[i]);
    }
    for (struct meter_thread *thread = threads; thread != NULL; thread = thread->next)
        merge_commit(&reading, &ret_sums->commit, &thread->commit);
}
