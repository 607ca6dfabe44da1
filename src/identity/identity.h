/* identity.h - IAM as a service (service/service.h): the users, roles, keys and policies of iam/,
 * by the API that AWS has for them.
 *
 * An operation is a descriptor, in the file of its family, and a line of ops.def. Its state,
 * service_call.state, is a struct identity. What is not kept here is not pretended: there are no
 * groups, no managed policies and no paths but "/". */
#ifndef GRAMME_IDENTITY_IDENTITY_H
#define GRAMME_IDENTITY_IDENTITY_H

#include "iam/iam.h"
#include "policy/common.h"
#include "service/service.h"

struct identity {
    /* Whom this server knows; an error says why it knows nobody. Any thread. */
    struct error *(*know)(void *user, struct arena *arena, struct iam **ret_iam);
    void *user;
    const struct common_policy *common; /* of everybody, besides their own; or NULL */
};

extern const struct service identity_service;

#define OP(name) extern const struct service_op identity_##name;
#include "identity/ops.def"
#undef OP

#endif
