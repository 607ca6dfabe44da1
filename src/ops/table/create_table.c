/* create_table.c - CreateTable: a new table.
 *
 * The reply says CREATING, as clients expect, but the table can be used at once: the catalog holds
 * it as ACTIVE. */
#include "ops/table/create_table.h"

#include "model/limits.h"
#include "ops/permission/permission.h"
#include "ops/policy/resource_document.h"
#include "ops/table/table_change.h"
#include "ops/table/table_indexes.h"
#include "ops/table/table_keys.h"
#include "ops/table/table_settings.h"
#include "ops/table/tags.h"

static const struct field create_table_fields[] = {
    {NAMED("AttributeDefinitions"), AT(struct create_table_request, attribute_definitions),
     .type = FIELD_STRUCT_LIST, .flags = FIELD_REQUIRED, .shape = &attribute_definition_shape},
    {NAMED("TableName"), AT(struct create_table_request, table_name), .type = FIELD_STRING,
     .flags = FIELD_TABLE_NAME, .resource = RESOURCE_TABLE,
     LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_ARN_CHARS),
     .null_error = "The parameter 'TableName' is required but was not present in the request"},
    {NAMED("BillingMode"), AT(struct create_table_request, billing_mode), .type = FIELD_STRING,
     .enum_text = billing_mode_printed},
    {NAMED("ProvisionedThroughput"), AT(struct create_table_request, provisioned_throughput),
     .type = FIELD_STRUCT, .shape = &provisioned_throughput_shape},
    {NAMED("KeySchema"), AT(struct create_table_request, key_schema), .type = FIELD_STRUCT_LIST,
     .flags = FIELD_REQUIRED, LENGTH(1, 2), .shape = &key_schema_element_shape},
    {NAMED("GlobalSecondaryIndexes"), AT(struct create_table_request, global_secondary_indexes),
     .type = FIELD_STRUCT_LIST, .shape = &global_index_shape},
    {NAMED("LocalSecondaryIndexes"), AT(struct create_table_request, local_secondary_indexes),
     .type = FIELD_STRUCT_LIST, .shape = &local_index_shape},
    {NAMED("VectorIndexes"), AT(struct create_table_request, vector_indexes),
     .type = FIELD_STRUCT_LIST, .shape = &vector_index_shape},
    {NAMED("StreamSpecification"), AT(struct create_table_request, stream_specification),
     .type = FIELD_STRUCT, .shape = &stream_specification_shape},
    {NAMED("SSESpecification"), AT(struct create_table_request, sse_specification),
     .type = FIELD_STRUCT, .shape = &sse_specification_shape},
    {NAMED("Tags"), AT(struct create_table_request, tags), .type = FIELD_STRUCT_LIST,
     .shape = &tag_shape},
#define FLAG_SETTING(symbol, member, name, ...) \
    FLAG_SETTING_FIELD(create_table_request, symbol, name)
#define WORD_SETTING(symbol, member, name, alone, stored, label, kind, printed, ...) \
    WORD_SETTING_FIELD(create_table_request, symbol, name, printed)
#include "model/table_settings.def"
    {NAMED("WarmThroughput"), AT(struct create_table_request, warm_throughput),
     .type = FIELD_STRUCT, .shape = &warm_throughput_shape},
    {NAMED("OnDemandThroughput"), AT(struct create_table_request, on_demand_throughput),
     .type = FIELD_STRUCT, .shape = &on_demand_throughput_shape},
    {NAMED("ResourcePolicy"), AT(struct create_table_request, resource_policy),
     .type = FIELD_STRING},
    {NAMED("GlobalTableSourceArn"), AT(struct create_table_request, global_table_source_arn),
     .type = FIELD_STRING, LENGTH(1, LIMIT_TABLE_ARN_CHARS)},
    {NAMED("GlobalTableSettingsReplicationMode"),
     AT(struct create_table_request, global_table_settings_replication_mode), .type = FIELD_STRING,
     .enum_text = "[ENABLED, DISABLED, ENABLED_WITH_OVERRIDES]"},
    FIELDS_END,
};
static const struct shape create_table_shape = {
    "CreateTableInput", sizeof(struct create_table_request), create_table_fields};

struct create_table {
    struct table_change change;
    struct resource_document policy; /* when the request has one */
    struct table_definition definition;
};

static struct error *validate(struct op_call *call) {
    const struct create_table_request *request = call->request;
    TRY(table_change_new(call, request->table_name, sizeof(struct create_table)));
    TRY(create_table_check(call->arena, request, call->context->leniencies));
    if (!slice_present(request->resource_policy))
        return NULL;
    struct create_table *work = call->work;
    return resource_document_read(call->arena, request->resource_policy, false, &work->policy);
}

