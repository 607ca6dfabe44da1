/* update_contributor_insights.c - UpdateContributorInsights: on or off for a table or a global
 * index.
 *
 * The reply says what the service does, ENABLING or DISABLING, although the change is whole by
 * then. What is so already is said to be so, and nothing is written. */
#include "ops/insights/contributor_insights.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

struct update_insights_request {
    struct slice table_name; /* or ARN */
    struct slice index_name;
    struct slice action;
    struct slice mode;
};

static const struct field update_insights_fields[] = {
    CONTROL_TABLE_NAME_FIELD(update_insights_request),
    INSIGHTS_INDEX_FIELD(update_insights_request),
    {NAMED("ContributorInsightsAction"), AT(struct update_insights_request, action),
     .type = FIELD_STRING, .flags = FIELD_REQUIRED, .enum_text = "[ENABLE, DISABLE]"},
    {NAMED("ContributorInsightsMode"), AT(struct update_insights_request, mode),
     .type = FIELD_STRING, .enum_text = insights_mode_printed},
    FIELDS_END,
};
static const struct shape update_insights_shape = {"UpdateContributorInsightsInput",
                                                   sizeof(struct update_insights_request),
                                                   update_insights_fields};

struct update_insights {
    struct table_change change;
    enum feature_status status; /* to be said */
};

static struct error *validate(struct op_call *call) {
    const struct update_insights_request *request = call->request;
    return table_change_new(call, request->table_name, sizeof(struct update_insights));
}

/* A table that is being filled or an index that is being built cannot have it yet. */
static struct error *check_ready(struct arena *arena, const struct insights_target *target) {
    enum table_status status = target->table->status;
    bool table_ready = status == TABLE_ACTIVE || status == TABLE_UPDATING;
    if (table_ready && (target->index == NULL || target->index->status == TABLE_ACTIVE))
        return NULL;
    return error_validation(arena,
                            "Table or Index is not in a valid state to update Key Access Insights: "
                            "%s must be ACTIVE to enable ContributorInsights.",
                            table_ready ? "IndexStatus" : "TableStatus");
}

/* An ENABLE without a mode means the default one, also when another is set. */
static struct contributor_insights changed(const struct contributor_insights *now, bool on,
                                           struct slice mode, int64_t now_ms) {
    struct contributor_insights next = *now;
    if (on && !now->enabled)
        next.since_ms = now_ms;
    if (on)
        next.mode = insights_mode_from_name(mode);
    next.enabled = on;
    return next;
}

/* The definition with the new setting in its place. */
static void replace(struct arena *arena, const struct insights_target *target,
                    const struct contributor_insights *insights,
                    struct table_definition *ret_definition) {
    const struct table_definition *table = target->table;
    *ret_definition = *table;
    if (target->index == NULL) {
        ret_definition->insights = *insights;
        return;
    }
    size_t position = (size_t)(target->index - table->indexes);
    ret_definition->indexes =
        arena_copy(arena, table->indexes, table->index_count * sizeof(*table->indexes));
    ret_definition->indexes[position].insights = *insights;
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct update_insights_request *request = call->request;
    struct update_insights *work = call->work;
    struct insights_target target;
    if (current == NULL)
        return table_not_found(job->arena, job->table_name);
    TRY(insights_target_find(job->arena, &current->definition, request->index_name, &target));
    bool on = slice_is(request->action, "ENABLE");
    if (on)
        TRY(check_ready(job->arena, &target));
    const struct contributor_insights *now = insights_of(&target);
    struct contributor_insights next = changed(now, on, request->mode, work->change.now_ms);
    work->status = insights_status(now);
    if (next.enabled == now->enabled && next.mode == now->mode)
        return NULL;
    work->status = on ? FEATURE_ENABLING : FEATURE_DISABLING;
    next.changed_ms = work->change.now_ms;
    ret_change->action = CATALOG_REPLACE;
    replace(job->arena, &target, &next, &ret_change->definition);
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, change, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct update_insights_request *request = call->request;
    const struct update_insights *work = call->work;
    struct insights_target target;
    TRY(table_change_finish(call));
    TRY(insights_target_find(call->arena, &work->change.job.after->definition, request->index_name,
                             &target));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    insights_write_names(&json, &target);
    insights_write_status(&json, work->status);
    insights_write_mode(&json, insights_of(&target));
    json_object_end(&json);
    return NULL;
}

const struct op op_update_contributor_insights = {
    .name = "UpdateContributorInsights",
    .action = "dynamodb:UpdateContributorInsights",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_insights_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
