/* watch.h - what watches over tables, alarms, dashboards and auto scaling: as the template wants
 * it, as it is, and the plan.
 *
 * All are put whole: what a template leaves out has its default. So a plan is one request, and one
 * or two more where tags of an alarm that is there differ. The properties of a template are the
 * members of the request; a value that only a deployment could tell keeps an alarm from being made,
 * with a notice, unless it is one of its actions, which is left out.
 * Memory: the template's arena. */
#ifndef GRAMME_TEMPLATE_WATCH_H
#define GRAMME_TEMPLATE_WATCH_H

#include "template/plan.h"

#define WATCH_TARGET "GraniteServiceVersion20100801."
#define SCALING_TARGET "AnyScaleFrontendService."

struct wanted_watch {
    struct template_resource *resource;
    const struct node *properties; /* resolved and checked */
};

/* Whether it is Application Auto Scaling's. */
bool watch_is_scaling(const struct wanted_watch *wanted);

/* What the service answered; NULL: there is none. */
struct found_watch {
    const struct json_value *alarm;     /* of DescribeAlarms */
    const struct json_value *tags;      /* ListTagsForResource's answer */
    const struct json_value *dashboard; /* GetDashboard's answer */
    const struct json_value *scaling;   /* of DescribeScalableTargets or DescribeScalingPolicies */
};

/* All that the conditions let be, in the order of the template, but policies of auto scaling behind
 * the targets that they need. */
struct error *template_watches(struct template *t, struct wanted_watch **ret_watches,
                               size_t *ret_count);
struct error *watch_plan(struct template *t, const struct wanted_watch *wanted,
                         const struct found_watch *found, struct plan *ret_plan);

/* ---- requests ---- */

struct slice request_watch_describe(struct arena *arena, const struct wanted_watch *wanted);
struct slice request_watch_tags(struct arena *arena, struct slice arn);

#endif
