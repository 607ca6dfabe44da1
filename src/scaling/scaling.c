/* scaling.c - targets and policies: read at the start, changed by requests, all as records. */
#include "scaling/scaling.h"

#include <stdlib.h>

#include "base/check.h"
#include "scaling/state.h"

/* ---- lists ---- */

static void *grown(void *list, size_t count, size_t size) {
    if ((count & (count - 1)) != 0)
        return list;
    void *more = realloc(list, (count == 0 ? 1 : 2 * count) * size);
    CHECK(more != NULL);
    return more;
}

static void target_free(struct kept_target *kept) {
    arena_release(&kept->arena);
    free(kept);
}

static void policy_free(struct kept_policy *kept) {
    arena_release(&kept->arena);
    free(kept);
}

static struct slice copy(struct arena *arena, struct slice text) {
    return slice_present(text) ? arena_slice(arena, text) : text;
}

static struct scaling_target target_copy(struct arena *arena, const struct scaling_target *from) {
    struct scaling_target target = *from;
    target.resource = copy(arena, from->resource);
    target.role = copy(arena, from->role);
    target.id = copy(arena, from->id);
    return target;
}

static struct scaling_policy policy_copy(struct arena *arena, const struct scaling_policy *from) {
    struct scaling_policy policy = *from;
    policy.resource = copy(arena, from->resource);
    policy.name = copy(arena, from->name);
    policy.id = copy(arena, from->id);
    for (int i = 0; i < SCALING_ALARMS; i++)
        policy.alarm_ids[i] = copy(arena, from->alarm_ids[i]);
    return policy;
}

struct kept_target *scaling_find_target(const struct scaling *scaling, struct slice resource,
                                        enum scaling_dimension dimension) {
    for (size_t i = 0; i < scaling->target_count; i++) {
        struct kept_target *kept = scaling->targets[i];
        if (kept->target.dimension == dimension && slice_equal(kept->target.resource, resource))
            return kept;
    }
    return NULL;
}

static void take_target(struct scaling *scaling, const struct scaling_target *target, bool fresh) {
    struct kept_target *kept = calloc(1, sizeof(*kept));
    CHECK(kept != NULL);
    arena_init(&kept->arena);
    kept->target = target_copy(&kept->arena, target);
    kept->fresh = fresh;
    for (size_t i = 0; i < scaling->target_count; i++)
        if (scaling->targets[i]->target.dimension == target->dimension &&
            slice_equal(scaling->targets[i]->target.resource, target->resource)) {
            target_free(scaling->targets[i]);
            scaling->targets[i] = kept;
            return;
        }
    scaling->targets = grown(scaling->targets, scaling->target_count, sizeof(*scaling->targets));
    scaling->targets[scaling->target_count++] = kept;
}

static void take_policy(struct scaling *scaling, const struct scaling_policy *policy) {
    struct kept_policy *kept = calloc(1, sizeof(*kept));
    CHECK(kept != NULL);
    arena_init(&kept->arena);
    kept->policy = policy_copy(&kept->arena, policy);
    for (size_t i = 0; i < scaling->policy_count; i++)
        if (slice_equal(scaling->policies[i]->policy.id, policy->id)) {
            policy_free(scaling->policies[i]);
            scaling->policies[i] = kept;
            return;
        }
    scaling->policies = grown(scaling->policies, scaling->policy_count, sizeof(*scaling->policies));
    scaling->policies[scaling->policy_count++] = kept;
}

struct error *scaling_keep_policy(struct scaling *scaling, struct arena *arena,
                                  const struct scaling_policy *policy) {
    struct record record = scaling_policy_record(arena, policy);
    TRY(engine_change_records(scaling->options.engine, arena, &record, 1));
    take_policy(scaling, policy);
    return NULL;
}

void scaling_ring(struct scaling *scaling) {
    pthread_mutex_lock(&scaling->bell_lock);
    scaling->rung = true;
    pthread_cond_signal(&scaling->bell);
    pthread_mutex_unlock(&scaling->bell_lock);
}

/* ---- the table ---- */

