/* table_description.c - the TableDescription structure as JSON.
 *
 * Which members appear when is the service's habit: absent rather than null, a billing mode only
 * for tables that are or were on demand, a class only when one was given. Tests hold the exact
 * output. */
#include "ops/table/table_description.h"

#include "json/member.h"
#include "model/capacity.h"
#include "model/limits.h"
#include "model/table_json.h"
#include "model/table_settings.h"
#include "ops/request/arn.h"

enum { MS_PER_DAY = 24 * 60 * 60 * 1000 };

int64_t throughput_decreases_today(const struct provisioned_throughput *throughput,
                                   int64_t now_ms) {
    bool today = throughput->last_decrease_ms / MS_PER_DAY == now_ms / MS_PER_DAY;
    return today ? throughput->decreases_today : 0;
}

/* ---- parts ---- */

/* Region and account are those of the server, also in an ARN that was stored under others. */
static void write_resource(struct json_writer *json, const char *name,
                           const struct table_description *table, struct slice resource) {
    struct buffer arn;
    buffer_init(&arn, 4 * LIMIT_TABLE_ARN_CHARS);
    buffer_printf(&arn, "arn:aws:dynamodb:%.*s:%.*s:", SLICE_ARGS(table->region),
                  SLICE_ARGS(table->account));
    buffer_append_slice(&arn, resource);
    member_text(json, name, buffer_slice(&arn));
    buffer_release(&arn);
}

static void write_arn(struct json_writer *json, const char *name,
                      const struct table_description *table, const char *infix, struct slice tail) {
    struct buffer resource;
    buffer_init(&resource, 4 * LIMIT_TABLE_ARN_CHARS);
    buffer_printf(&resource, "table/%.*s%s", SLICE_ARGS(table->definition->name), infix);
    buffer_append_slice(&resource, tail);
    write_resource(json, name, table, buffer_slice(&resource));
    buffer_release(&resource);
}

static void write_stored_arn(struct json_writer *json, const char *name,
                             const struct table_description *table, struct slice stored) {
    struct arn arn;
    if (arn_parse(stored, &arn))
        write_resource(json, name, table, arn.resource);
}

static void write_throughput(struct json_writer *json, const struct table_description *table,
                             const struct provisioned_throughput *throughput) {
    member_object(json, "ProvisionedThroughput");
    member_time(json, "LastIncreaseDateTime", throughput->last_increase_ms);
    member_time(json, "LastDecreaseDateTime", throughput->last_decrease_ms);
    member_integer(json, "NumberOfDecreasesToday",
                   throughput_decreases_today(throughput, table->now_ms));
    member_integer(json, "ReadCapacityUnits", throughput->read_units);
    member_integer(json, "WriteCapacityUnits", throughput->write_units);
    json_object_end(json);
}

/* The units that were taken away are shown once more. */
static void write_on_demand(struct json_writer *json, const struct table_description *table) {
    struct unit_pair units = table->definition->on_demand;
    units_write_parts(json, &on_demand_names, units,
                      units.read != -1 || table->on_demand_read_removed,
                      units.write != -1 || table->on_demand_write_removed);
}

static void write_warm(struct json_writer *json, struct unit_pair units, bool updating) {
    member_object(json, "WarmThroughput");
    member_integer(json, "ReadUnitsPerSecond", units.read);
    member_integer(json, "WriteUnitsPerSecond", units.write);
    member_word(json, "Status", table_status_name(updating ? TABLE_UPDATING : TABLE_ACTIVE));
    json_object_end(json);
}

/* A new table shows what it was asked to be warm for, if anything. */
static void write_table_warm(struct json_writer *json, const struct table_description *table,
                             const struct provisioned_throughput *throughput) {
    const struct table_definition *definition = table->definition;
    bool created = table->kind == DESCRIBE_CREATED;
    bool asked = definition->warm.read != -1 || definition->warm.write != -1;
    if (asked || !created)
        write_warm(json, warm_units(definition->billing, throughput, definition->warm),
                   created || table->warm_updating);
}

static void write_billing(struct json_writer *json, const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    if (!definition->billing_shown)
        return;
    member_object(json, "BillingModeSummary");
    member_word(json, "BillingMode", billing_mode_name(definition->billing));
    if (table->kind != DESCRIBE_CREATED &&
        (table->kind != DESCRIBE_UPDATED || table->status == TABLE_ACTIVE))
        member_time(json, "LastUpdateToPayPerRequestDateTime", definition->on_demand_since_ms);
    json_object_end(json);
}

