/* update_table.c - UpdateTable: changes what a table was created with.
 *
 * The decision is made on the commit thread, from the table as it is then (update_table_apply). The
 * reply shows the service's slow pace, UPDATING and the throughput so far, though the change is
 * done. */
#include "ops/table/update_table.h"

#include "model/limits.h"
#include "ops/table/table_change.h"
#include "ops/table/table_settings.h"

/* ---- the request ---- */

static const struct field index_name_fields[] = {
    INDEX_NAME_FIELD(index_name_input),
    FIELDS_END,
};
static const struct shape delete_index_shape = {"DeleteGlobalSecondaryIndexAction",
                                                sizeof(struct index_name_input), index_name_fields};
static const struct shape delete_vector_index_shape = {
    "DeleteVectorIndexAction", sizeof(struct index_name_input), index_name_fields};

static const struct field index_change_fields[] = {
    INDEX_NAME_FIELD(global_index_change_input),
    {NAMED("ProvisionedThroughput"), AT(struct global_index_change_input, provisioned_throughput),
     .type = FIELD_STRUCT, .shape = &provisioned_throughput_shape},
    {NAMED("OnDemandThroughput"), AT(struct global_index_change_input, on_demand_throughput),
     .type = FIELD_STRUCT, .shape = &on_demand_throughput_shape},
    {NAMED("WarmThroughput"), AT(struct global_index_change_input, warm_throughput),
     .type = FIELD_STRUCT, .shape = &warm_throughput_shape},
    FIELDS_END,
};
static const struct shape index_change_shape = {"UpdateGlobalSecondaryIndexAction",
                                                sizeof(struct global_index_change_input),
                                                index_change_fields};

static const struct field index_update_fields[] = {
    {NAMED("Update"), AT(struct global_index_update_input, update), .type = FIELD_STRUCT,
     .shape = &index_change_shape},
    {NAMED("Create"), AT(struct global_index_update_input, create), .type = FIELD_STRUCT,
     .shape = &global_index_create_shape},
    {NAMED("Delete"), AT(struct global_index_update_input, delete), .type = FIELD_STRUCT,
     .shape = &delete_index_shape},
    FIELDS_END,
};
static const struct shape index_update_shape = {
    "GlobalSecondaryIndexUpdate", sizeof(struct global_index_update_input), index_update_fields};

static const struct field vector_update_fields[] = {
    {NAMED("Create"), AT(struct vector_index_update_input, create), .type = FIELD_STRUCT,
     .shape = &vector_index_create_shape},
    {NAMED("Delete"), AT(struct vector_index_update_input, delete), .type = FIELD_STRUCT,
     .shape = &delete_vector_index_shape},
    FIELDS_END,
};
static const struct shape vector_update_shape = {
    "VectorIndexUpdate", sizeof(struct vector_index_update_input), vector_update_fields};

static const struct field replica_action_fields[] = {
    {NAMED("RegionName"), AT(struct replica_action_input, region_name), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED},
    FIELDS_END,
};
static const struct shape replica_action_shape = {
    "ReplicationGroupMemberAction", sizeof(struct replica_action_input), replica_action_fields};

static const struct field replica_update_fields[] = {
    {NAMED("Create"), AT(struct replica_update_input, create), .type = FIELD_STRUCT,
     .shape = &replica_action_shape},
    {NAMED("Update"), AT(struct replica_update_input, update), .type = FIELD_STRUCT,
     .shape = &replica_action_shape},
    {NAMED("Delete"), AT(struct replica_update_input, delete), .type = FIELD_STRUCT,
     .shape = &replica_action_shape},
    {NAMED("Disassociate"), AT(struct replica_update_input, disassociate), .type = FIELD_STRUCT,
     .shape = &replica_action_shape},
    FIELDS_END,
};
static const struct shape replica_update_shape = {
    "ReplicationGroupUpdate", sizeof(struct replica_update_input), replica_update_fields};

static const struct field update_table_fields[] = {
    {NAMED("AttributeDefinitions"), AT(struct update_table_request, attribute_definitions),
     .type = FIELD_STRUCT_LIST, .shape = &attribute_definition_shape},
    {NAMED("TableName"), AT(struct update_table_request, table_name), .type = FIELD_STRING,
     .flags = FIELD_TABLE_NAME, .resource = RESOURCE_TABLE,
     LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_ARN_CHARS),
     .null_error = "The parameter 'TableName' is required but was not present in the request"},
    {NAMED("BillingMode"), AT(struct update_table_request, billing_mode), .type = FIELD_STRING,
     .enum_text = billing_mode_printed},
    {NAMED("ProvisionedThroughput"), AT(struct update_table_request, provisioned_throughput),
     .type = FIELD_STRUCT, .shape = &provisioned_throughput_shape},
    {NAMED("GlobalSecondaryIndexUpdates"),
     AT(struct update_table_request, global_secondary_index_updates), .type = FIELD_STRUCT_LIST,
     .shape = &index_update_shape},
    {NAMED("VectorIndexUpdates"), AT(struct update_table_request, vector_index_updates),
     .type = FIELD_STRUCT_LIST, .shape = &vector_update_shape},
    {NAMED("StreamSpecification"), AT(struct update_table_request, stream_specification),
     .type = FIELD_STRUCT, .shape = &stream_specification_shape},
    {NAMED("SSESpecification"), AT(struct update_table_request, sse_specification),
     .type = FIELD_STRUCT, .shape = &sse_specification_shape},
    {NAMED("ReplicaUpdates"), AT(struct update_table_request, replica_updates),
     .type = FIELD_STRUCT_LIST, AT_LEAST(1), .shape = &replica_update_shape},
