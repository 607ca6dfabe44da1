/* request.c - see request.h.
 *
 * Every request is begun with the table's name and finished by copying it to the arena, so that the
 * functions in between only write what they are about. */
#include "template/request.h"

#include "base/check.h"
#include "model/key_json.h"
#include "json/member.h"

/* Never reached: texts, lists and indexes are limited where they are read (property.h). */
enum { REQUEST_BYTES_MAX = 256 * 1024 * 1024 };

struct request {
    struct buffer buffer;
    struct json_writer json;
};

static void begin(struct request *request, const char *name, struct slice value) {
    buffer_init(&request->buffer, REQUEST_BYTES_MAX);
    json_writer_init(&request->json, &request->buffer);
    json_object_begin(&request->json);
    member_text(&request->json, name, value);
}

static struct slice finish(struct request *request, struct arena *arena) {
    json_object_end(&request->json);
    CHECK(!request->buffer.overflow);
    struct slice body = buffer_slice(&request->buffer);
    struct slice text = arena_printf(arena, "%.*s", SLICE_ARGS(body));
    buffer_release(&request->buffer);
    return text;
}

/* ---- parts ---- */

static void write_attribute(struct json_writer *json,
                            const struct attribute_definition *attribute) {
    json_object_begin(json);
    member_text(json, "AttributeName", attribute->name);
    member_word(json, "AttributeType", value_type_name(attribute->type));
    json_object_end(json);
}

/* A pair of numbers under a name; those that are -1 are left out unless all are to be written. */
static void write_units(struct json_writer *json, const char *const names[3],
                        struct unit_pair units, bool all) {
    if (!all && units.read == -1 && units.write == -1)
        return;
    member_object(json, names[0]);
    if (all || units.read != -1) {
        json_name(json, slice_text(names[1]));
        json_integer(json, units.read);
    }
    if (all || units.write != -1) {
        json_name(json, slice_text(names[2]));
        json_integer(json, units.write);
    }
    json_object_end(json);
}

static const char *const provisioned_names[] = {"ProvisionedThroughput", "ReadCapacityUnits",
                                                "WriteCapacityUnits"};
static const char *const on_demand_names[] = {"OnDemandThroughput", "MaxReadRequestUnits",
                                              "MaxWriteRequestUnits"};
static const char *const warm_names[] = {"WarmThroughput", "ReadUnitsPerSecond",
                                         "WriteUnitsPerSecond"};

static void write_provisioned(struct json_writer *json,
                              const struct provisioned_throughput *throughput) {
    write_units(json, provisioned_names,
                (struct unit_pair){throughput->read_units, throughput->write_units}, true);
}

static void write_index_members(struct json_writer *json, const struct table_index *index,
                                enum billing_mode billing) {
    member_text(json, "IndexName", index->name);
    key_schema_write(json, &index->keys);
    index_projection_write(json, index);
    if (!index->global)
        return;
    if (billing == BILLING_PROVISIONED)
        write_provisioned(json, &index->throughput);
    write_units(json, on_demand_names, index->on_demand, false);
    write_units(json, warm_names, index->warm, false);
}

static void write_indexes(struct json_writer *json, const struct table_definition *wanted,
                          const char *name, bool global) {
    bool any = false;
    for (size_t i = 0; i < wanted->index_count; i++) {
        if (wanted->indexes[i].global != global)
            continue;
        if (!any)
            member_array(json, name);
        any = true;
        json_object_begin(json);
        write_index_members(json, &wanted->indexes[i], wanted->billing);
        json_object_end(json);
    }
    if (any)
        json_array_end(json);
}

static void write_stream(struct json_writer *json, enum stream_view view) {
    member_object(json, "StreamSpecification");
    member_bool(json, "StreamEnabled", view != STREAM_OFF);
    if (view != STREAM_OFF)
        member_word(json, "StreamViewType", stream_view_name(view));
    json_object_end(json);
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

static void write_tags(struct json_writer *json, const struct table_tag *tags, size_t count) {
    member_array(json, "Tags");
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        member_text(json, "Key", tags[i].key);
        member_text(json, "Value", tags[i].value);
        json_object_end(json);
    }
    json_array_end(json);
}

