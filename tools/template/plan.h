/* plan.h - what has to be done so that a table becomes what the template wants: lines to show, and
 * requests to send in their order.
 *
 * A request changes one concern, as UpdateTable allows, and indexes come one at a time. What would
 * lose data is listed apart; whoever carries the plan out must be allowed to.
 * Memory: the arena given to table_plan(). */
#ifndef GRAMME_TEMPLATE_PLAN_H
#define GRAMME_TEMPLATE_PLAN_H

#include "template/state.h"

enum plan_action { PLAN_NOTHING, PLAN_CREATE, PLAN_CHANGE, PLAN_REPLACE };

/* What has to be so before the next request. */
enum plan_wait {
    WAIT_NOT,
    WAIT_ACTIVE, /* the table and all its indexes */
    WAIT_GONE,   /* there is no such table */
};

struct plan_step {
    const char *operation;
    struct slice body;  /* JSON; ends with a NUL that is not counted */
    struct slice doing; /* "creating index x": for progress */
    enum plan_wait wait;
};

struct plan {
    struct arena *arena;
    enum plan_action action;
    struct slice *lines; /* the first begins with + ~ or =, the others are indented */
    size_t line_count;
    size_t line_capacity;
    struct plan_step *steps;
    size_t step_count;
    size_t step_capacity;
    struct slice *losses; /* what would be lost */
    size_t loss_count;
    size_t loss_capacity;
    /* Why it must not be done, allowed to lose data or not; absent: it may. */
    struct slice forbidden;
};

/* `found` is NULL when there is no such table. */
void table_plan(struct arena *arena, const struct wanted_table *wanted,
                const struct found_table *found, struct plan *ret_plan);

/* ---- for the files that make a plan ---- */

void plan_line(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plan_loss(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plan_step(struct plan *plan, struct plan_step step);

void plan_changes(struct plan *plan, const struct table_state *wanted,
                  const struct table_state *found);
/* What is not part of the definition; the same for a new table, where `found` has nothing on. */
void plan_settings(struct plan *plan, const struct table_state *wanted,
                   const struct table_state *found, struct slice arn);

/* Contributor insights, and the table's policy. */
void plan_access(struct plan *plan, const struct table_state *wanted,
                 const struct table_state *found, struct slice arn);

/* Same keys and projection. */
bool index_equal(const struct table_index *a, const struct table_index *b);

/* For lines: how many statements. */
struct slice policy_text(struct arena *arena, const struct node *policy);
/* For lines: "pk (S, HASH), sk (N, RANGE); projects ALL". */
struct slice index_text(struct arena *arena, const struct table_index *index);

#endif
