/* request.h - what is asked of STS, and what may be wrong with it. */
#ifndef GRAMME_STS_REQUEST_H
#define GRAMME_STS_REQUEST_H

#include "base/clock.h"
#include "base/random.h"
#include "iam/iam.h"
#include "query/form.h"

#define STS_VERSION "2011-06-15"

struct sts_request {
    struct arena *arena;
    const struct form *form;
    const struct caller *caller;
    struct slice caller_arn;
    const struct iam *iam;             /* NULL: signatures are not verified */
    const struct directory *directory; /* likewise */
    const struct clock *clock;         /* DynamoDB's */
    const struct random *random;
    const struct policy *common; /* of all callers, or NULL */
    /* What the request has for condition keys, but for those of STS. */
    const struct policy_values *values;
};

/* What went wrong, in the protocol's words. */
struct sts_fault {
    int status;
    const char *code; /* NULL: nothing did */
    struct slice message;
};

#endif
