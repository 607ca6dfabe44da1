/* contributor_insights.c - targets and the members of replies. Threads: any; no shared state. */
#include "ops/insights/contributor_insights.h"

struct error *insights_target_find(struct arena *arena, const struct table_definition *table,
                                   struct slice index_name, struct insights_target *ret_target) {
    *ret_target = (struct insights_target){.table = table};
    if (!slice_present(index_name))
        return NULL;
    ret_target->index = table_find_index(table, index_name);
    if (ret_target->index != NULL && ret_target->index->global)
        return NULL;
    return error_new(arena, ERROR_RESOURCE_NOT_FOUND,
                     "Requested resource not found: Index: %.*s not found for table: %.*s",
                     SLICE_ARGS(index_name), SLICE_ARGS(table->name));
}

const struct contributor_insights *insights_of(const struct insights_target *target) {
    return target->index != NULL ? &target->index->insights : &target->table->insights;
}

enum feature_status insights_status(const struct contributor_insights *insights) {
    return insights->enabled ? FEATURE_ENABLED : FEATURE_DISABLED;
}

void insights_write_names(struct json_writer *json, const struct insights_target *target) {
    member_text(json, "TableName", target->table->name);
    if (target->index != NULL)
        member_text(json, "IndexName", target->index->name);
}

void insights_write_status(struct json_writer *json, enum feature_status status) {
    member_word(json, "ContributorInsightsStatus", feature_status_name(status));
}

void insights_write_mode(struct json_writer *json, const struct contributor_insights *insights) {
    if (insights->changed_ms != 0)
        member_word(json, "ContributorInsightsMode", insights_mode_name(insights->mode));
}
