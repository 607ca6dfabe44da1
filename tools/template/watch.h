/* watch.h - alarms and dashboards: as the template wants them, as they are, and the plan.
 *
 * Both are put whole: what a template leaves out has its default. So a plan is one request, and one
 * or two more where tags of an alarm that is there differ. The properties of a template are the
 * members of the request; a value that only a deployment could tell keeps an alarm from being made,
 * with a notice, unless it is one of its actions, which is left out.
 * Memory: the template's arena. */
#ifndef GRAMME_TEMPLATE_WATCH_H
#define GRAMME_TEMPLATE_WATCH_H

#include "template/plan.h"

#define WATCH_TARGET "GraniteServiceVersion20100801."

struct wanted_watch {
    struct template_resource *resource;
    const struct node *properties; /* resolved and checked */
};

/* What the service answered; NULL: there is none. */
struct found_watch {
    const struct json_value *alarm;     /* of DescribeAlarms */
    const struct json_value *tags;      /* ListTagsForResource's answer */
    const struct json_value *dashboard; /* GetDashboard's answer */
};

/* All that the conditions let be, in the order of the template. */
struct error *template_watches(struct template *t, struct wanted_watch **ret_watches,
                               size_t *ret_count);
struct error *watch_plan(struct template *t, const struct wanted_watch *wanted,
                         const struct found_watch *found, struct plan *ret_plan);

/* ---- requests ---- */

struct slice request_watch_describe(struct arena *arena, const struct template_resource *resource);
struct slice request_watch_tags(struct arena *arena, struct slice arn);

#endif