#define FLAG_SETTING(symbol, member, name, ...) \
    FLAG_SETTING_FIELD(update_table_request, symbol, name)
#define WORD_SETTING(symbol, member, name, alone, stored, label, kind, printed, ...) \
    WORD_SETTING_FIELD(update_table_request, symbol, name, printed)
#include "model/table_settings.def"
    {NAMED("MultiRegionConsistency"), AT(struct update_table_request, multi_region_consistency),
     .type = FIELD_STRING, .enum_text = "[EVENTUAL, STRONG]"},
    {NAMED("GlobalTableWitnessUpdates"),
     AT(struct update_table_request, global_table_witness_updates), .type = FIELD_IGNORED},
    {NAMED("OnDemandThroughput"), AT(struct update_table_request, on_demand_throughput),
     .type = FIELD_STRUCT, .shape = &on_demand_throughput_shape},
    {NAMED("WarmThroughput"), AT(struct update_table_request, warm_throughput),
     .type = FIELD_STRUCT, .shape = &warm_throughput_shape},
    {NAMED("GlobalTableSettingsReplicationMode"),
     AT(struct update_table_request, global_table_settings_replication_mode), .type = FIELD_STRING,
     .enum_text = "[ENABLED, DISABLED, ENABLED_WITH_OVERRIDES]"},
    {NAMED("DisassociationProtectionEnabled"),
     AT(struct update_table_request, disassociation_protection_enabled), .type = FIELD_BOOLEAN},
    FIELDS_END,
};
static const struct shape update_table_shape = {
    "UpdateTableInput", sizeof(struct update_table_request), update_table_fields};

struct update_table {
    struct table_change change;
    struct table_update update;
    struct update_outcome outcome;
};

/* ---- the change ---- */

static struct error *apply_stream(struct arena *arena,
                                  const struct stream_specification_input *stream,
                                  struct table_definition *definition,
                                  struct update_outcome *outcome) {
    if (stream == NULL)
        return NULL;
    bool on = definition->stream != STREAM_OFF;
    if (stream->stream_enabled.value && on)
        return error_validation(arena, "Table already has an enabled stream: TableName: %.*s",
                                SLICE_ARGS(definition->name));
    if (!stream->stream_enabled.value && !on)
        return error_validation(arena, "Table has no stream to disable: TableName: %.*s",
                                SLICE_ARGS(definition->name));
    definition->stream = stream_view_of(stream);
    outcome->changed = outcome->updating = true;
    return NULL;
}

static struct error *apply_replicas(struct arena *arena,
                                    const struct update_table_request *request) {
    if (request->replica_updates.present || request->global_table_witness_updates.present ||
        request->disassociation_protection_enabled.present ||
        slice_present(request->multi_region_consistency) ||
        slice_present(request->global_table_settings_replication_mode))
        return error_validation(arena, NOT_SUPPORTED("Global tables"));
    return NULL;
}

static struct error *apply_sse(struct arena *arena, const struct table_update *update,
                               struct table_definition *definition,
                               struct update_outcome *outcome) {
    const struct sse_specification_input *sse = update->request->sse_specification;
    if (sse == NULL)
        return NULL;
    if (!sse_asked(sse) && !definition->sse_kms)
        return error_validation(arena, PVI "Table is already encrypted by default");
    if (sse_asked(sse) && definition->sse_kms &&
        (!slice_present(sse->kms_master_key_id) ||
         slice_equal(definition->sse_key_arn, update->new_key_arn)))
        return error_validation(arena, PVI "Table is already encrypted with given KMSMasterKeyId. "
                                           "Use KMSMasterKeyId parameter if you want to change "
                                           "Master Key");
    definition->sse_kms = sse_asked(sse);
    definition->sse_key_arn = sse_asked(sse) ? update->new_key_arn : SLICE_NONE;
    outcome->changed = outcome->sse_updating = true;
    return NULL;
}

static void apply_settings(const struct table_update *update, struct table_definition *definition,
                           struct update_outcome *outcome) {
    enum table_class before = definition->table_class;
    if (settings_change(update->request->settings, definition))
        outcome->changed = true;
    if (definition->table_class == before)
        return;
    definition->table_class_changed_ms = update->now_ms;
    outcome->updating = true;
}

