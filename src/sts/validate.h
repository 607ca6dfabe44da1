/* validate.h - the members of an AssumeRole, checked. For the files of sts.h only. */
#ifndef GRAMME_STS_VALIDATE_H
#define GRAMME_STS_VALIDATE_H

#include "sts/request.h"

struct sts_fault sts_fault(int status, const char *code, struct slice message);
#define STS_FINE ((struct sts_fault){.code = NULL})

/* A number of seconds within bounds; `otherwise` when it is not given. */
struct sts_fault validate_duration(const struct sts_request *request, int64_t low, int64_t high,
                                   int64_t otherwise, int64_t *ret_seconds);
/* RoleArn and RoleSessionName; `ret_role` is the name in the ARN. */
struct sts_fault validate_role(const struct sts_request *request, struct slice *ret_role,
                               struct slice *ret_session);
/* A session policy, absent or a document; read only to see that it can be. */
struct sts_fault validate_policy(const struct sts_request *request, struct slice *ret_policy);

#endif
