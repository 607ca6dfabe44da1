/* throttled.c - see throttled.h. Threads: publishing on the commit thread, errors on any. */
#include "engine/throttled.h"

#include "model/capacity.h"
#include "model/limits.h"

/* ---- limits ---- */

static int64_t maximum(int64_t units) {
    return units == -1 ? 0 : units;
}

static struct limits_setting setting_of(enum billing_mode billing,
                                        const struct provisioned_throughput *throughput,
                                        struct unit_pair most, struct unit_pair warm) {
    if (billing != BILLING_PAY_PER_REQUEST)
        return (struct limits_setting){.units = {throughput->read_units, throughput->write_units}};
    struct unit_pair ready = warm_units(billing, throughput, warm);
    return (struct limits_setting){
        .on_demand = true,
        .units = {maximum(most.read), maximum(most.write)},
        .warm = {ready.read, ready.write},
    };
}

static struct limits *limits_of(struct table_stats *stats) {
    if (stats->limits == NULL)
        stats->limits = limits_new(stats->id);
    return stats->limits;
}

/* A table that is published again has them already. */
static void attach(struct table *table) {
    size_t count = table->definition.index_count;
    if (table->limits != NULL)
        return;
    table->index_limits = ARENA_ARRAY(&table->arena, struct limits *, count);
    table->limits = limits_of(table->stats);
    for (size_t i = 0; i < count; i++)
        table->index_limits[i] =
            table->definition.indexes[i].global ? limits_of(table->index_stats[i]) : table->limits;
}

void throttled_publish(struct throttle *throttle, struct table *table, bool loaded) {
    int64_t since_ms = loaded ? 0 : throttle_now_ms(throttle);
    const struct table_definition *definition = &table->definition;
    enum billing_mode billing = definition->billing;
    struct limits_setting setting =
        setting_of(billing, &definition->throughput, definition->on_demand, definition->warm);
    setting.since_ms = since_ms;
    attach(table);
    limits_set(throttle, table->limits, &setting);
    for (size_t i = 0; i < definition->index_count; i++) {
        const struct table_index *index = &definition->indexes[i];
        if (!index->global)
            continue;
        setting = setting_of(billing, &index->throughput, index->on_demand, index->warm);
        setting.since_ms = since_ms;
        limits_set(throttle, table->index_limits[i], &setting);
    }
}

/* ---- errors ---- */

const char *throttled_text(struct throttled_words words) {
    if (words.provisioned)
        return !words.index
                   ? "The level of configured provisioned throughput for the table was exceeded. "
                     "Consider increasing your provisioning level with the UpdateTable API."
                   : "The level of configured provisioned throughput for one or more global "
                     "secondary indexes of the table was exceeded. Consider increasing your "
                     "provisioning level for the under-provisioned global secondary indexes with "
                     "the UpdateTable API.";
    if (words.maximum)
        return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
    return !words.index
               ? "Throughput exceeds the current capacity of your table or index. DynamoDB is "
                 "automatically scaling your table or index so please try again shortly. If "
                 "exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/"
                 "amazondynamodb/latest/developerguide/bp-partition-key-design.html"
               : "Throughput exceeds the current capacity for one or more global secondary "
                 "indexes. DynamoDB is automatically scaling your index so please try again "
                 "shortly.";
}

static size_t add_reasons(struct arena *arena, const struct table_definition *table,
                          const struct throttled_hit *hit, struct throttling_reason *reasons) {
    size_t count = 0;
    for (unsigned kind = 0; kind < LIMIT_KINDS; kind++)
        if (hit->kinds & 1U << kind)
            reasons[count++] = (struct throttling_reason){
                .limit = (enum throttling_limit)((unsigned)hit->direction * LIMIT_KINDS + kind),
                .table = arena_slice(arena, table->name),
                .index = hit->index == NULL ? SLICE_NONE : arena_slice(arena, hit->index->name),
            };
    return count;
}

struct error *throttled_error(struct arena *arena, const struct table_definition *table,
                              const struct throttled_hit *hits, size_t count) {
    struct throttling_reason *reasons =
        ARENA_ARRAY(arena, struct throttling_reason, count * LIMIT_KINDS);
    struct throttled_words words = {
        .provisioned = table->billing != BILLING_PAY_PER_REQUEST,
        .index = hits[0].index != NULL,
        .maximum = (hits[0].kinds & 1U << LIMIT_MAX_ON_DEMAND) != 0,
    };
    enum error_code code =
        words.provisioned ? ERROR_PROVISIONED_THROUGHPUT_EXCEEDED : ERROR_THROTTLING;
    struct error *error = error_new(arena, code, "%s", throttled_text(words));
    for (size_t i = 0; i < count; i++)
        error->throttled_by_count +=
            add_reasons(arena, table, &hits[i], reasons + error->throttled_by_count);
    error->throttled_by = reasons;
    return error;
}

static bool is_told(const struct error *error, const struct throttling_reason *reason) {
    for (size_t i = 0; i < error->throttled_by_count; i++) {
        const struct throttling_reason *told = &error->throttled_by[i];
        if (told->limit == reason->limit && slice_equal(told->table, reason->table) &&
            slice_equal(told->index, reason->index))
            return true;
    }
    return false;
}

struct error *throttled_join(struct arena *arena, struct error *first, const struct error *other) {
    struct error *joined = arena_copy(arena, first == NULL ? other : first, sizeof(struct error));
    if (first == NULL)
        return joined;
    struct throttling_reason *reasons = ARENA_ARRAY(
        arena, struct throttling_reason, first->throttled_by_count + other->throttled_by_count);
    memcpy(reasons, first->throttled_by, first->throttled_by_count * sizeof(*reasons));
    joined->throttled_by = reasons;
    for (size_t i = 0; i < other->throttled_by_count; i++)
        if (!is_told(joined, &other->throttled_by[i]))
            reasons[joined->throttled_by_count++] = other->throttled_by[i];
    return joined;
}
