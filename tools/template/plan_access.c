/* plan_access.c - who may do what with a table, and whether it is watched who does: its policy, and
 * contributor insights of it and of its indexes. */
#include "template/plan.h"
#include "template/request.h"

static void add(struct plan *plan, const char *operation, struct slice body, struct slice doing) {
    plan_step(plan, (struct plan_step){operation, body, doing, WAIT_ACTIVE});
}

static bool is_new(const struct plan *plan) {
    return plan->action == PLAN_CREATE || plan->action == PLAN_REPLACE;
}

/* ---- contributor insights ---- */

static const char *insights_text(const struct contributor_insights *insights) {
    return insights->enabled ? insights_mode_name(insights->mode) : "off";
}

static void change_insights(struct plan *plan, struct slice table, const struct table_index *index,
                            const struct contributor_insights *wanted,
                            const struct contributor_insights *found) {
    struct slice of = index == NULL
                          ? SLICE_LITERAL("")
                          : arena_printf(plan->arena, " of index %.*s", SLICE_ARGS(index->name));
    if (wanted->enabled == found->enabled && (!wanted->enabled || wanted->mode == found->mode))
        return;
    if (is_new(plan))
        plan_line(plan, "    contributor insights%.*s: %s", SLICE_ARGS(of), insights_text(wanted));
    else
        plan_line(plan, "    ~ contributor insights%.*s: %s → %s", SLICE_ARGS(of),
                  insights_text(found), insights_text(wanted));
    add(plan, "UpdateContributorInsights", request_insights(plan->arena, table, index, wanted),
        arena_printf(plan->arena, "changing the contributor insights%.*s of %.*s", SLICE_ARGS(of),
                     SLICE_ARGS(table)));
}

/* An index that is new, or made anew, has none. */
static void change_index_insights(struct plan *plan, const struct table_definition *wanted,
                                  const struct table_definition *found) {
    static const struct contributor_insights none = {.enabled = false};
    for (size_t i = 0; i < wanted->index_count; i++) {
        const struct table_index *index = &wanted->indexes[i];
        const struct table_index *old = table_find_index(found, index->name);
        bool stays = old != NULL && index_equal(index, old);
        if (index->global)
            change_insights(plan, wanted->name, index, &index->insights,
                            stays ? &old->insights : &none);
    }
}

/* ---- the policy ---- */

struct slice policy_text(struct arena *arena, const struct node *policy) {
    if (policy == NULL)
        return SLICE_LITERAL("none");
    const struct node *statements = node_find(policy, "Statement");
    size_t count = statements == NULL ? 0 : 1; /* which may stand without a list */
    if (count == 1 && statements->kind == NODE_SEQUENCE)
        count = statements->count;
    return arena_printf(arena, "%zu statement%s", count, count == 1 ? "" : "s");
}

static bool same_policy(struct arena *arena, const struct node *a, const struct node *b) {
    if (a == NULL || b == NULL)
        return a == b;
    return slice_equal(node_json(arena, a, true), node_json(arena, b, true));
}

static void change_policy(struct plan *plan, const struct table_state *wanted,
                          const struct table_state *found, struct slice arn) {
    struct arena *arena = plan->arena;
    struct slice table = wanted->definition.name;
    if (wanted->policy_left || same_policy(arena, wanted->policy, found->policy))
        return;
    plan_line(plan, "    ~ policy: %.*s → %.*s", SLICE_ARGS(policy_text(arena, found->policy)),
              SLICE_ARGS(policy_text(arena, wanted->policy)));
    if (wanted->policy == NULL)
        add(plan, "DeleteResourcePolicy", request_policy_of(arena, arn),
            arena_printf(arena, "removing the policy of %.*s", SLICE_ARGS(table)));
    else
        add(plan, "PutResourcePolicy", request_policy(arena, arn, wanted->policy),
            arena_printf(arena, "setting the policy of %.*s", SLICE_ARGS(table)));
}

void plan_access(struct plan *plan, const struct table_state *wanted,
                 const struct table_state *found, struct slice arn) {
    change_insights(plan, wanted->definition.name, NULL, &wanted->definition.insights,
                    &found->definition.insights);
    change_index_insights(plan, &wanted->definition, &found->definition);
    change_policy(plan, wanted, found, arn);
}