/* ---- CreateTable ---- */

static void write_create_settings(struct json_writer *json, const struct table_definition *wanted) {
    member_word(json, "BillingMode", billing_mode_name(wanted->billing));
    if (wanted->billing == BILLING_PROVISIONED)
        write_provisioned(json, &wanted->throughput);
    write_units(json, on_demand_names, wanted->on_demand, false);
    write_units(json, warm_names, wanted->warm, false);
    if (wanted->stream != STREAM_OFF)
        write_stream(json, wanted->stream);
    if (wanted->sse_kms)
        write_encryption(json, wanted);
    if (wanted->table_class == TABLE_CLASS_INFREQUENT_ACCESS)
        member_word(json, "TableClass", table_class_name(wanted->table_class));
    if (wanted->deletion_protected)
        member_bool(json, "DeletionProtectionEnabled", true);
    if (wanted->tag_count > 0)
        write_tags(json, wanted->tags, wanted->tag_count);
}

struct slice request_create_table(struct arena *arena, const struct table_definition *wanted) {
    struct request request;
    begin(&request, "TableName", wanted->name);
    member_array(&request.json, "AttributeDefinitions");
    for (size_t i = 0; i < wanted->attribute_count; i++)
        write_attribute(&request.json, &wanted->attributes[i]);
    json_array_end(&request.json);
    key_schema_write(&request.json, &wanted->keys);
    write_indexes(&request.json, wanted, "LocalSecondaryIndexes", false);
    write_indexes(&request.json, wanted, "GlobalSecondaryIndexes", true);
    write_create_settings(&request.json, wanted);
    return finish(&request, arena);
}

struct slice request_table_name(struct arena *arena, struct slice table) {
    struct request request;
    begin(&request, "TableName", table);
    return finish(&request, arena);
}

/* ---- UpdateTable: the table ---- */

struct slice request_deletion_protection(struct arena *arena,
                                         const struct table_definition *wanted) {
    struct request request;
    begin(&request, "TableName", wanted->name);
    member_bool(&request.json, "DeletionProtectionEnabled", wanted->deletion_protected);
    return finish(&request, arena);
}

struct slice request_table_class(struct arena *arena, const struct table_definition *wanted) {
    struct request request;
    begin(&request, "TableName", wanted->name);
    member_word(&request.json, "TableClass", table_class_name(wanted->table_class));
    return finish(&request, arena);
}

struct slice request_encryption(struct arena *arena, const struct table_definition *wanted) {
    struct request request;
    begin(&request, "TableName", wanted->name);
    write_encryption(&request.json, wanted);
    return finish(&request, arena);
}

struct slice request_stream(struct arena *arena, struct slice table, enum stream_view view) {
    struct request request;
    begin(&request, "TableName", table);
    write_stream(&request.json, view);
    return finish(&request, arena);
}

static struct slice request_units(struct arena *arena, struct slice table,
                                  const char *const names[3], struct unit_pair units, bool all) {
    struct request request;
    begin(&request, "TableName", table);
    write_units(&request.json, names, units, all);
    return finish(&request, arena);
}

struct slice request_on_demand(struct arena *arena, struct slice table, struct unit_pair units) {
    return request_units(arena, table, on_demand_names, units, true);
}

struct slice request_warm(struct arena *arena, struct slice table, struct unit_pair units) {
    return request_units(arena, table, warm_names, units, false);
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
                                        const struct table_index *index, const char *const names[3],
                                        struct unit_pair units, bool all) {
    struct request request;
    begin(&request, "TableName", table);
    member_array(&request.json, "GlobalSecondaryIndexUpdates");
    begin_index(&request.json, "Update", index->name);
    write_units(&request.json, names, units, all);
    end_index(&request.json);
    json_array_end(&request.json);
    return finish(&request, arena);
}

struct slice request_index_on_demand(struct arena *arena, struct slice table,
                                     const struct table_index *index, struct unit_pair units) {
    return request_index_units(arena, table, index, on_demand_names, units, true);
}

