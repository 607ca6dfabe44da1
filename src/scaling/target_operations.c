/* target_operations.c - scalable targets: registered, changed, listed, taken away. */
#include "scaling/operations.h"
#include "scaling/request.h"
#include "scaling/scaling.h"

static const struct input_field suspended_fields[] = {
    INPUT("DynamicScalingInSuspended", INPUT_BOOL),
    INPUT("DynamicScalingOutSuspended", INPUT_BOOL),
    INPUT("ScheduledScalingSuspended", INPUT_BOOL),
    INPUT_END,
};

static const struct input_field register_fields[] = {
    PLACE,
    INPUT("MinCapacity", INPUT_INTEGER, .min = 0, .max = INT32_MAX),
    INPUT("MaxCapacity", INPUT_INTEGER, .min = 0, .max = INT32_MAX),
    INPUT("RoleARN", INPUT_TEXT, .min = 1, .max = NAME_MAX_CHARS),
    INPUT("SuspendedState", INPUT_OBJECT, .members = suspended_fields),
    INPUT_END,
};

static const int64_t *said_integer(const struct service_call *call, const char *name,
                                   int64_t *storage) {
    *storage = input_integer(call->input, name, 0);
    return input_has(call->input, name) ? storage : NULL;
}

static const bool *said_bool(const struct json_value *object, const char *name, bool *storage) {
    *storage = input_bool(object, name, false);
    return object != NULL && input_has(object, name) ? storage : NULL;
}

static struct error *register_target(struct service_call *call) {
    struct place place;
    struct scaling_target target;
    int64_t min, max;
    bool in, out, scheduled;
    TRY(request_place(call, &place));
    const struct json_value *suspended = input_find(call->input, "SuspendedState");
    struct scaling_registration registration = {
        .resource = place.resource,
        .dimension = place.dimension,
        .min = said_integer(call, "MinCapacity", &min),
        .max = said_integer(call, "MaxCapacity", &max),
        .role = input_text(call->input, "RoleARN"),
        .suspended_in = said_bool(suspended, "DynamicScalingInSuspended", &in),
        .suspended_out = said_bool(suspended, "DynamicScalingOutSuspended", &out),
        .suspended_scheduled = said_bool(suspended, "ScheduledScalingSuspended", &scheduled),
    };
    struct scaling_home home = request_home(call);
    TRY(scaling_register(call->state, call->arena, &registration, &target));
    answer_text(call->answer, "ScalableTargetARN", scaling_target_arn(call->arena, &home, &target));
    return NULL;
}

static const struct input_field place_fields[] = {PLACE, INPUT_END};

static struct error *deregister_target(struct service_call *call) {
    struct place place;
    bool found;
    TRY(request_place(call, &place));
    TRY(scaling_deregister(call->state, call->arena, place.resource, place.dimension, &found));
    return found ? NULL : request_not_found(call, "scalable target", &place);
}

static void write_target(const struct service_call *call, const struct scaling_target *target) {
    struct scaling_home home = request_home(call);
    struct answer *answer = call->answer;
    answer_object(answer, NULL);
    request_write_place(answer, target->resource, target->dimension);
    answer_integer(answer, "MinCapacity", target->min);
    answer_integer(answer, "MaxCapacity", target->max);
    answer_text(answer, "RoleARN",
                slice_present(target->role)
                    ? target->role
                    : arena_printf(call->arena,
                                   "arn:aws:iam::%.*s:role/aws-service-role/"
                                   "dynamodb.application-autoscaling.amazonaws.com/"
                                   "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable",
                                   SLICE_ARGS(call->account)));
    answer_time(answer, "CreationTime", target->created_ms);
    answer_object(answer, "SuspendedState");
    answer_bool(answer, "DynamicScalingInSuspended", target->suspended_in);
    answer_bool(answer, "DynamicScalingOutSuspended", target->suspended_out);
    answer_bool(answer, "ScheduledScalingSuspended", target->suspended_scheduled);
    answer_end(answer);
    answer_text(answer, "ScalableTargetARN", scaling_target_arn(call->arena, &home, target));
    answer_end(answer);
}

static const struct input_field describe_targets_fields[] = {
    SERVICE_NAMESPACE,
    INPUT("ResourceIds", INPUT_LIST, .items = INPUT_TEXT, .max = 50),
    INPUT("ScalableDimension", INPUT_TEXT, .words = DIMENSIONS),
    PAGE,
    INPUT_END,
};

static struct error *describe_targets(struct service_call *call) {
    struct scaling_target *targets;
    struct page page;
    TRY(page_open(call, &page));
    size_t count = scaling_targets(call->state, call->arena, &targets);
    answer_list(call->answer, "ScalableTargets");
    for (size_t i = 0; i < count; i++)
        if (request_asks_for(call, "ResourceIds", targets[i].resource, targets[i].dimension) &&
            page_takes(&page))
            write_target(call, &targets[i]);
    answer_end(call->answer);
    page_close(call, &page);
    return NULL;
}

const struct service_op scaling_op_register = {"RegisterScalableTarget", register_target,
                                               register_fields, SERVICE_CHANGES, NULL};
const struct service_op scaling_op_deregister = {"DeregisterScalableTarget", deregister_target,
                                                 place_fields, SERVICE_CHANGES, NULL};
const struct service_op scaling_op_describe_targets = {"DescribeScalableTargets", describe_targets,
                                                       describe_targets_fields, 0, NULL};
