/* stored.h - targets, policies and activities as records of the engine.
 *
 * Records are JSON. Kinds: "scaling-target" by resource and dimension, "scaling-policy" by these
 * and its name, "scaling-activity" by number. Memory: the arena, and the record that was read. */
#ifndef GRAMME_SCALING_STORED_H
#define GRAMME_SCALING_STORED_H

#include "base/error.h"
#include "engine/record.h"
#include "scaling/target.h"

#define STORED_SCALING_TARGET "scaling-target"
#define STORED_SCALING_POLICY "scaling-policy"
#define STORED_SCALING_ACTIVITY "scaling-activity"

struct record scaling_target_record(struct arena *arena, const struct scaling_target *target);
struct error *scaling_target_of_record(struct arena *arena, const struct record *record,
                                       struct scaling_target *ret_target);
struct record scaling_policy_record(struct arena *arena, const struct scaling_policy *policy);
struct error *scaling_policy_of_record(struct arena *arena, const struct record *record,
                                       struct scaling_policy *ret_policy);
struct slice scaling_activity_name(struct arena *arena, uint64_t number);
struct record scaling_activity_record(struct arena *arena, uint64_t number,
                                      const struct scaling_activity *activity);
struct error *scaling_activity_of_record(struct arena *arena, const struct record *record,
                                         struct scaling_activity *ret_activity);

#endif
