/* read_throttle.c - see read_throttle.h. Threads: the one that runs the call. */
#include "ops/throttle/read_throttle.h"

#include "engine/throttled.h"

/* Eight bytes at a time; the seed is the server's own, so that clients do not know which keys share
 * a counter. */
static uint64_t mix(uint64_t hash, struct slice bytes) {
    for (; bytes.len >= 8; bytes = slice_skip(bytes, 8))
        hash = (hash ^ load_u64(bytes.data)) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    uint64_t rest = bytes.len + 1;
    for (size_t i = 0; i < bytes.len; i++)
        rest = rest << 8 | bytes.data[i];
    hash = (hash ^ rest) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 31;
}

struct read_ticket read_ticket(const struct op_call *call, const struct table *table,
                               const struct table_index *index, const struct value *hash) {
    const struct throttle *throttle = call->context->throttle;
    const struct key_schema *keys = index == NULL ? &table->definition.keys : &index->keys;
    struct read_ticket ticket = {.table = table, .index = index};
    ticket.use = (struct limits_use){.direction = LIMIT_READS,
                                     .has_key = hash != NULL,
                                     .key = throttle->seed,
                                     .now_ms = call->throttled_at_ms};
    for (size_t i = 0; hash != NULL && i < keys->hash_count; i++)
        ticket.use.key = mix(ticket.use.key, value_slice(hash[i]));
    return ticket;
}

struct read_ticket read_ticket_of_item(const struct op_call *call, const struct table *table,
                                       struct value key) {
    struct value hash = value_map_find(key, table->definition.keys.hash[0].name);
    return read_ticket(call, table, NULL, &hash);
}

static struct limits *limits_of(const struct read_ticket *ticket) {
    const struct table *table = ticket->table;
    return ticket->index == NULL ? table->limits
                                 : table->index_limits[ticket->index - table->definition.indexes];
}

struct error *read_throttle_check(struct op_call *call, const struct read_ticket *ticket,
                                  uint64_t halves) {
    unsigned kinds = limits_check(call->context->throttle, limits_of(ticket), &ticket->use, halves);
    if (__builtin_expect(kinds == 0, 1))
        return NULL;
    bool global = ticket->index != NULL && ticket->index->global;
    const struct throttled_hit hit = {
        .index = global ? ticket->index : NULL, .direction = LIMIT_READS, .kinds = kinds};
    struct error *error = throttled_error(call->arena, &ticket->table->definition, &hit, 1);
    account_throttled(call, ticket->table, error);
    return error;
}

void read_throttle_take(const struct op_call *call, const struct read_ticket *ticket,
                        uint64_t halves) {
    limits_take(call->context->throttle, limits_of(ticket), &ticket->use, halves);
}
