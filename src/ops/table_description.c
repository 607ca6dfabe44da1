/* table_description.c - the TableDescription structure as JSON.
 *
 * Which members appear when is the service's habit: absent rather than null, a billing mode only
 * for tables that are or were on demand, a class only when one was given. Tests hold the exact
 * output. */
#include "ops/table_description.h"

#include "model/limits.h"

enum {
    MS_PER_DAY = 24 * 60 * 60 * 1000,
    /* A new on-demand table or index serves these at once. */
    WARM_READ_UNITS = 12000,
    WARM_WRITE_UNITS = 4000,
};

static const char *status_text(enum table_status status) {
    static const char *const texts[] = {[TABLE_CREATING] = "CREATING",
                                        [TABLE_ACTIVE] = "ACTIVE",
                                        [TABLE_UPDATING] = "UPDATING",
                                        [TABLE_DELETING] = "DELETING"};
    return texts[status];
}

static void write_text(struct json_writer *json, const char *name, struct slice text) {
    json_name(json, slice_text(name));
    json_string(json, text);
}

static void write_integer(struct json_writer *json, const char *name, int64_t n) {
    json_name(json, slice_text(name));
    json_integer(json, n);
}

static void write_time(struct json_writer *json, const char *name, int64_t ms) {
    if (ms == 0)
        return;
    json_name(json, slice_text(name));
    json_timestamp(json, ms);
}

static void begin_member(struct json_writer *json, const char *name) {
    json_name(json, slice_text(name));
    json_object_begin(json);
}

