/* describe_contributor_insights.c - DescribeContributorInsights: the setting of a table or of a
 * global index, and while it is on the names of its rules. */
#include "ops/insights/contributor_insights.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

struct describe_insights_request {
    struct slice table_name; /* or ARN */
    struct slice index_name;
};

static const struct field describe_insights_fields[] = {
    CONTROL_TABLE_NAME_FIELD(describe_insights_request),
    INSIGHTS_INDEX_FIELD(describe_insights_request),
    FIELDS_END,
};
static const struct shape describe_insights_shape = {"DescribeContributorInsightsInput",
                                                     sizeof(struct describe_insights_request),
                                                     describe_insights_fields};

/* PK or SK: by partition key or by the whole key; C or T: accessed or throttled. */
static void write_rule(const struct op_call *call, struct json_writer *json,
                       const struct insights_target *target, const char *kind) {
    struct slice index = target->index != NULL ? target->index->name : SLICE_LITERAL("");
    json_string(json,
                arena_printf(call->arena, "DynamoDBContributorInsights-%s-%.*s%s%.*s-%lld", kind,
                             SLICE_ARGS(target->table->name), target->index != NULL ? "-" : "",
                             SLICE_ARGS(index), (long long)insights_of(target)->since_ms));
}

static void write_rules(const struct op_call *call, struct json_writer *json,
                        const struct insights_target *target) {
    const struct key_schema *keys =
        target->index != NULL ? &target->index->keys : &target->table->keys;
    bool accessed = insights_of(target)->mode == INSIGHTS_ACCESSED_AND_THROTTLED_KEYS;
    member_array(json, "ContributorInsightsRuleList");
    if (accessed)
        write_rule(call, json, target, "PKC");
    write_rule(call, json, target, "PKT");
    if (keys->range_count > 0) {
        if (accessed)
            write_rule(call, json, target, "SKC");
        write_rule(call, json, target, "SKT");
    }
    json_array_end(json);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct describe_insights_request *request = call->request;
    const struct table *table;
    struct insights_target target;
    TRY(table_find(call, request->table_name, &table));
    TRY(insights_target_find(call->arena, &table->definition, request->index_name, &target));
    const struct contributor_insights *insights = insights_of(&target);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    insights_write_names(&json, &target);
    if (insights->enabled)
        write_rules(call, &json, &target);
    insights_write_status(&json, insights_status(insights));
    member_time(&json, "LastUpdateDateTime", insights->changed_ms);
    insights_write_mode(&json, insights);
    json_object_end(&json);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_describe_contributor_insights = {
    .name = "DescribeContributorInsights",
    .action = "dynamodb:DescribeContributorInsights",
    .flags = OP_CONTROL,
    .input = &describe_insights_shape,
    .run = run,
};
