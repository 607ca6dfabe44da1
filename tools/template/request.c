/* request.c - see request.h.
 *
 * Every request is begun with the table's name and finished by copying it to the arena, so that the
 * functions in between only write what they are about. */
#include "template/request.h"

#include "json/member.h"
#include "json/text.h"
#include "model/table_json.h"

static void begin(struct json_text *request, const char *name, struct slice value) {
    json_text_begin(request);
    member_text(&request->json, name, value);
}

/* ---- parts ---- */

/* What an index has besides what all have. */
static void write_index(struct json_writer *json, const struct table_index *index,
                        const void *context) {
    const struct table_definition *wanted = context;
    if (!index->global)
        return;
    if (wanted->billing == BILLING_PROVISIONED)
        provisioned_write(json, &index->throughput);
    units_write(json, &on_demand_names, index->on_demand);
    units_write(json, &warm_names, index->warm);
}

static void write_encryption(struct json_writer *json, const struct table_definition *wanted) {
    member_object(json, "SSESpecification");
    member_bool(json, "Enabled", wanted->sse_kms);
    if (wanted->sse_kms)
        member_word(json, "SSEType", sse_type_name(SSE_KMS));
    if (wanted->sse_kms && slice_present(wanted->sse_key_arn))
        member_text(json, "KMSMasterKeyId", wanted->sse_key_arn);
    json_object_end(json);
}

/* ---- CreateTable ---- */

static void write_create_settings(struct json_writer *json, const struct table_definition *wanted) {
    member_word(json, "BillingMode", billing_mode_name(wanted->billing));
    if (wanted->billing == BILLING_PROVISIONED)
        provisioned_write(json, &wanted->throughput);
    units_write(json, &on_demand_names, wanted->on_demand);
    units_write(json, &warm_names, wanted->warm);
    if (wanted->stream != STREAM_OFF)
        stream_write(json, "StreamSpecification", wanted->stream);
    if (wanted->sse_kms)
        write_encryption(json, wanted);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        int value = setting_value(&table_settings[i], wanted);
        if (value != setting_default(&table_settings[i]))
            setting_write(json, &table_settings[i], value);
    }
    if (wanted->tag_count > 0)
        tags_write(json, wanted->tags, wanted->tag_count);
}

struct slice request_create_table(struct arena *arena, const struct table_state *state) {
    const struct table_definition *wanted = &state->definition;
    struct json_text request;
    begin(&request, "TableName", wanted->name);
    attribute_definitions_write(&request.json, wanted->attributes, wanted->attribute_count);
    key_schema_write(&request.json, &wanted->keys);
    indexes_write(&request.json, wanted, false, write_index, wanted);
    indexes_write(&request.json, wanted, true, write_index, wanted);
    write_create_settings(&request.json, wanted);
    if (state->policy != NULL)
        member_text(&request.json, "ResourcePolicy", node_json(arena, state->policy, false));
    return json_text_end(&request, arena);
}

struct slice request_table_name(struct arena *arena, struct slice table) {
    struct json_text request;
    begin(&request, "TableName", table);
    return json_text_end(&request, arena);
}

/* ---- UpdateTable: the table ---- */

struct slice request_setting(struct arena *arena, const struct table_definition *wanted,
                             const struct table_setting *setting) {
    struct json_text request;
    begin(&request, "TableName", wanted->name);
    setting_write(&request.json, setting, setting_value(setting, wanted));
    return json_text_end(&request, arena);
}

struct slice request_encryption(struct arena *arena, const struct table_definition *wanted) {
    struct json_text request;
    begin(&request, "TableName", wanted->name);
    write_encryption(&request.json, wanted);
    return json_text_end(&request, arena);
}

struct slice request_stream(struct arena *arena, struct slice table, enum stream_view view) {
    struct json_text request;
    begin(&request, "TableName", table);
    stream_write(&request.json, "StreamSpecification", view);
    return json_text_end(&request, arena);
}

/* Limits that are not set are sent as well: that takes them away. */
static void write_units(struct json_writer *json, const struct unit_names *names,
                        struct unit_pair units, bool all) {
    units_write_parts(json, names, units, all || units.read != -1, all || units.write != -1);
}

static struct slice request_units(struct arena *arena, struct slice table,
                                  const struct unit_names *names, struct unit_pair units,
                                  bool all) {
    struct json_text request;
    begin(&request, "TableName", table);
    write_units(&request.json, names, units, all);
    return json_text_end(&request, arena);
}

struct slice request_on_demand(struct arena *arena, struct slice table, struct unit_pair units) {
    return request_units(arena, table, &on_demand_names, units, true);
}

struct slice request_warm(struct arena *arena, struct slice table, struct unit_pair units) {
    return request_units(arena, table, &warm_names, units, false);
}

/* ---- UpdateTable: indexes ---- */

/* One element of GlobalSecondaryIndexUpdates, up to the index's name. */
static void begin_index(struct json_writer *json, const char *verb, struct slice name) {
    json_object_begin(json);
    member_object(json, verb);
    member_text(json, "IndexName", name);
}

static void end_index(struct json_writer *json) {
    json_object_end(json);
    json_object_end(json);
}

static struct slice request_index_units(struct arena *arena, struct slice table,
                                        const struct table_index *index,
                                        const struct unit_names *names, struct unit_pair units,
                                        bool all) {
    struct json_text request;
    begin(&request, "TableName", table);
    member_array(&request.json, "GlobalSecondaryIndexUpdates");
    begin_index(&request.json, "Update", index->name);
    write_units(&request.json, names, units, all);
    end_index(&request.json);
    json_array_end(&request.json);
    return json_text_end(&request, arena);
}

