/* loop.c - the thread: once a minute it looks at what was consumed, and changes what has to be
 * changed. Bounds that were given just now are looked at at once.
 *
 * A change is made without the lock: it waits for the commit thread, and requests for scaling must
 * not wait for it. What the policy says may have changed since; the next minute sees to that. */
#include "base/check.h"
#include "base/deadline.h"
#include "base/log.h"
#include "cloudwatch/series.h"
#include "scaling/decide.h"
#include "scaling/state.h"

/* A minute is looked at so long after its end: those who measure may still be adding. */
enum { MINUTE_MS = 60 * 1000, DELAY_MS = 5000, SLEEP_MAX_MS = 30 * 1000, PROBLEM_MAX = 500 };

/* ---- what was consumed ---- */

static struct error *read_consumed(struct scaling *scaling, struct arena *arena,
                                   const struct scaling_policy *policy, int64_t end_ms,
                                   double consumed[SCALING_MINUTES_LOW]) {
    struct slice table, index;
    struct metric_dimension dimensions[2];
    size_t count = 0;
    scaling_resource_split(policy->resource, policy->dimension, &table, &index);
    if (slice_present(index))
        dimensions[count++] =
            (struct metric_dimension){SLICE_LITERAL("GlobalSecondaryIndexName"), index};
    dimensions[count++] = (struct metric_dimension){SLICE_LITERAL("TableName"), table};
    struct metric metric = {.name_space = SLICE_LITERAL("AWS/DynamoDB"),
                            .name = scaling_is_write(policy->dimension)
                                        ? SLICE_LITERAL("ConsumedWriteCapacityUnits")
                                        : SLICE_LITERAL("ConsumedReadCapacityUnits"),
                            .dimensions = dimensions,
                            .dimension_count = count,
                            .unit = METRIC_UNIT_ANY};
    struct series_query query = {.metric = &metric,
                                 .from_ms = end_ms - (int64_t)SCALING_MINUTES_LOW * MINUTE_MS,
                                 .to_ms = end_ms,
                                 .period_ms = MINUTE_MS};
    struct series_result result = {0};
    TRY(series_read(scaling->options.series, arena, &query, &result));
    for (int i = 0; i < SCALING_MINUTES_LOW; i++)
        consumed[i] = 0;
    for (size_t i = 0; i < result.count; i++) {
        int64_t back = (end_ms - MINUTE_MS - result.points[i].time_ms) / MINUTE_MS;
        if (back >= 0 && back < SCALING_MINUTES_LOW)
            consumed[back] = result.points[i].sample.sum;
    }
    return NULL;
}

/* ---- a change ---- */

struct wish {
    struct slice resource;
    enum scaling_dimension dimension;
    struct slice policy_id; /* absent: its bounds ask for it */
    struct slice cause;
    struct scaling_capacity from;
    int64_t to;
    bool grows;
};

static struct error *remember(struct scaling *scaling, struct arena *arena,
                              const struct scaling_activity *activity) {
    struct record records[2] = {
        scaling_activity_record(arena, scaling->activity_next, activity),
        {.kind = SLICE_LITERAL(STORED_SCALING_ACTIVITY)},
    };
    bool full = scaling->activity_next >= ACTIVITIES_MAX;
    if (full)
        records[1].name = scaling_activity_name(arena, scaling->activity_next - ACTIVITIES_MAX);
    TRY(engine_change_records(scaling->options.engine, arena, records, full ? 2 : 1));
    scaling->activity_next++;
    return NULL;
}

/* The policy's own memory of it, for its cooldown, and its alarms. */
static struct error *settle_policy(struct scaling *scaling, struct arena *arena,
                                   const struct wish *wish, int64_t now_ms) {
    for (size_t i = 0; i < scaling->policy_count; i++) {
        struct scaling_policy policy = scaling->policies[i]->policy;
        if (policy.dimension != wish->dimension || !slice_equal(policy.resource, wish->resource))
            continue;
        policy.alarmed_capacity = wish->to;
        if (slice_equal(policy.id, wish->policy_id))
            *(wish->grows ? &policy.grown_ms : &policy.shrunk_ms) = now_ms;
        TRY(scaling_put_alarms(scaling, arena, &policy, wish->to));
        return scaling_keep_policy(scaling, arena, &policy);
    }
    return NULL;
}

static struct error *do_change(struct scaling *scaling, struct arena *arena,
                               const struct wish *wish) {
    struct scaling_change change = {.read = wish->from.read, .write = wish->from.write};
    bool write = scaling_is_write(wish->dimension);
    *(write ? &change.write : &change.read) = wish->to;
    scaling_resource_split(wish->resource, wish->dimension, &change.table, &change.index);
    return scaling->options.hand.change(scaling->options.hand.user, arena, &change);
}

