/* read_throttle.c - see read_throttle.h. Threads: the one that runs the call. */
#include "ops/throttle/read_throttle.h"

#include "engine/throttled.h"
#include "engine/write.h"
#include "throttle/limits.h"

/* A hash that clients cannot steer. */
static uint64_t hash_of(const struct op_call *call, const struct value *values, size_t count) {
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[16];
        engine_fingerprint(call->context->engine, value_slice(values[i]), bytes);
        hash = (hash ^ load_u64(bytes)) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

static struct limits_use use_of(const struct op_call *call, const struct read_target *target) {
    struct limits_use use = {.direction = LIMIT_READS,
                             .has_key = target->hash != NULL,
                             .now_ms = throttle_now_ms(call->context->throttle)};
    const struct key_schema *keys =
        target->index == NULL ? &target->table->definition.keys : &target->index->keys;
    if (use.has_key)
        use.key = hash_of(call, target->hash, keys->hash_count);
    return use;
}

static struct limits *limits_of(const struct read_target *target) {
    if (target->index == NULL)
        return target->table->limits;
    return target->table->index_limits[target->index - target->table->definition.indexes];
}

struct error *read_throttle_check(struct op_call *call, const struct read_target *target,
                                  uint64_t halves) {
    struct limits_use use = use_of(call, target);
    bool global = target->index != NULL && target->index->global;
    struct throttled_hit hit = {.index = global ? target->index : NULL, .direction = LIMIT_READS};
    hit.kinds = limits_check(call->context->throttle, limits_of(target), &use, halves);
    if (hit.kinds == 0)
        return NULL;
    struct error *error = throttled_error(call->arena, &target->table->definition, &hit, 1);
    account_throttled(call, target->table, error);
    return error;
}

void read_throttle_take(struct op_call *call, const struct read_target *target, uint64_t halves) {
    struct limits_use use = use_of(call, target);
    limits_take(call->context->throttle, limits_of(target), &use, halves);
}

struct error *read_throttle_check_item(struct op_call *call, const struct table *table,
                                       struct value key, uint64_t halves) {
    struct value hash = value_map_find(key, table->definition.keys.hash[0].name);
    return read_throttle_check(call, &(struct read_target){.table = table, .hash = &hash}, halves);
}

void read_throttle_take_item(struct op_call *call, const struct table *table, struct value key,
                             uint64_t halves) {
    struct value hash = value_map_find(key, table->definition.keys.hash[0].name);
    read_throttle_take(call, &(struct read_target){.table = table, .hash = &hash}, halves);
}
