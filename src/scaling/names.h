/* names.h - the names and ARNs of targets, policies and their alarms. In the arena. */
#ifndef GRAMME_SCALING_NAMES_H
#define GRAMME_SCALING_NAMES_H

#include "base/arena.h"
#include "scaling/target.h"

struct scaling_home {
    struct slice region;
    struct slice account;
};

struct slice scaling_target_arn(struct arena *arena, const struct scaling_home *home,
                                const struct scaling_target *target);
struct slice scaling_policy_arn(struct arena *arena, const struct scaling_home *home,
                                const struct scaling_policy *policy);
/* `alarm`: its place in scaling_alarm_names. */
struct slice scaling_alarm_name(struct arena *arena, const struct scaling_policy *policy,
                                int alarm);
struct slice scaling_alarm_arn(struct arena *arena, const struct scaling_home *home,
                               const struct scaling_policy *policy, int alarm);

#endif