/* Without the lock, but for what is noted at the end. */
static void carry_out(struct scaling *scaling, struct arena *arena, const struct wish *wish) {
    const char *unit = scaling_is_write(wish->dimension) ? "write" : "read";
    struct scaling_activity activity = {
        .id = random_uuid(scaling->options.random, arena),
        .resource = wish->resource,
        .dimension = wish->dimension,
        .description =
            arena_printf(arena, "Setting %s capacity units to %lld.", unit, (long long)wish->to),
        .cause = wish->cause,
        .status = SLICE_LITERAL("Successful"),
        .begun_ms = clock_now_ms(scaling->options.clock),
    };
    struct error *failure = do_change(scaling, arena, wish);
    activity.ended_ms = clock_now_ms(scaling->options.clock);
    activity.message = arena_printf(arena,
                                    "Successfully set %s capacity units to %lld. Change "
                                    "successfully fulfilled by dynamodb.",
                                    unit, (long long)wish->to);
    if (failure != NULL) {
        activity.status = SLICE_LITERAL("Failed");
        activity.message = arena_printf(arena, "Failed to set %s capacity units to %lld: %.*s",
                                        unit, (long long)wish->to, SLICE_ARGS(failure->message));
    }
    log_info("auto scaling of %.*s: %.*s", SLICE_ARGS(wish->resource),
             SLICE_ARGS(activity.message));
    pthread_mutex_lock(&scaling->lock);
    struct error *error = remember(scaling, arena, &activity);
    if (error == NULL && failure == NULL)
        error = settle_policy(scaling, arena, wish, activity.ended_ms);
    pthread_mutex_unlock(&scaling->lock);
    if (error != NULL)
        log_error("auto scaling: %.*s", SLICE_ARGS(error->message));
}

/* ---- what is to be changed; with the lock ---- */

static int64_t units_of(const struct scaling_capacity *capacity, enum scaling_dimension dimension) {
    return scaling_is_write(dimension) ? capacity->write : capacity->read;
}

/* Bounds that were given just now hold for the capacity as it is. */
static bool wants_bounds(struct scaling *scaling, struct arena *arena, struct kept_target *kept,
                         struct wish *ret_wish) {
    const struct scaling_target *target = &kept->target;
    struct scaling_capacity capacity;
    bool fresh = kept->fresh;
    kept->fresh = false;
    if (!fresh || !scaling_find_capacity(scaling, target->resource, target->dimension, &capacity))
        return false;
    int64_t units = units_of(&capacity, target->dimension);
    int64_t wanted = units < target->min ? target->min : units > target->max ? target->max : units;
    bool suspended = wanted > units ? target->suspended_out : target->suspended_in;
    if (wanted == units || suspended)
        return false;
    *ret_wish = (struct wish){
        .resource = arena_slice(arena, target->resource),
        .dimension = target->dimension,
        .cause = arena_printf(arena, "%s capacity was set to %lld",
                              wanted > units ? "minimum" : "maximum", (long long)wanted),
        .from = capacity,
        .to = wanted,
        .grows = wanted > units,
    };
    return true;
}

static bool is_cool(int64_t last_ms, int64_t cooldown_s, int64_t now_ms) {
    return last_ms == 0 || now_ms - last_ms >= cooldown_s * 1000;
}

static bool wants_policy(struct scaling *scaling, struct arena *arena,
                         const struct scaling_policy *policy, int64_t end_ms,
                         struct wish *ret_wish) {
    const struct kept_target *kept =
        scaling_find_target(scaling, policy->resource, policy->dimension);
    struct scaling_capacity capacity;
    int64_t now_ms = clock_now_ms(scaling->options.clock);
    if (kept == NULL ||
        !scaling_find_capacity(scaling, policy->resource, policy->dimension, &capacity) ||
        capacity.table_id != policy->table_id)
        return false;
    struct scaling_state state = {
        .capacity = units_of(&capacity, policy->dimension),
        .min = kept->target.min,
        .max = kept->target.max,
        .target = policy->target,
        .may_grow = !kept->target.suspended_out &&
                    is_cool(policy->grown_ms, policy->out_cooldown_s, now_ms),
        .may_shrink = !kept->target.suspended_in && !policy->keeps_capacity &&
                      end_ms - policy->created_ms >= SCALING_MINUTES_LOW * MINUTE_MS &&
                      is_cool(policy->shrunk_ms, policy->in_cooldown_s, now_ms),
    };
    int64_t wanted = 0;
    struct error *error = read_consumed(scaling, arena, policy, end_ms, state.consumed);
    if (error != NULL) {
        log_error("auto scaling: %.*s", SLICE_ARGS(error->message));
        return false;
    }
    enum scaling_wish wish = scaling_decide(&state, &wanted);
    if (wish == SCALING_STAY || state.capacity < state.min)
        return false;
    struct slice alarm = scaling_alarm_name(arena, policy, wish == SCALING_GROW ? 0 : 1);
    *ret_wish = (struct wish){
        .resource = arena_slice(arena, policy->resource),
        .dimension = policy->dimension,
        .policy_id = arena_slice(arena, policy->id),
        .cause = arena_printf(arena, "monitor alarm %.*s in state ALARM triggered policy %.*s",
                              SLICE_ARGS(alarm), SLICE_ARGS(policy->name)),
        .from = capacity,
        .to = wanted,
        .grows = wish == SCALING_GROW,
    };
    return true;
}

