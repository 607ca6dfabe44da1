/* policy_operations.c - scaling policies and what was done for them. */
#include "scaling/operations.h"
#include "scaling/request.h"
#include "scaling/scaling.h"

#define PREDEFINED "[DynamoDBReadCapacityUtilization, DynamoDBWriteCapacityUtilization]"

static const struct input_field predefined_fields[] = {
    INPUT("PredefinedMetricType", INPUT_TEXT, .required = true, .words = PREDEFINED),
    INPUT_END,
};

static const struct input_field tracking_fields[] = {
    INPUT("TargetValue", INPUT_NUMBER, .required = true),
    INPUT("PredefinedMetricSpecification", INPUT_OBJECT, .members = predefined_fields),
    INPUT("ScaleOutCooldown", INPUT_INTEGER, .min = 0, .max = INT32_MAX),
    INPUT("ScaleInCooldown", INPUT_INTEGER, .min = 0, .max = INT32_MAX),
    INPUT("DisableScaleIn", INPUT_BOOL),
    INPUT_END,
};

static const struct input_field put_policy_fields[] = {
    INPUT("PolicyName", INPUT_TEXT, .required = true, .min = 1, .max = POLICY_NAME_MAX_CHARS),
    PLACE,
    INPUT("PolicyType", INPUT_TEXT,
          .words = "[StepScaling, TargetTrackingScaling, PredictiveScaling]"),
    INPUT("TargetTrackingScalingPolicyConfiguration", INPUT_OBJECT, .members = tracking_fields),
    INPUT_END,
};

/* What only both together can be wrong with. */
static struct error *check_tracking(const struct service_call *call, const struct place *place,
                                    const struct json_value *tracking) {
    struct arena *arena = call->arena;
    struct slice type = input_text(call->input, "PolicyType");
    if (slice_present(type) && !slice_is(type, "TargetTrackingScaling"))
        return error_validation(arena, "Only TargetTrackingScaling policies are supported for "
                                       "service namespace dynamodb");
    if (tracking == NULL)
        return error_validation(
            arena, "TargetTrackingScalingPolicyConfiguration must be specified for policy type "
                   "TargetTrackingScaling");
    struct slice metric =
        input_text(input_find(tracking, "PredefinedMetricSpecification"), "PredefinedMetricType");
    if (!slice_present(metric))
        return error_validation(arena, "Only predefined metrics are supported for DynamoDB here");
    if (slice_is(metric, "DynamoDBWriteCapacityUtilization") != scaling_is_write(place->dimension))
        return error_validation(arena,
                                "Predefined metric type %.*s does not fit scalable dimension %s",
                                SLICE_ARGS(metric), scaling_dimension_word(place->dimension));
    double target = input_number(tracking, "TargetValue", 0);
    if (!(target >= 10 && target <= 90))
        return error_validation(arena, "Target value must be between 10 and 90 for DynamoDB");
    return NULL;
}

static void write_alarms(const struct service_call *call, const struct scaling_policy *policy) {
    struct scaling_home home = request_home(call);
    answer_list(call->answer, "Alarms");
    for (int i = 0; i < SCALING_ALARMS; i++) {
        answer_object(call->answer, NULL);
        answer_text(call->answer, "AlarmName", scaling_alarm_name(call->arena, policy, i));
        answer_text(call->answer, "AlarmARN", scaling_alarm_arn(call->arena, &home, policy, i));
        answer_end(call->answer);
    }
    answer_end(call->answer);
}

static struct error *put_policy(struct service_call *call) {
    struct place place;
    bool found;
    TRY(request_place(call, &place));
    const struct json_value *tracking =
        input_find(call->input, "TargetTrackingScalingPolicyConfiguration");
    TRY(check_tracking(call, &place, tracking));
    struct scaling_policy policy = {
        .resource = place.resource,
        .dimension = place.dimension,
        .name = input_text(call->input, "PolicyName"),
        .target = input_number(tracking, "TargetValue", 0),
        .out_cooldown_s = input_integer(tracking, "ScaleOutCooldown", 0),
        .in_cooldown_s = input_integer(tracking, "ScaleInCooldown", 0),
        .keeps_capacity = input_bool(tracking, "DisableScaleIn", false),
    };
    struct scaling_home home = request_home(call);
    TRY(scaling_put_policy(call->state, call->arena, &policy, &found));
    if (!found)
        return request_not_found(call, "scalable target", &place);
    answer_text(call->answer, "PolicyARN", scaling_policy_arn(call->arena, &home, &policy));
    write_alarms(call, &policy);
    return NULL;
}

static const struct input_field delete_policy_fields[] = {
    INPUT("PolicyName", INPUT_TEXT, .required = true, .min = 1, .max = POLICY_NAME_MAX_CHARS),
    PLACE,
    INPUT_END,
};

