/* iam.h - who may sign: the users, roles and keys of the account, and sessions of roles.
 *
 * A thread looks through a view of its own, which costs one atomic load unless something changed;
 * a change is seen by the next request of every thread. Changes are made one at a time.
 * Threads: a view belongs to one; everything else any. */
#ifndef GRAMME_IAM_IAM_H
#define GRAMME_IAM_IAM_H

#include "base/random.h"
#include "iam/directory.h"
#include "iam/session.h"

struct iam_options {
    struct engine *engine;
    struct seal *seal;    /* of secrets and sessions; the caller's, and outlives this */
    struct slice account; /* outlives this */
    const struct random *random;
};

struct iam;

struct error *iam_open(struct arena *arena, const struct iam_options *options,
                       struct iam **ret_iam);
void iam_close(struct iam *iam);
const struct iam_options *iam_options(const struct iam *iam);

/* ---- looking ---- */

/* What there is now, for whoever has no view; the caller unrefs it. */
struct directory *iam_directory(struct iam *iam);

struct iam_view;
struct iam_view *iam_view_new(struct iam *iam);
void iam_view_free(struct iam_view *view);

/* What there is now, borrowed until the view is used again. */
const struct directory *iam_view_directory(struct iam_view *view);

struct iam_credentials {
    struct slice secret;
    struct caller caller;
};

/* Whose key it is. `token` is absent or empty without a session. The errors are the service's.
 * Borrowed until the view is used again. */
struct error *iam_find_credentials(struct iam_view *view, struct arena *arena, struct slice key_id,
                                   struct slice token, int64_t now_ms,
                                   struct iam_credentials *ret_credentials);
/* The user as a caller, when somebody else knows that it is them. */
struct caller iam_caller_of_user(const struct iam *iam, const struct principal *user);
/* A session of the role that has no name yet: ARN and id are the role's. */
struct caller iam_caller_of_role(const struct iam *iam, const struct principal *role);

/* ---- changing ---- */

/* From here to iam_change_end nobody else changes anything; what there is now. */
const struct directory *iam_change_begin(struct iam *iam);
/* Makes the changes, durably, and shows them. On an error of the store nothing has changed. */
struct error *iam_change(struct iam *iam, struct arena *arena, const struct record *changes,
                         size_t count);
void iam_change_end(struct iam *iam);
/* Somebody else may have changed something in the store: shows what is there now. */
struct error *iam_look_again(struct iam *iam, struct arena *arena);

#endif
