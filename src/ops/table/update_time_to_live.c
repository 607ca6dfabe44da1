/* update_time_to_live.c - UpdateTimeToLive: the attribute by which items expire, given or taken
 * away.
 *
 * What was there before is looked through by the engine; an empty table is ready at once. */
#include "json/member.h"
#include "model/limits.h"
#include "ops/table/table_change.h"
#include "ops/table/table_input.h"

struct time_to_live_input {
    struct field_bool enabled;
    struct slice attribute_name;
};

struct update_ttl_request {
    struct slice table_name; /* or ARN */
    struct time_to_live_input *specification;
};

static const struct field time_to_live_fields[] = {
    {NAMED("Enabled"), AT(struct time_to_live_input, enabled), .type = FIELD_BOOLEAN,
     .flags = FIELD_REQUIRED},
    {NAMED("AttributeName"), AT(struct time_to_live_input, attribute_name), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED, LENGTH(1, LIMIT_TTL_ATTRIBUTE_CHARS)},
    FIELDS_END,
};
static const struct shape time_to_live_shape = {
    "TimeToLiveSpecification", sizeof(struct time_to_live_input), time_to_live_fields};

static const struct field update_ttl_fields[] = {
    CONTROL_TABLE_NAME_FIELD(update_ttl_request),
    {NAMED("TimeToLiveSpecification"), AT(struct update_ttl_request, specification),
     .type = FIELD_STRUCT, .flags = FIELD_REQUIRED, .shape = &time_to_live_shape},
    FIELDS_END,
};
static const struct shape update_ttl_shape = {"UpdateTimeToLiveInput",
                                              sizeof(struct update_ttl_request), update_ttl_fields};

static struct error *validate(struct op_call *call) {
    const struct update_ttl_request *request = call->request;
    return table_change_new(call, request->table_name, sizeof(struct table_change));
}

/* What is asked for is not what there is, and the last change is a while ago. */
static struct error *check_change(struct arena *arena, const struct table_definition *table,
                                  const struct time_to_live_input *wanted, int64_t now_ms) {
    bool on = slice_present(table->ttl_attribute);
    if (on && !slice_equal(table->ttl_attribute, wanted->attribute_name))
        return error_validation(arena,
                                "TimeToLive is active on a different AttributeName: current "
                                "AttributeName is %.*s",
                                SLICE_ARGS(table->ttl_attribute));
    if (on == wanted->enabled.value)
        return error_validation(arena, on ? "TimeToLive is already enabled"
                                          : "TimeToLive is already disabled");
    if (table->ttl_changed_ms != 0 && now_ms - table->ttl_changed_ms < LIMIT_TTL_CHANGE_MS)
        return error_validation(
            arena, "Time to live has been modified multiple times within a fixed interval");
    return NULL;
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct table_change *work = call->work;
    const struct update_ttl_request *request = call->request;
    if (current == NULL)
        return table_not_found(job->arena, job->table_name);
    TRY(table_check_active(job->arena, &current->definition));
    TRY(check_change(job->arena, &current->definition, request->specification, work->now_ms));
    bool on = request->specification->enabled.value;
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    struct table_definition *definition = &ret_change->definition;
    definition->ttl_attribute = on ? request->specification->attribute_name : SLICE_NONE;
    definition->ttl_id = 0; /* a new one, or none */
    bool may_hold = atomic_load(&current->stats->item_count) > 0 ||
                    engine_is_shared(call->context->engine); /* where others count as well */
    definition->ttl_building = on && may_hold;
    definition->ttl_changed_ms = work->now_ms;
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, change, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct update_ttl_request *request = call->request;
    TRY(table_change_finish(call));
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_object(&json, "TimeToLiveSpecification");
    member_bool(&json, "Enabled", request->specification->enabled.value);
    member_text(&json, "AttributeName", request->specification->attribute_name);
    json_object_end(&json);
    json_object_end(&json);
    return NULL;
}

const struct op op_update_time_to_live = {
    .name = "UpdateTimeToLive",
    .action = "dynamodb:UpdateTimeToLive",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_ttl_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
