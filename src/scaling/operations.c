/* operations.c - the service: its operations and how it is spoken to. */
#include "scaling/operations.h"

static const struct service_op *const operations[] = {
    &scaling_op_register,
    &scaling_op_deregister,
    &scaling_op_describe_targets,
    &scaling_op_put_policy,
    &scaling_op_delete_policy,
    &scaling_op_describe_policies,
    &scaling_op_describe_activities,
    NULL,
};

const struct service service_application_autoscaling = {
    .name = "application-autoscaling",
    .signing_name = "application-autoscaling",
    .target = "AnyScaleFrontendService",
    .json_type = "application/x-amz-json-1.1",
    .missing = ERROR_VALIDATION,
    .internal = ERROR_INTERNAL_SERVER_ERROR,
    .exhausted = ERROR_SCALING_LIMIT_EXCEEDED,
    .ops = operations,
};
