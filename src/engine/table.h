/* table.h - a table: one version of its definition, and what all its versions share.
 *
 * A table never changes; a changed definition is a new one (catalog.h). It stays valid while
 * someone holds a reference, also after it was deleted: then stats->dropped is set, and the commit
 * thread refuses writes to it. Threads: any. */
#ifndef GRAMME_ENGINE_TABLE_H
#define GRAMME_ENGINE_TABLE_H

#include "engine/table_stats.h"
#include "model/table.h"
#include "policy/policy.h"

struct table {
    struct table_definition definition;
    struct slice stored; /* the definition as the store has it */
    struct table_stats *stats;
    struct table_stats **index_stats; /* one per index, in the definition's order */
    struct table_stats *ttl_stats;    /* of its expiries; NULL: items do not expire */
    bool has_local_index;             /* its item collections are counted */
    /* What may be used of it, and of each index, in a second; NULL: anything (throttled.h). */
    struct limits *limits;
    struct limits **index_limits;
    const struct policy *policy; /* NULL: it has none */
    const struct policy *stream_policy;
    struct arena arena; /* holds the definition */
    atomic_uint references;
};

/* A table whose definition is read from its stored form, so that it lives in its own arena.
 * `before` is the version that it replaces, or NULL. */
struct error *table_new(struct arena *arena, struct slice stored, const struct table *before,
                        struct table **ret_table);
struct table *table_ref(struct table *table);
void table_unref(struct table *table); /* NULL is fine */

/* What an item of the table takes on average. At least 1. */
int64_t table_average_bytes(const struct table *table);

/* What a table can be restored to: from then on, and until now. Of a table that has recovery. */
int64_t recovery_window_start_ms(const struct table_definition *definition, int64_t now_ms);

/* What a change replaces is kept (history.h): the table has recovery, or a copy reads it. Of the
 * present version; commit thread. */
static inline bool table_keeps_history(const struct table *table) {
    return table->definition.pitr_days > 0 || table->stats->copied;
}

#endif
