/* principal.h - users, roles and access keys as they are known in memory. Plain data; what is
 * stored of them is in stored.h, all of them together in directory.h. */
#ifndef GRAMME_IAM_PRINCIPAL_H
#define GRAMME_IAM_PRINCIPAL_H

#include "policy/caller.h"
#include "policy/policy.h"

enum {
    PRINCIPAL_NAME_MAX = 64,
    PRINCIPAL_POLICIES_MAX = 20,
    PRINCIPAL_TAGS_MAX = 50,
    PRINCIPAL_KEYS_MAX = 2, /* so that one can replace the other */
    ROLE_SESSION_MIN_S = 900,
    ROLE_SESSION_DEFAULT_S = 3600,
    ROLE_SESSION_MAX_S = 43200,
    ACCESS_KEY_ID_MIN = 16,
    ACCESS_KEY_ID_MAX = 128,
    SECRET_KEY_MAX = 128,
};

enum principal_kind { PRINCIPAL_USER, PRINCIPAL_ROLE };

struct named_policy {
    struct slice name;
    struct slice document;       /* as it was given */
    const struct policy *policy; /* read; NULL in what is only to be stored */
};

struct principal {
    enum principal_kind kind;
    struct slice name;
    struct slice id;  /* AIDA... or AROA...: another one of the same name has another id */
    struct slice arn; /* not stored */
    int64_t created_ms;
    struct named_policy *policies;
    size_t policy_count;
    struct named_policy boundary; /* its document is absent when there is none */
    struct caller_tag *tags;
    size_t tag_count;
    struct named_policy trust;      /* of a role: who may take it */
    int64_t session_max_s;          /* of a role */
    struct slice description;       /* of a role; absent: there is none */
    const struct policy **identity; /* the policies alone, for a caller; not stored */
};

/* The owner of the account has keys too: then `user` is empty. */
struct access_key {
    struct slice id;
    struct slice user;
    struct slice secret;
    int64_t created_ms;
    bool active;
};

#endif
