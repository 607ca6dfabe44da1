/* decide.h - what the policies of all sides say together.
 *
 * A statement that denies wins, on whichever side it stands. Else somebody must allow: the caller's
 * own policies, or that of the resource, which is enough within one account. A boundary and the
 * policy of a session allow nothing themselves, but must let it pass; what a resource grants to the
 * caller by their own name passes them. */
#ifndef GRAMME_POLICY_DECIDE_H
#define GRAMME_POLICY_DECIDE_H

#include "policy/policy.h"

/* In the order in which they are named when several refuse. */
enum policy_side {
    POLICY_SIDE_IDENTITY,
    POLICY_SIDE_RESOURCE,
    POLICY_SIDE_BOUNDARY,
    POLICY_SIDE_SESSION
};

struct policy_sides {
    const struct policy
        *common; /* of everybody: one more of the caller's own; NULL: there is none */
    const struct policy *resource; /* NULL: there is none */
    bool other_account; /* the resource is not of the caller's: both of them must allow */
};

struct policy_decision {
    bool allowed;
    bool denied;           /* refused by a statement; else because nothing there allows it */
    enum policy_side side; /* whose refusal it is */
};

/* Boundary, session and own policies are those of request->caller. A root may do what nobody
 * denies. */
struct policy_decision policy_decide(const struct policy_sides *sides,
                                     const struct policy_request *request);

/* What somebody would look at: policy_keys_used of all of them, the resource's excepted. */
uint64_t policy_sides_keys(const struct policy *common, const struct caller *caller);

/* "with an explicit deny in a session policy". */
struct slice policy_refusal(struct arena *arena, const struct policy_decision *decision,
                            struct slice action);

#endif
