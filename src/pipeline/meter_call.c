/* meter_call.c - from an account to meters. A call that touches several tables counts for each. */
#include "pipeline/meter_call.h"

#include "base/clock.h"

void call_meter_count_unsent(struct call_meter *meter) {
    uint64_t now_ns = monotonic_ns();
    for (unsigned i = 0; i < meter->unsent_count; i++)
        latency_add(&meter->unsent[i].asked->latency, now_ns - meter->unsent[i].began_ns);
    meter->unsent_count = 0;
}

static void count_success(struct call_meter *meter, struct meter_operation *asked,
                          uint64_t began_ns) {
    counter_add(&asked->outcomes[METER_OK], 1);
    if (__builtin_expect(meter->unsent_count == CALL_METER_UNSENT_MAX, 0))
        call_meter_count_unsent(meter); /* a bit early: nobody should have so many at once */
    meter->unsent[meter->unsent_count++] = (struct unsent_call){asked, began_ns};
}

static inline void count_request(struct call_meter *meter, struct meter_operation *asked,
                                 const struct error *error, uint64_t began_ns) {
    if (error == NULL)
        count_success(meter, asked, began_ns);
    else
        counter_add(&asked->outcomes[METER_ERRORS + (unsigned)error->code], 1);
}

static __attribute__((noinline)) void get_to_know(struct call_meter *meter, unsigned operation,
                                                  const struct table_definition *table,
                                                  struct known_call *ret_known) {
    struct meter_table *to = meter_table(meter->thread, table->id, table->name);
    *ret_known = (struct known_call){table->id, operation, to,
                                     meter_operation(meter->thread, to, operation)};
}

static inline const struct known_call *known_call(struct call_meter *meter, unsigned operation,
                                                  const struct table_definition *table) {
    struct known_call *known = &meter->known[(table->id * 31 + operation) % CALL_METER_KNOWN];
    if (__builtin_expect(known->id != table->id || known->operation != operation, 0))
        get_to_know(meter, operation, table, known);
    return known;
}

static inline void add_units(struct meter_resource *resource, uint32_t access, uint64_t halves) {
    if (halves > 0)
        spread_add(access & ACCOUNT_WRITE ? &resource->write : &resource->read, halves);
}

/* Local indexes are paid for by their table, whose half units this returns, global ones by
 * themselves. */
static uint64_t count_indexes(struct call_meter *meter, const struct known_call *known,
                              const struct account_table *table) {
    uint64_t halves = 0, returned = table->cost.returned;
    for (const struct account_index *index = table->indexes; index != NULL; index = index->next) {
        returned += index->cost.returned;
        if (index->global)
            add_units(&meter_index(meter->thread, known->table, index->name)->own, table->access,
                      index->cost.halves);
        else
            halves += index->cost.halves;
    }
    if (table->access & ACCOUNT_RANGE)
        spread_add(&known->asked->returned, returned);
    return halves;
}

/* Kept apart, so that a call without all this does not pay for it. */
static __attribute__((noinline)) uint64_t count_rest(struct call_meter *meter,
                                                     const struct known_call *known,
                                                     const struct account_table *table) {
    counter_add(&known->table->conditions_failed, table->conditions_failed);
    counter_add(&known->table->conflicts, table->conflicts);
    return count_indexes(meter, known, table);
}

static inline const struct known_call *count_table(struct call_meter *meter, unsigned operation,
                                                   const struct account_table *table) {
    const struct known_call *known = known_call(meter, operation, &table->table->definition);
    uint64_t halves = table->cost.halves + table->failed_halves;
    if (table->indexes != NULL || table->failed > 0 || table->access & ACCOUNT_RANGE)
        halves += count_rest(meter, known, table);
    add_units(&known->table->own, table->access, halves);
    return known;
}

static struct meter_operation *count_stream(struct call_meter *meter, unsigned operation,
                                            const struct account_stream *stream) {
    struct meter_table *to = meter_table(meter->thread, stream->id, stream->table_name);
    struct meter_operation *asked = meter_operation(meter->thread, to, operation);
    spread_add(&asked->returned, stream->records);
    spread_add(&asked->returned_bytes, stream->bytes);
    return asked;
}

static struct meter_operation *count_without_table(struct call_meter *meter,
                                                   const struct op_call *call) {
    if (slice_present(call->account.stream.table_name))
        return count_stream(meter, call->number, &call->account.stream);
    return meter_operation(meter->thread, meter_no_table(meter->thread), call->number);
}

_Static_assert((int)THROTTLED_READ_MAX_ON_DEMAND == (int)METER_READ_MAX_ON_DEMAND &&
                   (int)THROTTLED_WRITE_MAX_ON_DEMAND == (int)METER_WRITE_MAX_ON_DEMAND,
               "limits and their meters have one order");

/* Whether a table stands before this entry: its request counts once. */
static bool is_counted(const struct account_throttle *first, const struct account_throttle *entry) {
    while (first != entry && first->table != entry->table)
        first = first->next;
    return first != entry;
}

/* Something was refused; with an error all of it was. Returns where the first of it is counted. */
static __attribute__((noinline)) struct meter_operation *
count_throttled(struct call_meter *meter, const struct op_call *call, const struct error *error) {
    const struct account_throttle *first = call->account.throttled;
    for (const struct account_throttle *entry = first; entry != NULL; entry = entry->next) {
        const struct table_definition *table = &entry->table->definition;
        struct meter_table *to = meter_table(meter->thread, table->id, table->name);
        meter_throttled(meter->thread, to, entry->by.index, (enum meter_throttle)entry->by.limit,
                        entry->events);
        if (error != NULL && !is_counted(first, entry))
            meter_throttled_request(meter->thread, to, call->number);
    }
    return known_call(meter, call->number, &first->table->definition)->asked;
}

void meter_call(struct call_meter *meter, const struct op_call *call, const struct error *error,
                uint64_t began_ns) {
    const struct account_table *table = &call->account.first;
    struct meter_operation *throttled = NULL;
    if (__builtin_expect(call->account.throttled != NULL, 0))
        throttled = count_throttled(meter, call, error);
    if (__builtin_expect(table->table == NULL, 0)) {
        count_request(meter, throttled != NULL ? throttled : count_without_table(meter, call),
                      error, began_ns);
        return;
    }
    do {
        count_request(meter, count_table(meter, call->number, table)->asked, error, began_ns);
        table = table->next;
    } while (table != NULL && table->table != NULL);
}