struct error *update_table_apply(struct arena *arena, const struct table_update *update,
                                 struct table_definition *definition,
                                 struct update_outcome *ret_outcome) {
    struct update_outcome outcome = {.changed = false};
    TRY(update_throughput_apply(arena, update, definition, &outcome));
    TRY(apply_stream(arena, update->request->stream_specification, definition, &outcome));
    TRY(apply_sse(arena, update, definition, &outcome));
    TRY(apply_replicas(arena, update->request));
    TRY(update_indexes_apply(arena, update, definition, &outcome));
    apply_settings(update, definition, &outcome);
    *ret_outcome = outcome;
    return NULL;
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    struct update_table *work = call->work;
    if (current == NULL)
        return table_not_found(job->arena, job->table_name);
    TRY(table_check_active(job->arena, &current->definition));
    struct table_definition definition = current->definition;
    TRY(update_table_apply(job->arena, &work->update, &definition, &work->outcome));
    ret_change->action = work->outcome.changed ? CATALOG_REPLACE : CATALOG_NOTHING;
    ret_change->definition = definition;
    return NULL;
}

/* ---- the operation ---- */

static struct error *validate(struct op_call *call) {
    const struct update_table_request *request = call->request;
    TRY(table_change_new(call, request->table_name, sizeof(struct update_table)));
    return update_table_check(call->arena, request);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct update_table_request *request = call->request;
    struct update_table *work = call->work;
    const struct sse_specification_input *sse = request->sse_specification;
    work->update = (struct table_update){.request = request, .now_ms = work->change.now_ms};
    if (sse != NULL && sse_asked(sse))
        work->update.new_key_arn =
            kms_key_arn(call->arena, call->context->random, sse->kms_master_key_id,
                        call->context->region, call->context->account);
    table_change_submit(call, change, ret_state);
    return NULL;
}

/* ---- the reply ---- */

/* The table as it will be, with an index that goes still in its place. */
static struct table_definition *
definition_to_show(struct arena *arena, const struct catalog_job *job, struct slice deleted) {
    const struct table_definition *before = &job->before->definition;
    struct table_definition *shown = arena_copy(arena, &job->after->definition, sizeof(*shown));
    const struct table_definition *listed = slice_present(deleted) ? before : shown;
    struct table_index *indexes =
        arena_copy(arena, listed->indexes, listed->index_count * sizeof(*listed->indexes));
    for (size_t i = 0; i < listed->index_count; i++) {
        const struct table_index *now = table_find_index(&job->after->definition, indexes[i].name);
        if (now != NULL)
            indexes[i] = *now;
        else
            indexes[i].status = TABLE_DELETING;
    }
    shown->attributes = listed->attributes;
    shown->attribute_count = listed->attribute_count;
    shown->index_count = listed->index_count;
    shown->indexes = indexes;
    return shown;
}

/* An index whose throughput changes shows what it had, unless the billing mode changes too, and one
 * that is warmed up likewise. */
static void show_index_change(const struct global_index_change_input *given,
                              const struct table_definition *before,
                              const struct table_definition *shown, struct index_figures *figures) {
    const struct table_index *old = table_find_index(before, given->index_name);
    struct table_index *index = table_find_index(shown, given->index_name);
    if (given->provisioned_throughput != NULL || given->on_demand_throughput != NULL)
        index->status = TABLE_UPDATING;
    if (before->billing == shown->billing)
        index->throughput = old->throughput;
    figures[index - shown->indexes].warm_updating =
        index->warm.read != old->warm.read || index->warm.write != old->warm.write;
    index->warm = old->warm;
}

static struct error *finish(struct op_call *call) {
    const struct update_table *work = call->work;
    const struct catalog_job *job = &work->change.job;
    TRY(job->error);
    struct slice deleted = work->outcome.deleted_index;
    const struct table_definition *before = &job->before->definition;
    struct table_description description = table_describe(
        call, slice_present(deleted) ? job->before : job->after, work->change.now_ms);
    const struct table_definition *shown = definition_to_show(call->arena, job, deleted);
    const struct field_list *updates = &work->update.request->global_secondary_index_updates;
    const struct global_index_update_input *update = updates->items;
    for (size_t i = 0; i < updates->count; i++)
        if (update[i].update != NULL)
            show_index_change(update[i].update, before, shown, description.index_figures);
    description.definition = shown;
    description.kind = DESCRIBE_UPDATED;
    description.status = work->outcome.updating ? TABLE_UPDATING : shown->status;
    if (before->billing == shown->billing)
        description.throughput = &before->throughput;
    description.on_demand_read_removed = work->outcome.on_demand_read_removed;
    description.on_demand_write_removed = work->outcome.on_demand_write_removed;
    description.sse_updating = work->outcome.sse_updating;
    description.warm_updating = work->outcome.warm_updating;
    table_description_reply(call, "TableDescription", &description);
    return NULL;
}

const struct op op_update_table = {
    .name = "UpdateTable",
    .action = "dynamodb:UpdateTable",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_table_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
