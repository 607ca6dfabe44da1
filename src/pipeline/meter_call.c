/* meter_call.c - from an account to meters. A call that touches several tables counts for each.
 *
 * Nearly every call is about one table, succeeds, was asked for before and lies between the
 * extremes so far: it is counted without calling anything (meter_call, call_meter_count_unsent).
 * Whatever is not so goes the long way, which can do everything. */
#include "pipeline/meter_call.h"

#include "base/ticks.h"

static __attribute__((noinline)) void
count_unsent_from(struct call_meter *meter, const struct unsent_call *call, uint64_t now) {
    for (; call < meter->unsent + meter->unsent_count; call++)
        latency_add(&call->asked->latency, ticks_ns(call->began, now));
    meter->unsent_count = 0;
}

void call_meter_count_unsent(struct call_meter *meter) {
    const struct unsent_call *call = meter->unsent, *end = call + meter->unsent_count;
    uint64_t now = ticks_now();
    for (; call < end; call++) {
        struct latency *latency = &call->asked->latency;
        uint64_t ns = ticks_ns(call->began, now);
        if (!spread_holds(&latency->ns, ns)) {
            count_unsent_from(meter, call, now);
            return;
        }
        latency_add_held(latency, ns);
    }
    meter->unsent_count = 0;
}

/* There is room for it. */
static inline void put_unsent(struct call_meter *meter, struct meter_operation *asked,
                              uint64_t began) {
    counter_add(&asked->outcomes[METER_OK], 1);
    meter->unsent[meter->unsent_count++] = (struct unsent_call){asked, began};
}

static void count_success(struct call_meter *meter, struct meter_operation *asked, uint64_t began) {
    if (meter->unsent_count == CALL_METER_UNSENT_MAX)
        call_meter_count_unsent(meter); /* a bit early: nobody should have so many at once */
    put_unsent(meter, asked, began);
}

static void count_request(struct call_meter *meter, struct meter_operation *asked,
                          const struct error *error, uint64_t began) {
    if (error == NULL)
        count_success(meter, asked, began);
    else
        counter_add(&asked->outcomes[METER_ERRORS + (unsigned)error->code], 1);
}

static inline struct known_call *known_slot(struct call_meter *meter, unsigned operation,
                                            const struct table_definition *table) {
    return &meter->known[(table->id * 31 + operation) % CALL_METER_KNOWN];
}

static inline bool is_known(const struct known_call *known, unsigned operation,
                            const struct table_definition *table) {
    return known->id == table->id && known->operation == operation;
}

static const struct known_call *known_call(struct call_meter *meter, unsigned operation,
                                           const struct table_definition *table) {
    struct known_call *known = known_slot(meter, operation, table);
    if (!is_known(known, operation, table)) {
        struct meter_table *to = meter_table(meter->thread, table->id, table->name);
        *known = (struct known_call){table->id, operation, to,
                                     meter_operation(meter->thread, to, operation)};
    }
    return known;
}

static inline struct spread *units_of(struct meter_resource *resource, uint32_t access) {
    return access & ACCOUNT_WRITE ? &resource->write : &resource->read;
}

static void add_units(struct meter_resource *resource, uint32_t access, uint64_t halves) {
    if (halves > 0)
        spread_add(units_of(resource, access), halves);
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

static const struct known_call *count_table(struct call_meter *meter, unsigned operation,
                                            const struct account_table *table) {
    const struct known_call *known = known_call(meter, operation, &table->table->definition);
    uint64_t halves = table->cost.halves + table->failed_halves;
    counter_add(&known->table->conditions_failed, table->conditions_failed);
    counter_add(&known->table->conflicts, table->conflicts);
    halves += count_indexes(meter, known, table);
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
static struct meter_operation *count_throttled(struct call_meter *meter, const struct op_call *call,
                                               const struct error *error) {
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

/* Any call. */
static __attribute__((noinline)) void count_call(struct call_meter *meter,
                                                 const struct op_call *call,
                                                 const struct error *error, uint64_t began) {
    const struct account_table *table = &call->account.first;
    struct meter_operation *throttled = NULL;
    if (call->account.throttled != NULL)
        throttled = count_throttled(meter, call, error);
    if (table->table == NULL) {
        count_request(meter, throttled != NULL ? throttled : count_without_table(meter, call),
                      error, began);
        return;
    }
    do {
        count_request(meter, count_table(meter, call->number, table)->asked, error, began);
        table = table->next;
    } while (table != NULL && table->table != NULL);
}

/* Whether it used units of one table, and there is nothing else to count. */
static inline bool is_simple(const struct account *account) {
    const struct account_table *table = &account->first;
    return table->table != NULL && table->next == NULL && table->indexes == NULL &&
           table->failed == 0 && !(table->access & ACCOUNT_RANGE) && table->cost.halves > 0 &&
           account->throttled == NULL;
}

void meter_call(struct call_meter *meter, const struct op_call *call, const struct error *error,
                uint64_t began) {
    const struct account_table *table = &call->account.first;
    if (error == NULL && is_simple(&call->account)) {
        const struct table_definition *definition = &table->table->definition;
        const struct known_call *known = known_slot(meter, call->number, definition);
        if (is_known(known, call->number, definition) &&
            meter->unsent_count < CALL_METER_UNSENT_MAX) {
            struct spread *units = units_of(&known->table->own, table->access);
            if (spread_holds(units, table->cost.halves)) {
                spread_add_held(units, table->cost.halves);
                put_unsent(meter, known->asked, began);
                return;
            }
        }
    }
    count_call(meter, call, error, began);
}