bool scaling_find_capacity(struct scaling *scaling, struct slice resource,
                           enum scaling_dimension dimension,
                           struct scaling_capacity *ret_capacity) {
    struct slice name, index;
    if (!scaling_resource_split(resource, dimension, &name, &index))
        return false;
    const struct table *table = catalog_find(scaling->catalog, name);
    if (table == NULL || table->definition.billing != BILLING_PROVISIONED)
        return false;
    const struct provisioned_throughput *throughput = &table->definition.throughput;
    if (slice_present(index)) {
        const struct table_index *found = table_find_index(&table->definition, index);
        if (found == NULL || !found->global)
            return false;
        throughput = &found->throughput;
    }
    *ret_capacity = (struct scaling_capacity){throughput->read_units, throughput->write_units,
                                              table->definition.id};
    return true;
}

/* ---- changing ---- */

static void say_more(struct scaling_target *target,
                     const struct scaling_registration *registration) {
    if (registration->min != NULL)
        target->min = *registration->min;
    if (registration->max != NULL)
        target->max = *registration->max;
    if (slice_present(registration->role))
        target->role = registration->role;
    if (registration->suspended_in != NULL)
        target->suspended_in = *registration->suspended_in;
    if (registration->suspended_out != NULL)
        target->suspended_out = *registration->suspended_out;
    if (registration->suspended_scheduled != NULL)
        target->suspended_scheduled = *registration->suspended_scheduled;
}

static struct error *check_bounds(struct arena *arena, const struct scaling_target *target,
                                  const struct scaling_registration *registration, bool is_new) {
    if (is_new && (registration->min == NULL || registration->max == NULL))
        return error_validation(arena, "%s cannot be null",
                                registration->min == NULL ? "MinCapacity" : "MaxCapacity");
    if (target->min > target->max)
        return error_validation(arena, "Maximum capacity cannot be less than minimum capacity");
    return NULL;
}

static struct error *store_target(struct scaling *scaling, struct arena *arena,
                                  const struct scaling_registration *registration,
                                  struct scaling_target *ret_target) {
    const struct kept_target *before =
        scaling_find_target(scaling, registration->resource, registration->dimension);
    struct scaling_target target = {.resource = registration->resource,
                                    .dimension = registration->dimension,
                                    .created_ms = clock_now_ms(scaling->options.clock)};
    if (before != NULL)
        target = before->target;
    else if (scaling->target_count == SCALING_TARGETS_MAX)
        return error_new(arena, ERROR_LIMIT_EXCEEDED, "There are %d scalable targets already",
                         SCALING_TARGETS_MAX);
    else
        target.id = random_uuid(scaling->options.random, arena);
    say_more(&target, registration);
    TRY(check_bounds(arena, &target, registration, before == NULL));
    struct record record = scaling_target_record(arena, &target);
    TRY(engine_change_records(scaling->options.engine, arena, &record, 1));
    *ret_target = target_copy(arena, &target);
    take_target(scaling, ret_target, registration->min != NULL || registration->max != NULL);
    scaling_ring(scaling);
    return NULL;
}

struct error *scaling_register(struct scaling *scaling, struct arena *arena,
                               const struct scaling_registration *registration,
                               struct scaling_target *ret_target) {
    pthread_mutex_lock(&scaling->lock);
    struct error *error = store_target(scaling, arena, registration, ret_target);
    pthread_mutex_unlock(&scaling->lock);
    return error;
}

/* The policies of a target, or the one of that name. */
static struct error *drop_policies(struct scaling *scaling, struct arena *arena,
                                   struct slice resource, enum scaling_dimension dimension,
                                   struct slice name, bool *ret_found) {
    for (size_t i = scaling->policy_count; i-- > 0;) {
        struct kept_policy *kept = scaling->policies[i];
        if (kept->policy.dimension != dimension || !slice_equal(kept->policy.resource, resource) ||
            (slice_present(name) && !slice_equal(kept->policy.name, name)))
            continue;
        struct record record = scaling_policy_record(arena, &kept->policy);
        record.value = SLICE_NONE;
        TRY(engine_change_records(scaling->options.engine, arena, &record, 1));
        scaling_delete_alarms(scaling, arena, &kept->policy);
        scaling->policies[i] = scaling->policies[--scaling->policy_count];
        policy_free(kept);
        *ret_found = true;
    }
    return NULL;
}