static void write_class(struct json_writer *json, const struct table_definition *definition) {
    if (definition->table_class == TABLE_CLASS_DEFAULT)
        return;
    member_object(json, "TableClassSummary");
    member_word(json, "TableClass", table_class_name(definition->table_class));
    member_time(json, "LastUpdateDateTime", definition->table_class_changed_ms);
    json_object_end(json);
}

static void write_sse(struct json_writer *json, const struct table_description *table) {
    if (!table->definition->sse_kms)
        return;
    member_object(json, "SSEDescription");
    enum feature_status status = table->sse_updating ? FEATURE_UPDATING : FEATURE_ENABLED;
    member_word(json, "Status", feature_status_name(status));
    member_word(json, "SSEType", sse_type_name(SSE_KMS));
    member_text(json, "KMSMasterKeyArn", table->definition->sse_key_arn);
    json_object_end(json);
}

static void write_stream(struct json_writer *json, const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    if (definition->stream != STREAM_OFF)
        stream_write(json, "StreamSpecification", definition->stream);
    if (slice_present(definition->stream_label)) {
        member_text(json, "LatestStreamLabel", definition->stream_label);
        write_arn(json, "LatestStreamArn", table, "/stream/", definition->stream_label);
    }
}

/* ---- indexes ---- */

static void write_index(struct json_writer *json, const struct table_index *index,
                        const void *context) {
    const struct table_description *table = context;
    struct index_figures figures = {.item_count = 0};
    if (table->index_figures != NULL)
        figures = table->index_figures[index - table->definition->indexes];
    if (index->global) {
        bool creating = table->kind == DESCRIBE_CREATED || table->definition->restoring;
        member_word(json, "IndexStatus",
                    table_status_name(creating ? TABLE_CREATING : index->status));
        if (index->backfilling && index->status == TABLE_CREATING) {
            member_bool(json, "Backfilling",
                        table->kind == DESCRIBE_TABLE); /* it starts a little later */
        }
        write_throughput(json, table, &index->throughput);
    }
    member_integer(json, "IndexSizeBytes", figures.size_bytes);
    member_integer(json, "ItemCount", figures.item_count);
    write_arn(json, "IndexArn", table, "/index/", index->name);
    if (index->global)
        units_write(json, &on_demand_names, index->on_demand);
    if (index->global && table->kind != DESCRIBE_CREATED) /* a new table's are warm later */
        write_warm(json, warm_units(table->definition->billing, &index->throughput, index->warm),
                   figures.warm_updating);
}

/* ---- where it comes from ---- */

static void write_restore(struct json_writer *json, const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    if (definition->restored_ms == 0)
        return;
    member_object(json, "RestoreSummary");
    if (slice_present(definition->restored_backup))
        write_stored_arn(json, "SourceBackupArn", table, definition->restored_backup);
    write_stored_arn(json, "SourceTableArn", table, definition->restored_table);
    member_time(json, "RestoreDateTime", definition->restored_ms);
    member_bool(json, "RestoreInProgress", definition->restoring);
    json_object_end(json);
}

/* ---- the whole ---- */

static const struct provisioned_throughput *
shown_throughput(const struct table_description *table) {
    return table->throughput != NULL ? table->throughput : &table->definition->throughput;
}

static void write_what_deletion_leaves(struct json_writer *json,
                                       const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    member_text(json, "TableName", definition->name);
    member_word(json, "TableStatus", table_status_name(table->status));
    write_throughput(json, table, shown_throughput(table));
    member_integer(json, "TableSizeBytes", table->size_bytes);
    member_integer(json, "ItemCount", table->item_count);
    write_arn(json, "TableArn", table, "", SLICE_LITERAL(""));
    member_text(json, "TableId", definition->uuid);
    write_billing(json, table);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (table_settings[i].summary == NULL)
            setting_write(json, &table_settings[i], setting_value(&table_settings[i], definition));
}

void table_description_write(struct json_writer *json, const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    json_object_begin(json);
    write_what_deletion_leaves(json, table);
    if (table->kind != DESCRIBE_DELETED) {
        attribute_definitions_write(json, definition->attributes, definition->attribute_count);
        key_schema_write(json, &definition->keys);
        member_time(json, "CreationDateTime", definition->created_ms);
        indexes_write(json, definition, false, write_index, table);
        indexes_write(json, definition, true, write_index, table);
        write_stream(json, table);
        write_restore(json, table);
        write_sse(json, table);
        write_class(json, definition);
        write_on_demand(json, table);
        write_table_warm(json, table, shown_throughput(table));
    }
    json_object_end(json);
}
