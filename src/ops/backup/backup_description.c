/* backup_description.c - backups as JSON. What a table had is told from its definition then; what
 * it did not have is absent. */
#include "ops/backup/backup_description.h"

#include "model/key_json.h"
#include "ops/table/table_description.h"
#include "json/member.h"

/* ---- the backup ---- */

/* What details and summaries share. */
static void write_backup(const struct op_call *call, struct json_writer *json,
                         const struct backup_description *description) {
    const struct backup *backup = description->backup;
    struct backup_id id = {backup->created_ms, backup->id};
    enum backup_status status = description->deleted ? BACKUP_DELETED : backup->status;
    member_text(json, "BackupArn", backup_arn_print(call, description->definition->name, id));
    member_text(json, "BackupName", backup->name);
    member_integer(json, "BackupSizeBytes", backup->size_bytes);
    member_word(json, "BackupStatus", backup_status_name(status));
    member_word(json, "BackupType", backup_type_name(backup->type));
    member_time(json, "BackupCreationDateTime", backup->created_ms);
    member_time(json, "BackupExpiryDateTime", backup->expiry_ms);
}

void backup_details_write(const struct op_call *call, struct json_writer *json,
                          const struct backup_description *description) {
    member_object(json, "BackupDetails");
    write_backup(call, json, description);
    json_object_end(json);
}

static void write_table_names(const struct op_call *call, struct json_writer *json,
                              const struct table_definition *definition) {
    member_text(json, "TableName", definition->name);
    member_text(json, "TableId", definition->uuid);
    member_text(json, "TableArn", table_arn_print(call, definition->name));
}

void backup_summary_write(const struct op_call *call, struct json_writer *json,
                          const struct backup_description *description) {
    json_object_begin(json);
    write_table_names(call, json, description->definition);
    write_backup(call, json, description);
    json_object_end(json);
}

/* ---- its table ---- */

static void write_throughput(struct json_writer *json,
                             const struct provisioned_throughput *throughput) {
    member_object(json, "ProvisionedThroughput");
    member_integer(json, "ReadCapacityUnits", throughput->read_units);
    member_integer(json, "WriteCapacityUnits", throughput->write_units);
    json_object_end(json);
}

static void write_table(const struct op_call *call, struct json_writer *json,
                        const struct backup_description *description) {
    const struct table_definition *definition = description->definition;
    member_object(json, "SourceTableDetails");
    write_table_names(call, json, definition);
    member_integer(json, "TableSizeBytes", description->backup->size_bytes);
    key_schema_write(json, &definition->keys);
    member_time(json, "TableCreationDateTime", definition->created_ms);
    write_throughput(json, &definition->throughput);
    on_demand_write(json, definition->on_demand, NULL);
    member_integer(json, "ItemCount", description->backup->item_count);
    member_word(json, "BillingMode", billing_mode_name(definition->billing));
    json_object_end(json);
}

static void write_index(struct json_writer *json, const struct table_index *index) {
    json_object_begin(json);
    member_text(json, "IndexName", index->name);
    key_schema_write(json, &index->keys);
    index_projection_write(json, index);
    if (index->global) {
        write_throughput(json, &index->throughput);
        on_demand_write(json, index->on_demand, NULL);
    }
    json_object_end(json);
}

static void write_indexes(struct json_writer *json, const struct table_definition *definition,
                          const char *name, bool global) {
    bool any = false;
    for (size_t i = 0; i < definition->index_count; i++) {
        if (definition->indexes[i].global != global)
            continue;
        if (!any) {
            member_array(json, name);
            any = true;
        }
        write_index(json, &definition->indexes[i]);
    }
    if (any)
        json_array_end(json);
}

static void write_features(struct json_writer *json, const struct table_definition *definition) {
    member_object(json, "SourceTableFeatureDetails");
    write_indexes(json, definition, "LocalSecondaryIndexes", false);
    write_indexes(json, definition, "GlobalSecondaryIndexes", true);
    if (definition->stream != STREAM_OFF) {
        member_object(json, "StreamDescription");
        member_bool(json, "StreamEnabled", true);
        member_word(json, "StreamViewType", stream_view_name(definition->stream));
        json_object_end(json);
    }
    if (slice_present(definition->ttl_attribute)) {
        member_object(json, "TimeToLiveDescription");
        member_word(json, "TimeToLiveStatus", feature_status_name(FEATURE_ENABLED));
        member_text(json, "AttributeName", definition->ttl_attribute);
        json_object_end(json);
    }
    if (definition->sse_kms) {
        member_object(json, "SSEDescription");
        member_word(json, "Status", feature_status_name(FEATURE_ENABLED));
        member_word(json, "SSEType", sse_type_name(SSE_KMS));
        member_text(json, "KMSMasterKeyArn", definition->sse_key_arn);
        json_object_end(json);
    }
    json_object_end(json);
}

void backup_description_reply(struct op_call *call, const struct backup_description *description) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_object(&json, "BackupDescription");
    backup_details_write(call, &json, description);
    write_table(call, &json, description);
    write_features(&json, description->definition);
    json_object_end(&json);
    json_object_end(&json);
}
