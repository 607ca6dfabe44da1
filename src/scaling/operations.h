/* operations.h - Application Auto Scaling's API, as far as it is about DynamoDB. */
#ifndef GRAMME_SCALING_OPERATIONS_H
#define GRAMME_SCALING_OPERATIONS_H

#include "service/service.h"

/* Its state is a struct scaling. */
extern const struct service service_application_autoscaling;

/* ---- private to this folder ---- */

extern const struct service_op scaling_op_register;
extern const struct service_op scaling_op_deregister;
extern const struct service_op scaling_op_describe_targets;
extern const struct service_op scaling_op_put_policy;
extern const struct service_op scaling_op_delete_policy;
extern const struct service_op scaling_op_describe_policies;
extern const struct service_op scaling_op_describe_activities;

#endif
