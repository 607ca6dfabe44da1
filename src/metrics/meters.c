/* meters.c - the meters of threads: finding the right one, making it when it is new.
 *
 * Readers walk lists to whose front one thread adds: an entry is complete before its pointer is
 * stored, and never goes away. The table of ids is the thread's own. */
#include "metrics/meters.h"

#include <stdlib.h>

#include "base/check.h"
#include "metrics/meters_state.h"

/* ---- threads ---- */

static struct meter_table *add_table(struct meter_thread *thread, struct slice name) {
    struct meter_table *table = ARENA_NEW(&thread->arena, struct meter_table);
    table->name = arena_slice(&thread->arena, name);
    atomic_init(&table->next, atomic_load_explicit(&thread->tables, memory_order_relaxed));
    atomic_store_explicit(&thread->tables, table, memory_order_release);
    thread->table_count++;
    return table;
}

struct meters *meters_new(void) {
    struct meters *meters = calloc(1, sizeof(*meters));
    CHECK(meters != NULL);
    pthread_mutex_init(&meters->lock, NULL);
    return meters;
}

static struct meter_thread *take_free(struct meters *meters) {
    pthread_mutex_lock(&meters->lock);
    struct meter_thread *thread = meters->threads;
    while (thread != NULL && !thread->is_free)
        thread = thread->next;
    if (thread != NULL)
        thread->is_free = false;
    pthread_mutex_unlock(&meters->lock);
    return thread;
}

/* No two threads share a cache line, but for the ends of what the allocator hands out. */
static struct meter_thread *add_thread(struct meters *meters) {
    struct meter_thread *thread = aligned_alloc(METER_LINE_BYTES, sizeof(*thread));
    CHECK(thread != NULL);
    memset(thread, 0, sizeof(*thread));
    arena_init(&thread->arena);
    thread->none = add_table(thread, METER_NO_TABLE);
    thread->other = add_table(thread, METER_OTHER);
    pthread_mutex_lock(&meters->lock);
    thread->next = meters->threads;
    meters->threads = thread;
    pthread_mutex_unlock(&meters->lock);
    return thread;
}

struct meter_thread *meters_join(struct meters *meters) {
    struct meter_thread *thread = take_free(meters);
    return thread != NULL ? thread : add_thread(meters);
}

void meters_leave(struct meters *meters, struct meter_thread *thread) {
    pthread_mutex_lock(&meters->lock);
    thread->is_free = true;
    pthread_mutex_unlock(&meters->lock);
}

void meters_free(struct meters *meters) {
    if (meters == NULL)
        return;
    for (struct meter_thread *thread = meters->threads, *next; thread != NULL; thread = next) {
        next = thread->next;
        arena_release(&thread->arena);
        free(thread);
    }
    pthread_mutex_destroy(&meters->lock);
    free(meters);
}

/* ---- entries ---- */

static struct meter_table *find_by_name(struct meter_thread *thread, struct slice name) {
    for (struct meter_table *table = thread->tables; table != NULL; table = table->next)
        if (slice_equal(table->name, name))
            return table;
    return NULL;
}

/* Ids are never used again, so those of tables that are gone stay: when there are too many, all are
 * forgotten, and each finds its table by its name again. */
static struct meter_table *new_id(struct meter_thread *thread, struct meter_id *slot, uint32_t id,
                                  struct slice name) {
    struct meter_table *table = find_by_name(thread, name);
    if (table == NULL)
        table = thread->table_count < METER_TABLES_MAX ? add_table(thread, name) : thread->other;
    if (thread->id_count == METER_IDS / 2) {
        memset(thread->ids, 0, sizeof(thread->ids));
        thread->id_count = 0;
        slot = &thread->ids[meter_id_slot(id)];
    }
    *slot = (struct meter_id){.table = table, .id = id};
    thread->id_count++;
    return table;
}

struct meter_table *meter_table(struct meter_thread *thread, uint32_t id, struct slice name) {
    size_t at = meter_id_slot(id);
    while (thread->ids[at].table != NULL) {
        if (thread->ids[at].id == id)
            return thread->ids[at].table;
        at = (at + 1) % METER_IDS;
    }
    return new_id(thread, &thread->ids[at], id, name);
}

struct meter_table *meter_no_table(struct meter_thread *thread) {
    return thread->none;
}

static struct meter_operation *add_operation(struct meter_thread *thread, struct meter_table *table,
                                             unsigned operation) {
    bool special = table == thread->none || table == thread->other;
    if (!special && thread->operation_count >= METER_TABLE_OPERATIONS_MAX)
        return meter_operation(thread, thread->other, operation);
    struct meter_operation *entry = ARENA_NEW(&thread->arena, struct meter_operation);
    atomic_store_explicit(&table->operations[operation], entry, memory_order_release);
    thread->operation_count++;
    return entry;
}

struct meter_operation *meter_operation(struct meter_thread *thread, struct meter_table *table,
                                        unsigned operation) {
    if (operation > METER_NO_OPERATION)
        operation = METER_NO_OPERATION;
    struct meter_operation *entry =
        atomic_load_explicit(&table->operations[operation], memory_order_relaxed);
    return entry != NULL ? entry : add_operation(thread, table, operation);
}

static struct meter_index *add_index(struct meter_thread *thread, struct meter_table *table,
                                     struct slice name) {
    if (thread->index_count >= METER_INDEXES_MAX && table != thread->other)
        return meter_index(thread, thread->other, METER_OTHER);
    struct meter_index *index = ARENA_NEW(&thread->arena, struct meter_index);
    index->name = arena_slice(&thread->arena, table == thread->other ? METER_OTHER : name);
    atomic_init(&index->next, atomic_load_explicit(&table->indexes, memory_order_relaxed));
    atomic_store_explicit(&table->indexes, index, memory_order_release);
    thread->index_count++;
    return index;
}

struct meter_index *meter_index(struct meter_thread *thread, struct meter_table *table,
                                struct slice name) {
    struct meter_index *index = atomic_load_explicit(&table->indexes, memory_order_relaxed);
    for (; index != NULL; index = atomic_load_explicit(&index->next, memory_order_relaxed))
        if (slice_equal(index->name, name) || table == thread->other)
            return index;
    return add_index(thread, table, name);
}

struct meter_commit *meter_commit(struct meter_thread *thread) {
    return &thread->commit;
}

void meter_group(struct meter_commit *commit, uint64_t writes) {
    size_t size = writes < 2 ? 0 : 64 - (size_t)__builtin_clzll(writes - 1);
    counter_add(&commit->group_sizes[size < METER_GROUP_SIZES ? size : METER_GROUP_SIZES - 1], 1);
    spread_add(&commit->groups, writes);
}
