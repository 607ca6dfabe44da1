/* scaling.h - Application Auto Scaling for tables and indexes: targets and policies, and a thread
 * that changes capacity by them.
 *
 * Once a minute the thread reads what was consumed and asks decide.h; what it wants is done as by
 * UpdateTable, and remembered as an activity. A policy has the four alarms that it has in the
 * service, for people to look at. A policy belongs to the table that it was made for: another one
 * of the same name is left alone, as in the service.
 *
 * Everything is a record of the engine, and on disk before it is answered. Threads: any; one lock,
 * which no request for tables takes. The thread sleeps while there is no policy. */
#ifndef GRAMME_SCALING_SCALING_H
#define GRAMME_SCALING_SCALING_H

#include "scaling/options.h"
#include "scaling/target.h"

struct scaling;

struct error *scaling_open(struct arena *arena, const struct scaling_options *options,
                           struct scaling **ret_scaling);
/* scaling_close(NULL) is fine. */
void scaling_close(struct scaling *scaling);
/* To be called when the clock was set forward. */
void scaling_time_moved(struct scaling *scaling);

/* ---- changing ---- */

/* Bounds and the like that were not said keep what they are. */
struct scaling_registration {
    struct slice resource;
    enum scaling_dimension dimension;
    const int64_t *min;
    const int64_t *max;
    struct slice role;
    const bool *suspended_in;
    const bool *suspended_out;
    const bool *suspended_scheduled;
};

/* Makes it or changes it; capacity that is out of its bounds follows soon. */
struct error *scaling_register(struct scaling *scaling, struct arena *arena,
                               const struct scaling_registration *registration,
                               struct scaling_target *ret_target);
/* Policies and alarms go with it. */
struct error *scaling_deregister(struct scaling *scaling, struct arena *arena,
                                 struct slice resource, enum scaling_dimension dimension,
                                 bool *ret_found);
/* Of `policy` what a request says; the rest is filled in. *ret_found: there is such a target. */
struct error *scaling_put_policy(struct scaling *scaling, struct arena *arena,
                                 struct scaling_policy *policy, bool *ret_found);
struct error *scaling_delete_policy(struct scaling *scaling, struct arena *arena,
                                    struct slice resource, enum scaling_dimension dimension,
                                    struct slice name, bool *ret_found);

/* ---- looking; in the arena ---- */

size_t scaling_targets(struct scaling *scaling, struct arena *arena,
                       struct scaling_target **ret_targets);
size_t scaling_policies(struct scaling *scaling, struct arena *arena,
                        struct scaling_policy **ret_policies);
/* The newest first. */
struct error *scaling_activities(struct scaling *scaling, struct arena *arena,
                                 struct scaling_activity **ret_activities, size_t *ret_count);

#endif
