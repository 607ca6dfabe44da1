/* table.c - tables that are made and let go. */
#include "engine/table.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/catalog.h"

#define MS_PER_DAY INT64_C(86400000)

struct table *table_ref(struct table *table) {
    atomic_fetch_add_explicit(&table->references, 1, memory_order_relaxed);
    return table;
}

void table_unref(struct table *table) {
    if (table == NULL ||
        atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < table->definition.index_count; i++)
        table_stats_unref(table->index_stats[i]);
    if (table->ttl_stats != NULL)
        table_stats_unref(table->ttl_stats);
    table_stats_unref(table->stats);
    arena_release(&table->arena);
    free(table);
}

int64_t table_average_bytes(const struct table *table) {
    struct table_count total = table_stats_total(table->stats);
    return total.items > 0 && total.bytes > 0 ? total.bytes / total.items + 1 : 1;
}

int64_t recovery_window_start_ms(const struct table_definition *definition, int64_t now_ms) {
    int64_t period_ms = now_ms - definition->pitr_days * MS_PER_DAY;
    return period_ms > definition->pitr_since_ms ? period_ms : definition->pitr_since_ms;
}

/* The statistics of an id: those it had in the version before, else new ones. Takes a reference. */
static struct table_stats *stats_for(const struct table *before, uint32_t id) {
    if (before != NULL && before->definition.id == id)
        return table_stats_ref(before->stats);
    for (size_t i = 0; before != NULL && i < before->definition.index_count; i++)
        if (before->definition.indexes[i].id == id)
            return table_stats_ref(before->index_stats[i]);
    if (before != NULL && before->ttl_stats != NULL && before->ttl_stats->id == id)
        return table_stats_ref(before->ttl_stats);
    return table_stats_new(id);
}

static void find_stats(struct table *table, const struct table *before) {
    size_t index_count = table->definition.index_count;
    table->stats = stats_for(before, table->definition.id);
    table->index_stats = ARENA_ARRAY(&table->arena, struct table_stats *, index_count);
    for (size_t i = 0; i < index_count; i++) {
        table->index_stats[i] = stats_for(before, table->definition.indexes[i].id);
        table->has_local_index = table->has_local_index || !table->definition.indexes[i].global;
    }
    if (table->definition.ttl_id != 0)
        table->ttl_stats = stats_for(before, table->definition.ttl_id);
}

static struct error *read_policy(struct table *table, const struct attached_policy *attached,
                                 const struct policy **ret_policy) {
    if (!slice_present(attached->document))
        return NULL;
    const char *name = (const char *)arena_printf(&table->arena, "the policy of the table %.*s",
                                                  SLICE_ARGS(table->definition.name))
                           .data;
    const struct policy_document document = {POLICY_OF_RESOURCE, name, attached->document};
    return policy_parse(&table->arena, &document, ret_policy);
}

static struct error *read_stored(struct table *table) {
    const struct table_definition *definition = &table->definition;
    TRY(table_definition_decode(&table->arena, table->stored, &table->definition));
    TRY(read_policy(table, &definition->policy, &table->policy));
    return read_policy(table, &definition->stream_policy, &table->stream_policy);
}

struct error *table_new(struct arena *arena, struct slice stored, const struct table *before,
                        struct table **ret_table) {
    struct table *table = calloc(1, sizeof(*table));
    CHECK(table != NULL);
    arena_init(&table->arena);
    table->stored = arena_slice(&table->arena, stored);
    struct error *error = read_stored(table);
    if (error != NULL) {
        error = error_new(arena, error->code, "%.*s", SLICE_ARGS(error->message));
        arena_release(&table->arena);
        free(table);
        return error;
    }
    atomic_init(&table->references, 1);
    find_stats(table, before);
    *ret_table = table;
    return NULL;
}
