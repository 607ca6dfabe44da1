/* caller.h - who asks: what policies may ask of them, and the policies that are their own.
 *
 * Plain data, borrowed from whoever knows the caller while the request is decided upon. */
#ifndef GRAMME_POLICY_CALLER_H
#define GRAMME_POLICY_CALLER_H

#include "base/slice.h"

struct policy;

enum caller_kind {
    CALLER_ANYONE, /* signatures are not verified: a name that they gave themselves */
    CALLER_ROOT,   /* of the account: what is theirs is not asked of any policy of their own */
    CALLER_USER,
    CALLER_SESSION, /* of a role */
};

struct caller_tag {
    struct slice name;
    struct slice value;
};

struct caller {
    enum caller_kind kind;
    struct slice account;
    struct slice name; /* aws:username: of CALLER_ANYONE the access key; absent for root, roles */
    struct slice arn;  /* arn:aws:sts::A:assumed-role/R/S in a session; absent for CALLER_ANYONE */
    struct slice principal_arn; /* aws:PrincipalArn: in a session the role's; else the same */
    struct slice id;            /* aws:userid */
    const struct caller_tag *tags;
    size_t tag_count;
    const struct policy *const *policies; /* identity policies: one must allow */
    size_t policy_count;
    const struct policy *boundary; /* must allow too; NULL: there is none */
    const struct policy *session;  /* must allow too; NULL: there is none */
    int64_t issued_ms;             /* aws:TokenIssueTime; 0: no temporary credentials */
    struct slice region;           /* aws:RequestedRegion: that the request was signed for */
};

#endif
