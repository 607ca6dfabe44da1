/* request.h - whom a request is about, as its permissions name them and as the directory has them,
 * and what is said when there is no such one.
 *
 * Memory: the arena of the request; principals are the directory's. */
#ifndef GRAMME_IDENTITY_REQUEST_H
#define GRAMME_IDENTITY_REQUEST_H

#include "base/check.h"
#include "identity/identity.h"

/* New names are shorter than what is looked for may be. */
enum { IDENTITY_NAME_MAX = 128 };

/* Of users and roles, the members that name one. */
#define INPUT_USER_NAME \
    INPUT("UserName", INPUT_TEXT, .required = true, .min = 1, .max = IDENTITY_NAME_MAX)
#define INPUT_OWN_USER_NAME INPUT("UserName", INPUT_TEXT, .min = 1, .max = IDENTITY_NAME_MAX)
#define INPUT_ROLE_NAME \
    INPUT("RoleName", INPUT_TEXT, .required = true, .min = 1, .max = IDENTITY_NAME_MAX)
#define INPUT_POLICY_NAME \
    INPUT("PolicyName", INPUT_TEXT, .required = true, .min = 1, .max = IDENTITY_NAME_MAX)

/* ---- what permissions are asked for: service_op.resource ---- */

/* The user of UserName, or the caller without it. */
struct slice identity_user_arn(const struct service_call *call, size_t number);
struct slice identity_role_arn(const struct service_call *call, size_t number);
/* All of them, as lists are asked for. */
struct slice identity_users_arn(const struct service_call *call, size_t number);
struct slice identity_roles_arn(const struct service_call *call, size_t number);

/* ---- finding ---- */

/* Whom this server knows. */
struct error *identity_iam(const struct service_call *call, struct iam **ret_iam);
/* What there is now. With CLEANUP(directory_release). */
struct error *identity_look(const struct service_call *call, struct directory **ret_directory);
void directory_release(struct directory **directory); /* NULL in it is fine */

/* The one that UserName or RoleName names. */
struct error *identity_find(const struct service_call *call, const struct directory *directory,
                            enum principal_kind kind, const struct principal **ret_principal);
/* The name that UserName has, or without it the caller's; empty: the owner of the account. */
struct error *identity_user_name(const struct service_call *call, struct slice *ret_name);
/* There is such a user, or it is the owner. */
struct error *identity_check_user(const struct service_call *call,
                                  const struct directory *directory, struct slice name);

struct error *identity_no_such(const struct service_call *call, enum principal_kind kind,
                               struct slice name);
struct error *identity_no_policy(const struct service_call *call, enum principal_kind kind,
                                 struct slice name);

#endif