static struct error *delete_policy(struct service_call *call) {
    struct place place;
    bool found;
    TRY(request_place(call, &place));
    TRY(scaling_delete_policy(call->state, call->arena, place.resource, place.dimension,
                              input_text(call->input, "PolicyName"), &found));
    return found ? NULL : request_not_found(call, "scaling policy", &place);
}

static void write_policy(const struct service_call *call, const struct scaling_policy *policy) {
    struct scaling_home home = request_home(call);
    struct answer *answer = call->answer;
    answer_object(answer, NULL);
    answer_text(answer, "PolicyARN", scaling_policy_arn(call->arena, &home, policy));
    answer_text(answer, "PolicyName", policy->name);
    request_write_place(answer, policy->resource, policy->dimension);
    answer_word(answer, "PolicyType", "TargetTrackingScaling");
    answer_object(answer, "TargetTrackingScalingPolicyConfiguration");
    answer_number(answer, "TargetValue", policy->target);
    answer_object(answer, "PredefinedMetricSpecification");
    answer_word(answer, "PredefinedMetricType",
                scaling_is_write(policy->dimension) ? "DynamoDBWriteCapacityUtilization"
                                                    : "DynamoDBReadCapacityUtilization");
    answer_end(answer);
    answer_integer(answer, "ScaleOutCooldown", policy->out_cooldown_s);
    answer_integer(answer, "ScaleInCooldown", policy->in_cooldown_s);
    answer_bool(answer, "DisableScaleIn", policy->keeps_capacity);
    answer_end(answer);
    write_alarms(call, policy);
    answer_time(answer, "CreationTime", policy->created_ms);
    answer_end(answer);
}

static const struct input_field describe_policies_fields[] = {
    SERVICE_NAMESPACE,
    INPUT("PolicyNames", INPUT_LIST, .items = INPUT_TEXT, .max = 50),
    INPUT("ResourceId", INPUT_TEXT, .min = 1, .max = NAME_MAX_CHARS),
    INPUT("ScalableDimension", INPUT_TEXT, .words = DIMENSIONS),
    PAGE,
    INPUT_END,
};

static struct error *describe_policies(struct service_call *call) {
    struct scaling_policy *policies;
    struct page page;
    TRY(page_open(call, &page));
    size_t count = scaling_policies(call->state, call->arena, &policies);
    answer_list(call->answer, "ScalingPolicies");
    for (size_t i = 0; i < count; i++)
        if (request_asks_for_resource(call, policies[i].resource) &&
            request_asks_for(call, "PolicyNames", policies[i].name, policies[i].dimension) &&
            page_takes(&page))
            write_policy(call, &policies[i]);
    answer_end(call->answer);
    page_close(call, &page);
    return NULL;
}

/* ---- activities ---- */

static void write_activity(const struct service_call *call,
                           const struct scaling_activity *activity) {
    struct answer *answer = call->answer;
    answer_object(answer, NULL);
    answer_text(answer, "ActivityId", activity->id);
    request_write_place(answer, activity->resource, activity->dimension);
    answer_text(answer, "Description", activity->description);
    answer_text(answer, "Cause", activity->cause);
    answer_time(answer, "StartTime", activity->begun_ms);
    answer_time(answer, "EndTime", activity->ended_ms);
    answer_text(answer, "StatusCode", activity->status);
    answer_text(answer, "StatusMessage", activity->message);
    answer_end(answer);
}

static const struct input_field describe_activities_fields[] = {
    SERVICE_NAMESPACE,
    INPUT("ResourceId", INPUT_TEXT, .min = 1, .max = NAME_MAX_CHARS),
    INPUT("ScalableDimension", INPUT_TEXT, .words = DIMENSIONS),
    PAGE,
    INPUT_END,
};

static struct error *describe_activities(struct service_call *call) {
    struct scaling_activity *activities;
    struct page page;
    size_t count;
    TRY(page_open(call, &page));
    TRY(scaling_activities(call->state, call->arena, &activities, &count));
    answer_list(call->answer, "ScalingActivities");
    for (size_t i = 0; i < count; i++)
        if (request_asks_for_resource(call, activities[i].resource) &&
            request_asks_for(call, "", activities[i].resource, activities[i].dimension) &&
            page_takes(&page))
            write_activity(call, &activities[i]);
    answer_end(call->answer);
    page_close(call, &page);
    return NULL;
}

const struct service_op scaling_op_put_policy = {"PutScalingPolicy", put_policy, put_policy_fields,
                                                 SERVICE_CHANGES, NULL};
const struct service_op scaling_op_delete_policy = {"DeleteScalingPolicy", delete_policy,
                                                    delete_policy_fields, SERVICE_CHANGES, NULL};
const struct service_op scaling_op_describe_policies = {
    "DescribeScalingPolicies", describe_policies, describe_policies_fields, 0, NULL};
const struct service_op scaling_op_describe_activities = {
    "DescribeScalingActivities", describe_activities, describe_activities_fields, 0, NULL};