static struct error *drop_target(struct scaling *scaling, struct arena *arena,
                                 struct slice resource, enum scaling_dimension dimension,
                                 bool *ret_found) {
    bool any;
    struct kept_target *kept = scaling_find_target(scaling, resource, dimension);
    *ret_found = kept != NULL;
    if (kept == NULL)
        return NULL;
    TRY(drop_policies(scaling, arena, resource, dimension, SLICE_NONE, &any));
    struct record record = scaling_target_record(arena, &kept->target);
    record.value = SLICE_NONE;
    TRY(engine_change_records(scaling->options.engine, arena, &record, 1));
    for (size_t i = 0; i < scaling->target_count; i++)
        if (scaling->targets[i] == kept) {
            scaling->targets[i] = scaling->targets[--scaling->target_count];
            break;
        }
    target_free(kept);
    return NULL;
}

struct error *scaling_deregister(struct scaling *scaling, struct arena *arena,
                                 struct slice resource, enum scaling_dimension dimension,
                                 bool *ret_found) {
    pthread_mutex_lock(&scaling->lock);
    struct error *error = drop_target(scaling, arena, resource, dimension, ret_found);
    pthread_mutex_unlock(&scaling->lock);
    return error;
}

struct error *scaling_delete_policy(struct scaling *scaling, struct arena *arena,
                                    struct slice resource, enum scaling_dimension dimension,
                                    struct slice name, bool *ret_found) {
    *ret_found = false;
    pthread_mutex_lock(&scaling->lock);
    struct error *error = drop_policies(scaling, arena, resource, dimension, name, ret_found);
    pthread_mutex_unlock(&scaling->lock);
    return error;
}

/* What a new one gets, and one that is replaced keeps; of a table that was made anew, no times. */
static void fill_in(struct scaling *scaling, struct arena *arena, struct scaling_policy *policy) {
    const struct scaling_options *options = &scaling->options;
    policy->created_ms = clock_now_ms(options->clock);
    for (size_t i = 0; i < scaling->policy_count; i++) {
        const struct scaling_policy *before = &scaling->policies[i]->policy;
        if (before->dimension != policy->dimension || !slice_equal(before->name, policy->name) ||
            !slice_equal(before->resource, policy->resource))
            continue;
        policy->id = before->id;
        memcpy(policy->alarm_ids, before->alarm_ids, sizeof(policy->alarm_ids));
        if (before->table_id == policy->table_id) {
            policy->created_ms = before->created_ms;
            policy->grown_ms = before->grown_ms;
            policy->shrunk_ms = before->shrunk_ms;
        }
        return;
    }
    policy->id = random_uuid(options->random, arena);
    for (int i = 0; i < SCALING_ALARMS; i++)
        policy->alarm_ids[i] = random_uuid(options->random, arena);
}

static struct error *store_policy(struct scaling *scaling, struct arena *arena,
                                  struct scaling_policy *policy, bool *ret_found) {
    struct scaling_capacity capacity = {0};
    *ret_found = scaling_find_target(scaling, policy->resource, policy->dimension) != NULL;
    if (!*ret_found)
        return NULL;
    if (scaling->policy_count == SCALING_POLICIES_MAX)
        return error_new(arena, ERROR_LIMIT_EXCEEDED, "There are %d scaling policies already",
                         SCALING_POLICIES_MAX);
    if (!scaling_find_capacity(scaling, policy->resource, policy->dimension, &capacity))
        return error_validation(arena,
                                "DynamoDB table or index does not exist, or is on demand: "
                                "%.*s",
                                SLICE_ARGS(policy->resource));
    policy->table_id = capacity.table_id;
    fill_in(scaling, arena, policy);
    policy->alarmed_capacity = scaling_is_write(policy->dimension) ? capacity.write : capacity.read;
    *policy = policy_copy(arena, policy);
    TRY(scaling_keep_policy(scaling, arena, policy));
    scaling_ring(scaling);
    return scaling_put_alarms(scaling, arena, policy, policy->alarmed_capacity);
}

struct error *scaling_put_policy(struct scaling *scaling, struct arena *arena,
                                 struct scaling_policy *policy, bool *ret_found) {
    pthread_mutex_lock(&scaling->lock);
    struct error *error = store_policy(scaling, arena, policy, ret_found);
    pthread_mutex_unlock(&scaling->lock);
    return error;
}

