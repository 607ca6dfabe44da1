/* alarms.c - the four alarms of a policy, as the service makes them. The loop does not wait for
 * them: they show people what it looks at. */
#include "alarm/alarms.h"

#include "base/log.h"
#include "scaling/decide.h"
#include "scaling/state.h"

enum { ALARM_HIGH, ALARM_LOW, CAPACITY_HIGH, CAPACITY_LOW, CAPACITY_PERIODS = 3 };

static struct alarm_metric metric_of(struct arena *arena, const struct scaling_policy *policy,
                                     bool consumed) {
    struct slice table, index;
    struct alarm_pair *dimensions = ARENA_ARRAY(arena, struct alarm_pair, 2);
    bool write = scaling_is_write(policy->dimension);
    scaling_resource_split(policy->resource, policy->dimension, &table, &index);
    dimensions[0] = (struct alarm_pair){SLICE_LITERAL("TableName"), table};
    dimensions[1] = (struct alarm_pair){SLICE_LITERAL("GlobalSecondaryIndexName"), index};
    return (struct alarm_metric){
        .name_space = SLICE_LITERAL("AWS/DynamoDB"),
        .name = arena_printf(arena, "%s%sCapacityUnits", consumed ? "Consumed" : "Provisioned",
                             write ? "Write" : "Read"),
        .dimensions = dimensions,
        .dimension_count = slice_present(index) ? 2 : 1,
        .period_s = consumed ? 60 : 300,
        .statistic = consumed ? SLICE_LITERAL("Sum") : SLICE_LITERAL("Average"),
    };
}

static struct alarm_rule rule_of(const struct scaling_policy *policy, int alarm, int64_t capacity) {
    struct alarm_rule rule = {.periods = CAPACITY_PERIODS, .threshold = (double)capacity};
    if (alarm == ALARM_HIGH) {
        rule.periods = SCALING_MINUTES_HIGH;
        rule.threshold = scaling_high_units(capacity, policy->target);
    } else if (alarm == ALARM_LOW) {
        rule.periods = SCALING_MINUTES_LOW;
        rule.threshold = scaling_low_units(capacity, policy->target);
    }
    bool high = alarm == ALARM_HIGH || alarm == CAPACITY_HIGH;
    rule.comparison = high ? ALARM_COMPARISON_GREATER : ALARM_COMPARISON_LESS;
    return rule;
}

static struct error *put_alarm(struct scaling *scaling, struct arena *arena,
                               const struct scaling_policy *policy, int alarm, int64_t capacity) {
    struct slice arn = scaling_policy_arn(arena, &scaling->options.home, policy);
    struct alarm_settings settings = {
        .name = scaling_alarm_name(arena, policy, alarm),
        .description =
            arena_printf(arena, "DO NOT EDIT OR DELETE. For TargetTrackingScaling policy %.*s.",
                         SLICE_ARGS(arn)),
        .actions_enabled = true,
        .rule = rule_of(policy, alarm, capacity),
        .metric = metric_of(arena, policy, alarm == ALARM_HIGH || alarm == ALARM_LOW),
    };
    settings.actions[ALARM_STATE_ALARM] = (struct alarm_actions){.names = {arn}, .count = 1};
    return alarms_put(scaling->options.alarms, arena, &settings, NULL, 0);
}

struct error *scaling_put_alarms(struct scaling *scaling, struct arena *arena,
                                 const struct scaling_policy *policy, int64_t capacity) {
    for (int alarm = 0; scaling->options.alarms != NULL && alarm < SCALING_ALARMS; alarm++)
        TRY(put_alarm(scaling, arena, policy, alarm, capacity));
    return NULL;
}

/* One that cannot be deleted is left; the policy is gone all the same. */
void scaling_delete_alarms(struct scaling *scaling, struct arena *arena,
                           const struct scaling_policy *policy) {
    for (int alarm = 0; scaling->options.alarms != NULL && alarm < SCALING_ALARMS; alarm++) {
        bool found;
        struct slice name = scaling_alarm_name(arena, policy, alarm);
        struct error *error = alarms_delete(scaling->options.alarms, arena, name, &found);
        if (error != NULL)
            log_error("alarm %.*s is left: %.*s", SLICE_ARGS(name), SLICE_ARGS(error->message));
    }
}