struct slice request_index_warm(struct arena *arena, struct slice table,
                                const struct table_index *index, struct unit_pair units) {
    return request_index_units(arena, table, index, warm_names, units, false);
}

/* The keys of a new index have to be defined in the request, known or not. */
static void write_key_definitions(struct json_writer *json, const struct key_schema *keys) {
    member_array(json, "AttributeDefinitions");
    for (size_t i = 0; i < keys->hash_count; i++)
        write_attribute(json,
                        &(struct attribute_definition){keys->hash[i].name, keys->hash[i].type});
    for (size_t i = 0; i < keys->range_count; i++)
        write_attribute(json,
                        &(struct attribute_definition){keys->range[i].name, keys->range[i].type});
    json_array_end(json);
}

struct slice request_index_create(struct arena *arena, const struct table_definition *wanted,
                                  const struct table_index *index) {
    struct request request;
    begin(&request, "TableName", wanted->name);
    write_key_definitions(&request.json, &index->keys);
    member_array(&request.json, "GlobalSecondaryIndexUpdates");
    json_object_begin(&request.json);
    member_object(&request.json, "Create");
    write_index_members(&request.json, index, wanted->billing);
    end_index(&request.json);
    json_array_end(&request.json);
    return finish(&request, arena);
}

struct slice request_index_delete(struct arena *arena, struct slice table, struct slice index) {
    struct request request;
    begin(&request, "TableName", table);
    member_array(&request.json, "GlobalSecondaryIndexUpdates");
    begin_index(&request.json, "Delete", index);
    end_index(&request.json);
    json_array_end(&request.json);
    return finish(&request, arena);
}

struct slice request_capacity(struct arena *arena, const struct table_definition *wanted,
                              const struct capacity_change *change) {
    struct request request;
    begin(&request, "TableName", wanted->name);
    if (change->billing)
        member_word(&request.json, "BillingMode", billing_mode_name(wanted->billing));
    if (change->table)
        write_provisioned(&request.json, &wanted->throughput);
    if (change->index_count > 0)
        member_array(&request.json, "GlobalSecondaryIndexUpdates");
    for (size_t i = 0; i < change->index_count; i++) {
        begin_index(&request.json, "Update", change->indexes[i]->name);
        write_provisioned(&request.json, &change->indexes[i]->throughput);
        end_index(&request.json);
    }
    if (change->index_count > 0)
        json_array_end(&request.json);
    return finish(&request, arena);
}

/* ---- other operations ---- */

struct slice request_ttl(struct arena *arena, struct slice table, struct slice attribute,
                         bool enabled) {
    struct request request;
    begin(&request, "TableName", table);
    member_object(&request.json, "TimeToLiveSpecification");
    member_bool(&request.json, "Enabled", enabled);
    member_text(&request.json, "AttributeName", attribute);
    json_object_end(&request.json);
    return finish(&request, arena);
}

struct slice request_recovery(struct arena *arena, struct slice table,
                              const struct table_state *wanted) {
    struct request request;
    begin(&request, "TableName", table);
    member_object(&request.json, "PointInTimeRecoverySpecification");
    member_bool(&request.json, "PointInTimeRecoveryEnabled", wanted->recovery);
    if (wanted->recovery && wanted->recovery_days != 0)
        member_integer(&request.json, "RecoveryPeriodInDays", wanted->recovery_days);
    json_object_end(&request.json);
    return finish(&request, arena);
}

struct slice request_tags(struct arena *arena, struct slice arn, const struct table_tag *tags,
                          size_t count) {
    struct request request;
    begin(&request, "ResourceArn", arn);
    write_tags(&request.json, tags, count);
    return finish(&request, arena);
}

struct slice request_untag(struct arena *arena, struct slice arn, const struct slice *keys,
                           size_t count) {
    struct request request;
    begin(&request, "ResourceArn", arn);
    member_array(&request.json, "TagKeys");
    for (size_t i = 0; i < count; i++)
        json_string(&request.json, keys[i]);
    json_array_end(&request.json);
    return finish(&request, arena);
}
