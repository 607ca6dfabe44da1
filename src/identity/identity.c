/* identity.c - see identity.h. */
#include "identity/identity.h"

static const struct service_op *const ops[] = {
#define OP(name) &identity_##name,
#include "identity/ops.def"
#undef OP
    NULL,
};

const struct service identity_service = {
    .name = "iam",
    .signing_name = "iam",
    .form_version = "2010-05-08",
    .name_space = "https://iam.amazonaws.com/doc/2010-05-08/",
    .missing = ERROR_VALIDATION,
    .internal = ERROR_IAM_SERVICE_FAILURE,
    .exhausted = ERROR_IAM_LIMIT_EXCEEDED,
    .ops = ops,
};
