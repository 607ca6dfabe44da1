/* update_table_replica_auto_scaling.c - UpdateTableReplicaAutoScaling: the form of the request is
 * checked; the table has no replicas. */
#include "ops/global/global_table.h"
#include "ops/table/table_input.h"

/* ---- settings ---- */

struct target_tracking_input {
    struct field_bool disable_scale_in;
    struct field_int scale_in_cooldown;
    struct field_int scale_out_cooldown;
    struct field_bool target_value; /* a number with a fraction: that it is there */
};

struct scaling_policy_input {
    struct slice policy_name;
    struct target_tracking_input *target_tracking;
};

struct auto_scaling_input {
    struct field_int minimum_units;
    struct field_int maximum_units;
    struct field_bool auto_scaling_disabled;
    struct slice auto_scaling_role_arn;
    struct scaling_policy_input *scaling_policy;
};

static const struct field target_tracking_fields[] = {
    {NAMED("DisableScaleIn"), AT(struct target_tracking_input, disable_scale_in),
     .type = FIELD_BOOLEAN},
    {NAMED("ScaleInCooldown"), AT(struct target_tracking_input, scale_in_cooldown),
     .type = FIELD_INTEGER},
    {NAMED("ScaleOutCooldown"), AT(struct target_tracking_input, scale_out_cooldown),
     .type = FIELD_INTEGER},
    {NAMED("TargetValue"), AT(struct target_tracking_input, target_value), .type = FIELD_IGNORED},
    FIELDS_END,
};
static const struct shape target_tracking_shape = {
    "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
    sizeof(struct target_tracking_input), target_tracking_fields};

static const struct field scaling_policy_fields[] = {
    {NAMED("PolicyName"), AT(struct scaling_policy_input, policy_name), .type = FIELD_STRING,
     LENGTH(1, LIMIT_SCALING_POLICY_CHARS)},
    {NAMED("TargetTrackingScalingPolicyConfiguration"),
     AT(struct scaling_policy_input, target_tracking), .type = FIELD_STRUCT,
     .flags = FIELD_REQUIRED, .shape = &target_tracking_shape},
    FIELDS_END,
};
static const struct shape scaling_policy_shape = {
    "AutoScalingPolicyUpdate", sizeof(struct scaling_policy_input), scaling_policy_fields};

static const struct field auto_scaling_fields[] = {
    {NAMED("MinimumUnits"), AT(struct auto_scaling_input, minimum_units), .type = FIELD_LONG,
     AT_LEAST(1)},
    {NAMED("MaximumUnits"), AT(struct auto_scaling_input, maximum_units), .type = FIELD_LONG,
     AT_LEAST(1)},
    {NAMED("AutoScalingDisabled"), AT(struct auto_scaling_input, auto_scaling_disabled),
     .type = FIELD_BOOLEAN},
    {NAMED("AutoScalingRoleArn"), AT(struct auto_scaling_input, auto_scaling_role_arn),
     .type = FIELD_STRING, LENGTH(1, LIMIT_SCALING_ROLE_CHARS)},
    {NAMED("ScalingPolicyUpdate"), AT(struct auto_scaling_input, scaling_policy),
     .type = FIELD_STRUCT, .shape = &scaling_policy_shape},
    FIELDS_END,
};
static const struct shape auto_scaling_shape = {
    "AutoScalingSettingsUpdate", sizeof(struct auto_scaling_input), auto_scaling_fields};

/* ---- indexes and replicas ---- */

/* Of the table, which writes, or of a replica, which reads. */
struct index_auto_scaling_input {
    struct slice index_name;
    struct auto_scaling_input *auto_scaling;
};

#define INDEX_AUTO_SCALING_FIELDS(auto_scaling_name)                                      \
    {                                                                                     \
        {NAMED("IndexName"), AT(struct index_auto_scaling_input, index_name),             \
         .type = FIELD_STRING, .pattern = NAME_PATTERN,                                   \
         LENGTH(LIMIT_TABLE_NAME_MIN, LIMIT_TABLE_NAME_MAX)},                             \
            {NAMED(auto_scaling_name), AT(struct index_auto_scaling_input, auto_scaling), \
             .type = FIELD_STRUCT, .shape = &auto_scaling_shape},                         \
            FIELDS_END,                                                                   \
    }

static const struct field index_write_fields[] =
    INDEX_AUTO_SCALING_FIELDS("ProvisionedWriteCapacityAutoScalingUpdate");
static const struct shape index_write_shape = {"GlobalSecondaryIndexAutoScalingUpdate",
                                               sizeof(struct index_auto_scaling_input),
                                               index_write_fields};
static const struct field index_read_fields[] =
    INDEX_AUTO_SCALING_FIELDS("ProvisionedReadCapacityAutoScalingUpdate");
static const struct shape index_read_shape = {"ReplicaGlobalSecondaryIndexAutoScalingUpdate",
                                              sizeof(struct index_auto_scaling_input),
                                              index_read_fields};

struct replica_auto_scaling_input {
    struct slice region_name;
    struct field_list indexes; /* struct index_auto_scaling_input */
    struct auto_scaling_input *auto_scaling;
};

static const struct field replica_auto_scaling_fields[] = {
    {NAMED("RegionName"), AT(struct replica_auto_scaling_input, region_name), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED},
    {NAMED("ReplicaGlobalSecondaryIndexUpdates"), AT(struct replica_auto_scaling_input, indexes),
     .type = FIELD_STRUCT_LIST, .shape = &index_read_shape},
    {NAMED("ReplicaProvisionedReadCapacityAutoScalingUpdate"),
     AT(struct replica_auto_scaling_input, auto_scaling), .type = FIELD_STRUCT,
     .shape = &auto_scaling_shape},
    FIELDS_END,
};
static const struct shape replica_auto_scaling_shape = {"ReplicaAutoScalingUpdate",
                                                        sizeof(struct replica_auto_scaling_input),
                                                        replica_auto_scaling_fields};

/* ---- the request ---- */

struct update_auto_scaling_request {
    struct slice table_name;   /* or ARN */
    struct field_list indexes; /* struct index_auto_scaling_input */
    struct auto_scaling_input *auto_scaling;
    struct field_list replicas; /* struct replica_auto_scaling_input */
};

static const struct field update_auto_scaling_fields[] = {
    {NAMED("GlobalSecondaryIndexUpdates"), AT(struct update_auto_scaling_request, indexes),
     .type = FIELD_STRUCT_LIST, .shape = &index_write_shape, AT_LEAST(1)},
    CONTROL_TABLE_NAME_FIELD(update_auto_scaling_request),
    {NAMED("ProvisionedWriteCapacityAutoScalingUpdate"),
     AT(struct update_auto_scaling_request, auto_scaling), .type = FIELD_STRUCT,
     .shape = &auto_scaling_shape},
    {NAMED("ReplicaUpdates"), AT(struct update_auto_scaling_request, replicas),
     .type = FIELD_STRUCT_LIST, .shape = &replica_auto_scaling_shape, AT_LEAST(1)},
    FIELDS_END,
};
static const struct shape update_auto_scaling_shape = {"UpdateTableReplicaAutoScalingInput",
                                                       sizeof(struct update_auto_scaling_request),
                                                       update_auto_scaling_fields};

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct update_auto_scaling_request *request = call->request;
    *ret_state = OP_DONE;
    return replicas_not_found(call, request->table_name);
}

const struct op op_update_table_replica_auto_scaling = {
    .name = "UpdateTableReplicaAutoScaling",
    .action = "dynamodb:UpdateTableReplicaAutoScaling",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &update_auto_scaling_shape,
    .run = run,
};
