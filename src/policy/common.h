/* common.h - the policy of all callers, which may be replaced while others decide by it.
 *
 * Who has looked makes that decision by what he saw, and looks anew for the next; a policy that was
 * replaced stays where it is. Threads: any look, one replaces. */
#ifndef GRAMME_POLICY_COMMON_H
#define GRAMME_POLICY_COMMON_H

#include <stdatomic.h>
#include <stddef.h>

struct policy;

struct common_policy {
    _Atomic(const struct policy *) now;
};

/* NULL, of NULL too: there is none. */
static inline const struct policy *common_policy_now(const struct common_policy *common) {
    return common == NULL ? NULL : atomic_load_explicit(&common->now, memory_order_acquire);
}

#endif