struct slice request_index_on_demand(struct arena *arena, struct slice table,
                                     const struct table_index *index, struct unit_pair units) {
    return request_index_units(arena, table, index, &on_demand_names, units, true);
}

struct slice request_index_warm(struct arena *arena, struct slice table,
                                const struct table_index *index, struct unit_pair units) {
    return request_index_units(arena, table, index, &warm_names, units, false);
}

/* The keys of a new index have to be defined in the request, known or not. */
static void write_key_definitions(struct json_writer *json, const struct key_schema *keys) {
    struct attribute_definition attributes[2 * KEY_PARTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < keys->hash_count; i++)
        attributes[count++] = (struct attribute_definition){keys->hash[i].name, keys->hash[i].type};
    for (size_t i = 0; i < keys->range_count; i++)
        attributes[count++] =
            (struct attribute_definition){keys->range[i].name, keys->range[i].type};
    attribute_definitions_write(json, attributes, count);
}

struct slice request_index_create(struct arena *arena, const struct table_definition *wanted,
                                  const struct table_index *index) {
    struct json_text request;
    begin(&request, "TableName", wanted->name);
    write_key_definitions(&request.json, &index->keys);
    member_array(&request.json, "GlobalSecondaryIndexUpdates");
    json_object_begin(&request.json);
    member_object(&request.json, "Create");
    index_members_write(&request.json, index);
    write_index(&request.json, index, wanted);
    end_index(&request.json);
    json_array_end(&request.json);
    return json_text_end(&request, arena);
}

struct slice request_index_delete(struct arena *arena, struct slice table, struct slice index) {
    struct json_text request;
    begin(&request, "TableName", table);
    member_array(&request.json, "GlobalSecondaryIndexUpdates");
    begin_index(&request.json, "Delete", index);
    end_index(&request.json);
    json_array_end(&request.json);
    return json_text_end(&request, arena);
}

struct slice request_capacity(struct arena *arena, const struct table_definition *wanted,
                              const struct capacity_change *change) {
    struct json_text request;
    begin(&request, "TableName", wanted->name);
    if (change->billing)
        member_word(&request.json, "BillingMode", billing_mode_name(wanted->billing));
    if (change->table)
        provisioned_write(&request.json, &wanted->throughput);
    if (change->index_count > 0)
        member_array(&request.json, "GlobalSecondaryIndexUpdates");
    for (size_t i = 0; i < change->index_count; i++) {
        begin_index(&request.json, "Update", change->indexes[i]->name);
        provisioned_write(&request.json, &change->indexes[i]->throughput);
        end_index(&request.json);
    }
    if (change->index_count > 0)
        json_array_end(&request.json);
    return json_text_end(&request, arena);
}

/* ---- other operations ---- */

struct slice request_ttl(struct arena *arena, struct slice table, struct slice attribute,
                         bool enabled) {
    struct json_text request;
    begin(&request, "TableName", table);
    member_object(&request.json, "TimeToLiveSpecification");
    member_bool(&request.json, "Enabled", enabled);
    member_text(&request.json, "AttributeName", attribute);
    json_object_end(&request.json);
    return json_text_end(&request, arena);
}

struct slice request_recovery(struct arena *arena, struct slice table,
                              const struct table_state *wanted) {
    struct json_text request;
    begin(&request, "TableName", table);
    member_object(&request.json, "PointInTimeRecoverySpecification");
    member_bool(&request.json, "PointInTimeRecoveryEnabled", wanted->recovery);
    if (wanted->recovery && wanted->recovery_days != 0)
        member_integer(&request.json, "RecoveryPeriodInDays", wanted->recovery_days);
    json_object_end(&request.json);
    return json_text_end(&request, arena);
}

struct slice request_tags(struct arena *arena, struct slice arn, const struct table_tag *tags,
                          size_t count) {
    struct json_text request;
    begin(&request, "ResourceArn", arn);
    tags_write(&request.json, tags, count);
    return json_text_end(&request, arena);
}

struct slice request_untag(struct arena *arena, struct slice arn, const struct slice *keys,
                           size_t count) {
    struct json_text request;
    begin(&request, "ResourceArn", arn);
    member_array(&request.json, "TagKeys");
    for (size_t i = 0; i < count; i++)
        json_string(&request.json, keys[i]);
    json_array_end(&request.json);
    return json_text_end(&request, arena);
}

struct slice request_insights(struct arena *arena, struct slice table,
                              const struct table_index *index,
                              const struct contributor_insights *wanted) {
    struct json_text request;
    begin(&request, "TableName", table);
    if (index != NULL)
        member_text(&request.json, "IndexName", index->name);
    member_word(&request.json, "ContributorInsightsAction", wanted->enabled ? "ENABLE" : "DISABLE");
    /* The default is not told: there are servers that do not know of modes. */
    if (wanted->enabled && wanted->mode != INSIGHTS_ACCESSED_AND_THROTTLED_KEYS)
        member_word(&request.json, "ContributorInsightsMode", insights_mode_name(wanted->mode));
    return json_text_end(&request, arena);
}

struct slice request_policy(struct arena *arena, struct slice arn, const struct node *policy) {
    struct json_text request;
    begin(&request, "ResourceArn", arn);
    member_text(&request.json, "Policy", node_json(arena, policy, false));
    return json_text_end(&request, arena);
}

struct slice request_policy_of(struct arena *arena, struct slice arn) {
    struct json_text request;
    begin(&request, "ResourceArn", arn);
    return json_text_end(&request, arena);
}
