/* backup_description.c - backups as JSON. What a table had is told from its definition then; what
 * it did not have is absent. */
#include "ops/backup/backup_description.h"

#include "json/member.h"
#include "model/table_json.h"
#include "ops/request/arn.h"
#include "ops/table/table_description.h"

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

static void write_table(const struct op_call *call, struct json_writer *json,
                        const struct backup_description *description) {
    const struct table_definition *definition = description->definition;
    member_object(json, "SourceTableDetails");
    write_table_names(call, json, definition);
    member_integer(json, "TableSizeBytes", description->backup->size_bytes);
    key_schema_write(json, &definition->keys);
    member_time(json, "TableCreationDateTime", definition->created_ms);
    provisioned_write(json, &definition->throughput);
    units_write(json, &on_demand_names, definition->on_demand);
    member_integer(json, "ItemCount", description->backup->item_count);
    member_word(json, "BillingMode", billing_mode_name(definition->billing));
    json_object_end(json);
}

static void write_index(struct json_writer *json, const struct table_index *index,
                        const void *context) {
    (void)context;
    if (!index->global)
        return;
    provisioned_write(json, &index->throughput);
    units_write(json, &on_demand_names, index->on_demand);
}

static void write_features(struct json_writer *json, const struct table_definition *definition) {
    member_object(json, "SourceTableFeatureDetails");
    indexes_write(json, definition, false, write_index, NULL);
    indexes_write(json, definition, true, write_index, NULL);
    if (definition->stream != STREAM_OFF)
        stream_write(json, "StreamDescription", definition->stream);
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
