/* change.h - a user, a role or a key as it is to be stored: new, or with something changed. What
 * the commands (command.h) and IAM's API have in common; both hold the directory while they do it
 * (iam_change_begin).
 *
 * A document is read before it is taken. Errors are IAM's.
 * Memory: the arena; texts are borrowed from whoever gives them. */
#ifndef GRAMME_IAM_CHANGE_H
#define GRAMME_IAM_CHANGE_H

#include "iam/iam.h"

enum { ROLE_DESCRIPTION_MAX = 1000, POLICY_NAME_MAX = 128, POLICY_DOCUMENT_MAX = 10 * 1024 };

/* Without anything but an id; its name is known to be free. */
struct principal principal_new(struct arena *arena, const struct iam_options *options,
                               enum principal_kind kind, struct slice name, int64_t now_ms);
/* One that can be changed, with room for what may be added. */
struct principal principal_copy(struct arena *arena, const struct principal *principal);

/* A policy of that name is replaced. */
struct error *principal_put_policy(struct arena *arena, struct principal *principal,
                                   struct slice name, struct slice document);
/* False: there is none. */
bool principal_remove_policy(struct principal *principal, struct slice name);

struct error *principal_put_tag(struct arena *arena, struct principal *principal,
                                struct caller_tag tag);
bool principal_remove_tag(struct principal *principal, struct slice name);

struct error *principal_set_trust(struct arena *arena, struct principal *role,
                                  struct slice document);
/* Absent: there is none any more. */
struct error *principal_set_boundary(struct arena *arena, struct principal *principal,
                                     struct slice document);
struct error *principal_set_session_max(struct arena *arena, struct principal *role,
                                        int64_t seconds);

/* Active; an empty user is the owner. */
struct access_key key_new(struct arena *arena, const struct iam_options *options, struct slice user,
                          int64_t now_ms);
/* As a change that takes it away. */
struct record key_gone(struct slice id);

#endif