int64_t throughput_decreases_today(const struct provisioned_throughput *throughput,
                                   int64_t now_ms) {
    bool today = throughput->last_decrease_ms / MS_PER_DAY == now_ms / MS_PER_DAY;
    return today ? throughput->decreases_today : 0;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

struct unit_pair warm_units(enum billing_mode billing,
                            const struct provisioned_throughput *throughput,
                            struct unit_pair warm) {
    struct unit_pair least = {throughput->read_units, throughput->write_units};
    if (billing == BILLING_PAY_PER_REQUEST)
        least = (struct unit_pair){WARM_READ_UNITS, WARM_WRITE_UNITS};
    return (struct unit_pair){larger(least.read, warm.read), larger(least.write, warm.write)};
}

/* ---- parts ---- */

static void write_arn(struct json_writer *json, const char *name,
                      const struct table_description *table, const char *infix, struct slice tail) {
    struct buffer arn;
    buffer_init(&arn, 4 * LIMIT_TABLE_ARN_CHARS);
    buffer_printf(&arn, "arn:aws:dynamodb:%.*s:%.*s:table/%.*s%s", SLICE_ARGS(table->region),
                  SLICE_ARGS(table->account), SLICE_ARGS(table->definition->name), infix);
    buffer_append_slice(&arn, tail);
    write_text(json, name, buffer_slice(&arn));
    buffer_release(&arn);
}

static void write_throughput(struct json_writer *json, const struct table_description *table,
                             const struct provisioned_throughput *throughput) {
    begin_member(json, "ProvisionedThroughput");
    write_time(json, "LastIncreaseDateTime", throughput->last_increase_ms);
    write_time(json, "LastDecreaseDateTime", throughput->last_decrease_ms);
    write_integer(json, "NumberOfDecreasesToday",
                  throughput_decreases_today(throughput, table->now_ms));
    write_integer(json, "ReadCapacityUnits", throughput->read_units);
    write_integer(json, "WriteCapacityUnits", throughput->write_units);
    json_object_end(json);
}

static void write_attributes(struct json_writer *json, const struct table_definition *definition) {
    JSON_NAME_LITERAL(json, "AttributeDefinitions");
    json_array_begin(json);
    for (size_t i = 0; i < definition->attribute_count; i++) {
        const struct attribute_definition *attribute = &definition->attributes[i];
        json_object_begin(json);
        write_text(json, "AttributeName", attribute->name);
        write_text(json, "AttributeType", slice_text(value_type_name(attribute->type)));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_key_parts(struct json_writer *json, const struct key_attribute *parts,
                            size_t count, const char *type) {
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        write_text(json, "AttributeName", parts[i].name);
        write_text(json, "KeyType", slice_text(type));
        json_object_end(json);
    }
}

static void write_key_schema(struct json_writer *json, const struct key_schema *keys) {
    JSON_NAME_LITERAL(json, "KeySchema");
    json_array_begin(json);
    write_key_parts(json, keys->hash, keys->hash_count, "HASH");
    write_key_parts(json, keys->range, keys->range_count, "RANGE");
    json_array_end(json);
}

static void write_on_demand(struct json_writer *json, struct unit_pair units,
                            const struct table_description *removed) {
    bool read = units.read != -1 || (removed != NULL && removed->on_demand_read_removed);
    bool write = units.write != -1 || (removed != NULL && removed->on_demand_write_removed);
    if (!read && !write)
        return;
    begin_member(json, "OnDemandThroughput");
    if (read)
        write_integer(json, "MaxReadRequestUnits", units.read);
    if (write)
        write_integer(json, "MaxWriteRequestUnits", units.write);
    json_object_end(json);
}

static void write_warm(struct json_writer *json, struct unit_pair units, bool updating) {
    begin_member(json, "WarmThroughput");
    write_integer(json, "ReadUnitsPerSecond", units.read);
    write_integer(json, "WriteUnitsPerSecond", units.write);
    write_text(json, "Status", slice_text(updating ? "UPDATING" : "ACTIVE"));
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
    bool on_demand = definition->billing == BILLING_PAY_PER_REQUEST;
    begin_member(json, "BillingModeSummary");
    write_text(json, "BillingMode", slice_text(on_demand ? "PAY_PER_REQUEST" : "PROVISIONED"));
    if (table->kind != DESCRIBE_CREATED &&
        (table->kind != DESCRIBE_UPDATED || table->status == TABLE_ACTIVE))
        write_time(json, "LastUpdateToPayPerRequestDateTime", definition->on_demand_since_ms);
    json_object_end(json);
}

static void write_class(struct json_writer *json, const struct table_definition *definition) {
    if (definition->table_class == TABLE_CLASS_DEFAULT)
        return;
    bool standard = definition->table_class == TABLE_CLASS_STANDARD;
    begin_member(json, "TableClassSummary");
    write_text(json, "TableClass",
               slice_text(standard ? "STANDARD" : "STANDARD_INFREQUENT_ACCESS"));
    write_time(json, "LastUpdateDateTime", definition->table_class_changed_ms);
    json_object_end(json);
}

static void write_sse(struct json_writer *json, const struct table_description *table) {
    if (!table->definition->sse_kms)
        return;
    begin_member(json, "SSEDescription");
    write_text(json, "Status", slice_text(table->sse_updating ? "UPDATING" : "ENABLED"));
    write_text(json, "SSEType", SLICE_LITERAL("KMS"));
    write_text(json, "KMSMasterKeyArn", table->definition->sse_key_arn);
    json_object_end(json);
}

static void write_stream(struct json_writer *json, const struct table_description *table) {
    static const char *const views[] = {[STREAM_OFF] = "",
                                        [STREAM_KEYS_ONLY] = "KEYS_ONLY",
                                        [STREAM_NEW_IMAGE] = "NEW_IMAGE",
                                        [STREAM_OLD_IMAGE] = "OLD_IMAGE",
                                        [STREAM_NEW_AND_OLD] = "NEW_AND_OLD_IMAGES"};
    const struct table_definition *definition = table->definition;
    if (definition->stream != STREAM_OFF) {
        begin_member(json, "StreamSpecification");
        JSON_NAME_LITERAL(json, "StreamEnabled");
        json_bool(json, true);
        write_text(json, "StreamViewType", slice_text(views[definition->stream]));
        json_object_end(json);
    }
    if (slice_present(definition->stream_label)) {
        write_text(json, "LatestStreamLabel", definition->stream_label);
        write_arn(json, "LatestStreamArn", table, "/stream/", definition->stream_label);
    }
}

/* ---- indexes ---- */

static void write_projection(struct json_writer *json, const struct table_index *index) {
    static const char *const types[] = {
        [PROJECT_ALL] = "ALL", [PROJECT_KEYS_ONLY] = "KEYS_ONLY", [PROJECT_INCLUDE] = "INCLUDE"};
    begin_member(json, "Projection");
    write_text(json, "ProjectionType", slice_text(types[index->projection]));
    if (index->non_key_attribute_count > 0) {
        JSON_NAME_LITERAL(json, "NonKeyAttributes");
        json_array_begin(json);
        for (size_t i = 0; i < index->non_key_attribute_count; i++)
            json_string(json, index->non_key_attributes[i]);
        json_array_end(json);
    }
    json_object_end(json);
}

static void write_index(struct json_writer *json, const struct table_description *table,
                        size_t position) {
    const struct table_index *index = &table->definition->indexes[position];
    struct index_figures figures = {.item_count = 0};
    if (table->index_figures != NULL)
        figures = table->index_figures[position];
    json_object_begin(json);
    write_text(json, "IndexName", index->name);
    write_key_schema(json, &index->keys);
    write_projection(json, index);
    if (index->global) {
        bool creating = table->kind == DESCRIBE_CREATED;
        write_text(json, "IndexStatus",
                   slice_text(status_text(creating ? TABLE_CREATING : index->status)));
        if (index->backfilling && index->status == TABLE_CREATING) {
            JSON_NAME_LITERAL(json, "Backfilling");
            json_bool(json, table->kind == DESCRIBE_TABLE); /* it starts a little later */
        }
        write_throughput(json, table, &index->throughput);
    }
    write_integer(json, "IndexSizeBytes", figures.size_bytes);
    write_integer(json, "ItemCount", figures.item_count);
    write_arn(json, "IndexArn", table, "/index/", index->name);
    if (index->global)
        write_on_demand(json, index->on_demand, NULL);
    if (index->global && table->kind != DESCRIBE_CREATED) /* a new table's are warm later */
        write_warm(json, warm_units(table->definition->billing, &index->throughput, index->warm),
                   figures.warm_updating);
    json_object_end(json);
}

static void write_indexes(struct json_writer *json, const struct table_description *table,
                          const char *name, bool global) {
    const struct table_definition *definition = table->definition;
    bool any = false;
    for (size_t i = 0; i < definition->index_count; i++) {
        if (definition->indexes[i].global != global)
            continue;
        if (!any) {
            json_name(json, slice_text(name));
            json_array_begin(json);
            any = true;
        }
        write_index(json, table, i);
    }
    if (any)
        json_array_end(json);
}

/* ---- the whole ---- */

static const struct provisioned_throughput *
shown_throughput(const struct table_description *table) {
    return table->throughput != NULL ? table->throughput : &table->definition->throughput;
}

static void write_what_deletion_leaves(struct json_writer *json,
                                       const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    write_text(json, "TableName", definition->name);
    write_text(json, "TableStatus", slice_text(status_text(table->status)));
    write_throughput(json, table, shown_throughput(table));
    write_integer(json, "TableSizeBytes", table->size_bytes);
    write_integer(json, "ItemCount", table->item_count);
    write_arn(json, "TableArn", table, "", SLICE_LITERAL(""));
    write_text(json, "TableId", definition->uuid);
    write_billing(json, table);
    JSON_NAME_LITERAL(json, "DeletionProtectionEnabled");
    json_bool(json, definition->deletion_protected);
}

void table_description_write(struct json_writer *json, const struct table_description *table) {
    const struct table_definition *definition = table->definition;
    json_object_begin(json);
    write_what_deletion_leaves(json, table);
    if (table->kind != DESCRIBE_DELETED) {
        write_attributes(json, definition);
        write_key_schema(json, &definition->keys);
        write_time(json, "CreationDateTime", definition->created_ms);
        write_indexes(json, table, "LocalSecondaryIndexes", false);
        write_indexes(json, table, "GlobalSecondaryIndexes", true);
        write_stream(json, table);
        write_sse(json, table);
        write_class(json, definition);
        write_on_demand(json, definition->on_demand, table);
        write_table_warm(json, table, shown_throughput(table));
    }
    json_object_end(json);
}
