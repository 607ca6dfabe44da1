/* contributor_insights.h - what the three operations on contributor insights share.
 *
 * The setting is kept, per table and per global index, and described as the service does. What the
 * service makes of it are rules of CloudWatch, which gramme has not: the rules have their names. */
#ifndef GRAMME_OPS_INSIGHTS_CONTRIBUTOR_INSIGHTS_H
#define GRAMME_OPS_INSIGHTS_CONTRIBUTOR_INSIGHTS_H

#include "json/member.h"
#include "model/limits.h"
#include "model/table.h"
#include "ops/op.h"

/* A row of a field table: the index that is meant, or none for the table. */
#define INSIGHTS_INDEX_FIELD(request)                                                  \
    {                                                                                  \
        NAMED("IndexName"), AT(struct request, index_name),                            \
            .type = FIELD_STRING, .resource = RESOURCE_INDEX, .pattern = NAME_PATTERN, \
            LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)                         \
    }

/* A table, or one of its global indexes. */
struct insights_target {
    const struct table_definition *table;
    const struct table_index *index; /* NULL: the table itself */
};

/* The target that these names mean; index_name may be absent. */
struct error *insights_target_find(struct arena *arena, const struct table_definition *table,
                                   struct slice index_name, struct insights_target *ret_target);

const struct contributor_insights *insights_of(const struct insights_target *target);
enum feature_status insights_status(const struct contributor_insights *insights);

/* Members that every reply has: which target, and then its status; the mode, once there was one. */
void insights_write_names(struct json_writer *json, const struct insights_target *target);
void insights_write_status(struct json_writer *json, enum feature_status status);
void insights_write_mode(struct json_writer *json, const struct contributor_insights *insights);

#endif
