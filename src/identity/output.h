/* output.h - users, roles, keys and tags as members of an answer. */
#ifndef GRAMME_IDENTITY_OUTPUT_H
#define GRAMME_IDENTITY_OUTPUT_H

#include "iam/principal.h"
#include "service/service.h"

/* A whole object of that name; NULL: an item of a list, which has no tags. */
void identity_write_user(const struct service_call *call, const char *name,
                         const struct principal *user);
void identity_write_role(const struct service_call *call, const char *name,
                         const struct principal *role);
void identity_write_tag(const struct service_call *call, const struct caller_tag *tag);
/* A moment, of which IAM tells the second. */
void identity_write_time(const struct service_call *call, const char *name, int64_t ms);
/* A policy, which travels with all that is no letter or digit escaped. */
void identity_write_document(const struct service_call *call, const char *name,
                             struct slice document);

#endif