/* ---- looking ---- */

size_t scaling_targets(struct scaling *scaling, struct arena *arena,
                       struct scaling_target **ret_targets) {
    pthread_mutex_lock(&scaling->lock);
    size_t count = scaling->target_count;
    *ret_targets = ARENA_ARRAY(arena, struct scaling_target, count);
    for (size_t i = 0; i < count; i++)
        (*ret_targets)[i] = target_copy(arena, &scaling->targets[i]->target);
    pthread_mutex_unlock(&scaling->lock);
    return count;
}

size_t scaling_policies(struct scaling *scaling, struct arena *arena,
                        struct scaling_policy **ret_policies) {
    pthread_mutex_lock(&scaling->lock);
    size_t count = scaling->policy_count;
    *ret_policies = ARENA_ARRAY(arena, struct scaling_policy, count);
    for (size_t i = 0; i < count; i++)
        (*ret_policies)[i] = policy_copy(arena, &scaling->policies[i]->policy);
    pthread_mutex_unlock(&scaling->lock);
    return count;
}

struct error *scaling_activities(struct scaling *scaling, struct arena *arena,
                                 struct scaling_activity **ret_activities, size_t *ret_count) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(scaling->options.engine, arena, SLICE_LITERAL(STORED_SCALING_ACTIVITY),
                            &records, &count));
    *ret_activities = ARENA_ARRAY(arena, struct scaling_activity, count);
    for (size_t i = 0; i < count; i++)
        TRY(scaling_activity_of_record(arena, &records[count - 1 - i], &(*ret_activities)[i]));
    *ret_count = count;
    return NULL;
}

/* ---- opening ---- */

static struct error *load(struct scaling *scaling, struct arena *arena) {
    struct engine *engine = scaling->options.engine;
    struct record *records;
    size_t count;
    TRY(engine_read_records(engine, arena, SLICE_LITERAL(STORED_SCALING_TARGET), &records, &count));
    for (size_t i = 0; i < count; i++) {
        struct scaling_target target;
        TRY(scaling_target_of_record(arena, &records[i], &target));
        take_target(scaling, &target, false);
    }
    TRY(engine_read_records(engine, arena, SLICE_LITERAL(STORED_SCALING_POLICY), &records, &count));
    for (size_t i = 0; i < count; i++) {
        struct scaling_policy policy;
        TRY(scaling_policy_of_record(arena, &records[i], &policy));
        take_policy(scaling, &policy);
    }
    TRY(engine_read_records(engine, arena, SLICE_LITERAL(STORED_SCALING_ACTIVITY), &records,
                            &count));
    if (count > 0)
        scaling->activity_next = strtoull((const char *)records[count - 1].name.data, NULL, 10) + 1;
    return NULL;
}

struct error *scaling_open(struct arena *arena, const struct scaling_options *options,
                           struct scaling **ret_scaling) {
    struct scaling *scaling = calloc(1, sizeof(*scaling));
    CHECK(scaling != NULL);
    scaling->options = *options;
    pthread_mutex_init(&scaling->lock, NULL);
    pthread_mutex_init(&scaling->bell_lock, NULL);
    scaling->catalog = catalog_view_new(engine_catalog(options->engine));
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&scaling->bell, &attributes);
    pthread_condattr_destroy(&attributes);
    struct error *error = load(scaling, arena);
    if (error == NULL)
        error = scaling_loop_start(scaling, arena);
    if (error != NULL)
        scaling_close(scaling);
    else
        *ret_scaling = scaling;
    return error;
}

void scaling_close(struct scaling *scaling) {
    if (scaling == NULL)
        return;
    scaling_loop_stop(scaling);
    for (size_t i = 0; i < scaling->target_count; i++)
        target_free(scaling->targets[i]);
    for (size_t i = 0; i < scaling->policy_count; i++)
        policy_free(scaling->policies[i]);
    free(scaling->targets);
    free(scaling->policies);
    catalog_view_free(scaling->catalog);
    pthread_cond_destroy(&scaling->bell);
    pthread_mutex_destroy(&scaling->bell_lock);
    pthread_mutex_destroy(&scaling->lock);
    free(scaling);
}

void scaling_time_moved(struct scaling *scaling) {
    scaling_ring(scaling);
}