/* All that is to be done now; in the arena. */
static size_t collect(struct scaling *scaling, struct arena *arena, struct wish **ret_wishes) {
    size_t count = 0;
    int64_t now_ms = clock_now_ms(scaling->options.clock);
    int64_t end_ms = (now_ms - DELAY_MS) / MINUTE_MS * MINUTE_MS;
    *ret_wishes =
        ARENA_ARRAY(arena, struct wish, scaling->target_count + scaling->policy_count + 1);
    for (size_t i = 0; i < scaling->target_count; i++)
        count += wants_bounds(scaling, arena, scaling->targets[i], &(*ret_wishes)[count]);
    if (end_ms <= scaling->looked_ms)
        return count;
    scaling->looked_ms = end_ms;
    for (size_t i = 0; i < scaling->policy_count; i++)
        count += wants_policy(scaling, arena, &scaling->policies[i]->policy, end_ms,
                              &(*ret_wishes)[count]);
    return count;
}

/* ---- the thread ---- */

enum { SLEEP_FOR_EVER = 0 };

/* With the lock: until the next minute has ended. */
static uint32_t sleep_ms(const struct scaling *scaling) {
    if (scaling->policy_count == 0)
        return SLEEP_FOR_EVER;
    int64_t left_ms =
        scaling->looked_ms + MINUTE_MS + DELAY_MS - clock_now_ms(scaling->options.clock);
    return left_ms < 1 ? 1 : left_ms > SLEEP_MAX_MS ? SLEEP_MAX_MS : (uint32_t)left_ms;
}

/* Until it is rung or the time is over. False: it is to end. */
static bool rest(struct scaling *scaling, uint32_t ms) {
    struct timespec until = deadline_after_ms(ms);
    int waited = 0;
    pthread_mutex_lock(&scaling->bell_lock);
    while (!scaling->rung && !scaling->stopping && waited == 0)
        waited = ms == SLEEP_FOR_EVER
                     ? pthread_cond_wait(&scaling->bell, &scaling->bell_lock)
                     : pthread_cond_timedwait(&scaling->bell, &scaling->bell_lock, &until);
    scaling->rung = false;
    bool goes_on = !scaling->stopping;
    pthread_mutex_unlock(&scaling->bell_lock);
    return goes_on;
}

static void *run(void *user) {
    struct scaling *scaling = user;
    struct arena arena;
    uint32_t pause_ms;
    arena_init(&arena);
    do {
        struct wish *wishes;
        pthread_mutex_lock(&scaling->lock);
        size_t count = collect(scaling, &arena, &wishes);
        pause_ms = sleep_ms(scaling);
        pthread_mutex_unlock(&scaling->lock);
        for (size_t i = 0; i < count; i++)
            carry_out(scaling, &arena, &wishes[i]);
        arena_reset(&arena);
    } while (rest(scaling, pause_ms));
    arena_release(&arena);
    return NULL;
}

struct error *scaling_loop_start(struct scaling *scaling, struct arena *arena) {
    /* What was looked at before a restart is not looked at again at once. */
    scaling->looked_ms = (clock_now_ms(scaling->options.clock) - DELAY_MS) / MINUTE_MS * MINUTE_MS;
    scaling->started = pthread_create(&scaling->thread, NULL, run, scaling) == 0;
    return scaling->started ? NULL : error_local(arena, "no thread for auto scaling");
}

void scaling_loop_stop(struct scaling *scaling) {
    if (!scaling->started)
        return;
    pthread_mutex_lock(&scaling->bell_lock);
    scaling->stopping = true;
    pthread_cond_signal(&scaling->bell);
    pthread_mutex_unlock(&scaling->bell_lock);
    pthread_join(scaling->thread, NULL);
}