static void define_capacity(struct table_definition *definition,
                            const struct create_table_request *request) {
    const struct provisioned_throughput_input *throughput = request->provisioned_throughput;
    if (throughput == NULL) {
        definition->billing = BILLING_PAY_PER_REQUEST;
        definition->billing_shown = true;
        definition->on_demand_since_ms = definition->created_ms;
    } else {
        definition->throughput.read_units = throughput->read_capacity_units.value;
        definition->throughput.write_units = throughput->write_capacity_units.value;
    }
    definition->on_demand = on_demand_of(request->on_demand_throughput);
    definition->warm = warm_of(request->warm_throughput);
}

/* Indexes of a new table are complete at once. */
static void define_indexes(struct op_call *call, const struct definitions *definitions,
                           struct table_definition *definition) {
    const struct create_table_request *request = call->request;
    const struct local_index_input *local = request->local_secondary_indexes.items;
    const struct global_index_input *global = request->global_secondary_indexes.items;
    size_t local_count = request->local_secondary_indexes.count;
    size_t global_count = request->global_secondary_indexes.count;
    definition->indexes = ARENA_ARRAY(call->arena, struct table_index, local_count + global_count);
    for (size_t i = 0; i < local_count; i++)
        definition->indexes[definition->index_count++] =
            local_index_of(call->arena, &local[i], definitions);
    for (size_t i = 0; i < global_count; i++)
        definition->indexes[definition->index_count++] =
            global_index_of(call->arena, &global[i], definitions);
}

static void define(struct op_call *call, struct table_definition *definition) {
    const struct create_table_request *request = call->request;
    const struct table_change *change = call->work;
    const struct resource_document *policy = &((const struct create_table *)call->work)->policy;
    struct definitions definitions = definitions_of(call->arena, &request->attribute_definitions);
    definition->name = change->job.table_name;
    definition->uuid = random_uuid(call->context->random, call->arena);
    definition->status = TABLE_ACTIVE;
    definition->created_ms = change->now_ms;
    definition->keys = key_schema_of(&request->key_schema, &definitions);
    definition->attributes = attributes_of(call->arena, &definitions);
    definition->attribute_count = definitions.list->count;
    define_indexes(call, &definitions, definition);
    define_capacity(definition, request);
    settings_define(request->settings, definition);
    const struct sse_specification_input *sse = request->sse_specification;
    if (sse != NULL && sse_asked(sse)) {
        definition->sse_kms = true;
        definition->sse_key_arn =
            kms_key_arn(call->arena, call->context->random, sse->kms_master_key_id,
                        call->context->region, call->context->account);
    }
    definition->stream = stream_view_of(request->stream_specification);
    definition->tags = tags_of(call->arena, &request->tags);
    definition->tag_count = request->tags.count;
    if (policy->policy != NULL)
        definition->policy =
            (struct attached_policy){policy->form, policy->unversioned, definition->created_ms};
}

static struct error *create(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    const struct op_call *call = job->context;
    const struct create_table *work = call->work;
    if (current != NULL)
        return error_new(job->arena, ERROR_RESOURCE_IN_USE, "Table already exists: %.*s",
                         SLICE_ARGS(job->table_name));
    if (table_count >= LIMIT_TABLES)
        return error_new(job->arena, ERROR_LIMIT_EXCEEDED,
                         "Subscriber limit exceeded: There is a limit of %d tables per subscriber",
                         LIMIT_TABLES);
    ret_change->action = CATALOG_CREATE;
    ret_change->definition = work->definition;
    return NULL;
}

/* Tags need a permission of their own, and so does a policy. */
static struct error *authorize(struct op_call *call, const struct permission_check *check) {
    const struct create_table_request *request = call->request;
    struct permission permission;
    permission_init(&permission, call, call->op->action, request->table_name, SLICE_NONE);
    permission_add_parameters(check, &permission);
    TRY(check->ask(check, &permission));
    if (request->tags.count > 0) {
        permission.request.action = SLICE_LITERAL("dynamodb:TagResource");
        TRY(check->ask(check, &permission));
    }
    if (!slice_present(request->resource_policy))
        return NULL;
    permission_init(&permission, call, "dynamodb:PutResourcePolicy", request->table_name,
                    SLICE_NONE);
    return check->ask(check, &permission);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    struct create_table *work = call->work;
    define(call, &work->definition);
    table_change_submit(call, create, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct create_table *work = call->work;
    TRY(work->change.job.error);
    struct table_description description =
        table_describe(call, work->change.job.after, work->change.now_ms);
    description.kind = DESCRIBE_CREATED;
    description.status = TABLE_CREATING;
    description.item_count = 0;
    description.size_bytes = 0;
    table_description_reply(call, "TableDescription", &description);
    return NULL;
}

const struct op op_create_table = {
    .name = "CreateTable",
    .action = "dynamodb:CreateTable",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &create_table_shape,
    .validate = validate,
    .authorize = authorize,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
