/* names.c - see names.h. */
#include "scaling/names.h"

struct slice scaling_target_arn(struct arena *arena, const struct scaling_home *home,
                                const struct scaling_target *target) {
    return arena_printf(arena, "arn:aws:application-autoscaling:%.*s:%.*s:scalable-target/%.*s",
                        SLICE_ARGS(home->region), SLICE_ARGS(home->account),
                        SLICE_ARGS(target->id));
}

struct slice scaling_policy_arn(struct arena *arena, const struct scaling_home *home,
                                const struct scaling_policy *policy) {
    return arena_printf(
        arena,
        "arn:aws:autoscaling:%.*s:%.*s:scalingPolicy:%.*s:resource/dynamodb/%.*s:policyName/"
        "%.*s",
        SLICE_ARGS(home->region), SLICE_ARGS(home->account), SLICE_ARGS(policy->id),
        SLICE_ARGS(policy->resource), SLICE_ARGS(policy->name));
}

struct slice scaling_alarm_name(struct arena *arena, const struct scaling_policy *policy,
                                int alarm) {
    return arena_printf(arena, "TargetTracking-%.*s-%s-%.*s", SLICE_ARGS(policy->resource),
                        scaling_alarm_names[alarm], SLICE_ARGS(policy->alarm_ids[alarm]));
}

struct slice scaling_alarm_arn(struct arena *arena, const struct scaling_home *home,
                               const struct scaling_policy *policy, int alarm) {
    struct slice name = scaling_alarm_name(arena, policy, alarm);
    return arena_printf(arena, "arn:aws:cloudwatch:%.*s:%.*s:alarm:%.*s", SLICE_ARGS(home->region),
                        SLICE_ARGS(home->account), SLICE_ARGS(name));
}
