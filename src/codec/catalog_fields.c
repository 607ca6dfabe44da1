/* catalog_fields.c - the stored names. A name is never given another meaning. */
#include "codec/catalog_fields.h"

static const char *const type_texts[] = {
    [VALUE_NONE] = "NONE", [VALUE_S] = "S", [VALUE_N] = "N", [VALUE_B] = "B", NULL};
static const struct words type_words = {type_texts, VALUE_S};

#define TABLE(member) offsetof(struct table_definition, member)
#define INDEX(member) offsetof(struct table_index, member)

/* Throughput and the pairs of units, alike in a table and in an index. */
#define STORED_CAPACITY(AT)                                                    \
    {"ReadUnits", STORED_INT, AT(throughput.read_units), NULL},                \
        {"WriteUnits", STORED_INT, AT(throughput.write_units), NULL},          \
        {"LastIncreaseMs", STORED_INT, AT(throughput.last_increase_ms), NULL}, \
        {"LastDecreaseMs", STORED_INT, AT(throughput.last_decrease_ms), NULL}, \
        {"DecreasesToday", STORED_INT, AT(throughput.decreases_today), NULL},  \
        {"OnDemandRead", STORED_UNITS, AT(on_demand.read), NULL},              \
        {"OnDemandWrite", STORED_UNITS, AT(on_demand.write), NULL},            \
        {"WarmRead", STORED_UNITS, AT(warm.read), NULL}, {                     \
        "WarmWrite", STORED_UNITS, AT(warm.write), NULL                        \
    }

/* Likewise. */
#define STORED_INSIGHTS(AT)                                                     \
    {"Insights", STORED_BOOL, AT(insights.enabled), NULL},                      \
        {"InsightsMode", STORED_WORD, AT(insights.mode), &insights_mode_words}, \
        {"InsightsSinceMs", STORED_INT, AT(insights.since_ms), NULL}, {         \
        "InsightsChangedMs", STORED_INT, AT(insights.changed_ms), NULL          \
    }

/* Of a table, and of its stream. */
#define STORED_POLICY(name, member)                                           \
    {name, STORED_TEXT, TABLE(member.document), NULL},                        \
        {name "Unversioned", STORED_BOOL, TABLE(member.unversioned), NULL}, { \
        name "RevisionMs", STORED_INT, TABLE(member.revision_ms), NULL        \
    }

const struct stored_field stored_table_fields[] = {
    {"Name", STORED_TEXT, TABLE(name), NULL},
    {"Id", STORED_ID, TABLE(id), NULL},
    {"Uuid", STORED_TEXT, TABLE(uuid), NULL},
    {"Status", STORED_WORD, TABLE(status), &table_status_words},
    {"CreatedMs", STORED_INT, TABLE(created_ms), NULL},
    {"Billing", STORED_WORD, TABLE(billing), &billing_mode_words},
    {"BillingShown", STORED_BOOL, TABLE(billing_shown), NULL},
    {"OnDemandSinceMs", STORED_INT, TABLE(on_demand_since_ms), NULL},
    STORED_CAPACITY(TABLE),
#define FLAG_SETTING(symbol, member, name, alone, stored, label) \
    {stored, STORED_BOOL, TABLE(member), NULL},
#define WORD_SETTING(symbol, member, name, alone, stored, label, kind, ...) \
    {stored, STORED_WORD, TABLE(member), &kind##_words},
#include "model/table_settings.def"
    {"ClassChangedMs", STORED_INT, TABLE(table_class_changed_ms), NULL},
    {"SseKms", STORED_BOOL, TABLE(sse_kms), NULL},
    {"SseKeyArn", STORED_TEXT, TABLE(sse_key_arn), NULL},
    {"Stream", STORED_WORD, TABLE(stream), &stream_view_words},
    {"StreamLabel", STORED_TEXT, TABLE(stream_label), NULL},
    {"StreamId", STORED_ID, TABLE(stream_id), NULL},
    {"StreamShards", STORED_INT, TABLE(stream_shards), NULL},
    {"StreamCreatedMs", STORED_INT, TABLE(stream_created_ms), NULL},
    STORED_POLICY("StreamPolicy", stream_policy),
    {"TtlAttribute", STORED_TEXT, TABLE(ttl_attribute), NULL},
    {"TtlId", STORED_ID, TABLE(ttl_id), NULL},
    {"TtlBuilding", STORED_BOOL, TABLE(ttl_building), NULL},
    {"TtlChangedMs", STORED_INT, TABLE(ttl_changed_ms), NULL},
    {"PitrDays", STORED_INT, TABLE(pitr_days), NULL},
    {"PitrSinceMs", STORED_INT, TABLE(pitr_since_ms), NULL},
    STORED_INSIGHTS(TABLE),
    STORED_POLICY("Policy", policy),
    {"Restoring", STORED_BOOL, TABLE(restoring), NULL},
    {"RestoredBackup", STORED_TEXT, TABLE(restored_backup), NULL},
    {"RestoredTable", STORED_TEXT, TABLE(restored_table), NULL},
    {"RestoredMs", STORED_INT, TABLE(restored_ms), NULL},
    {.name = NULL},
};

const struct stored_field stored_index_fields[] = {
    {"Name", STORED_TEXT, INDEX(name), NULL},
    {"Id", STORED_ID, INDEX(id), NULL},
    {"Global", STORED_BOOL, INDEX(global), NULL},
    {"Status", STORED_WORD, INDEX(status), &table_status_words},
    {"Backfilling", STORED_BOOL, INDEX(backfilling), NULL},
    {"Projection", STORED_WORD, INDEX(projection), &projection_type_words},
    STORED_CAPACITY(INDEX),
    STORED_INSIGHTS(INDEX),
    {.name = NULL},
};

const struct stored_field stored_attribute_fields[] = {
    {"Name", STORED_TEXT, offsetof(struct key_attribute, name), NULL},
    {"Type", STORED_WORD, offsetof(struct key_attribute, type), &type_words},
    {.name = NULL},
};

const struct stored_field stored_tag_fields[] = {
    {"Key", STORED_TEXT, offsetof(struct table_tag, key), NULL},
    {"Value", STORED_TEXT, offsetof(struct table_tag, value), NULL},
    {.name = NULL},
};

#define STREAM(member) offsetof(struct stream_definition, member)

const struct stored_field stored_stream_fields[] = {
    {"TableName", STORED_TEXT, STREAM(table_name), NULL},
    {"Label", STORED_TEXT, STREAM(label), NULL},
    {"Id", STORED_ID, STREAM(id), NULL},
    {"View", STORED_WORD, STREAM(view), &stream_view_words},
    {"Shards", STORED_INT, STREAM(shards), NULL},
    {"CreatedMs", STORED_INT, STREAM(created_ms), NULL},
    {"Kept", STORED_INT, STREAM(kept), NULL},
    {"Ended", STORED_INT, STREAM(ended), NULL},
    {"HashKey", STORED_TEXT, STREAM(keys.hash[0].name), NULL},
    {"HashType", STORED_WORD, STREAM(keys.hash[0].type), &type_words},
    {"RangeKey", STORED_TEXT, STREAM(keys.range[0].name), NULL},
    {"RangeType", STORED_WORD, STREAM(keys.range[0].type), &type_words},
    {.name = NULL},
};
