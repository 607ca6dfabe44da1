/* cloudwatch.c - see cloudwatch.h. */
#include "cloudwatch/cloudwatch.h"

static const struct service_op *const ops[] = {
#define OP(name) &cloudwatch_##name,
#include "cloudwatch/ops.def"
#undef OP
    NULL,
};

const struct service cloudwatch_service = {
    .name = "cloudwatch",
    .signing_name = "monitoring",
    .target = "GraniteServiceVersion20100801",
    .json_type = "application/x-amz-json-1.0",
    .cbor = true,
    .form_version = "2010-08-01",
    .name_space = "http://monitoring.amazonaws.com/doc/2010-08-01/",
    .missing = ERROR_CLOUDWATCH_MISSING_PARAMETER,
    .internal = ERROR_CLOUDWATCH_INTERNAL,
    .exhausted = ERROR_CLOUDWATCH_LIMIT_EXCEEDED,
    .ops = ops,
};
