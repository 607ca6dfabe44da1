/* fault.h - a store around another store that fails on demand, for tests.
 *
 * Its fallible calls (begin, get_many, scan_open, scan_next, commit, sync) are numbered from 1
 * since it was last armed. A test runs a scenario once unarmed to learn how many calls it makes,
 * then once for each n with call n failing. */
#ifndef GRAMME_STORE_FAULT_FAULT_H
#define GRAMME_STORE_FAULT_FAULT_H

#include "store/store.h"

enum fault {
    FAULT_NONE,
    FAULT_ERROR,           /* the n-th call fails with an error and does nothing */
    FAULT_ERROR_FROM_HERE, /* so do all after it: the engine is gone */
    FAULT_CONFLICT,        /* the n-th commit does nothing and says STORE_CONFLICT */
    FAULT_UNKNOWN_APPLIED, /* the n-th commit commits and says STORE_UNKNOWN */
    FAULT_UNKNOWN_LOST,    /* the n-th commit does nothing and says STORE_UNKNOWN */
    FAULT_GONE_APPLIED,    /* the n-th commit commits, but that call and all after it fail */
};

/* Owns `inner`, and closes it when it is closed. Passes everything on until it is armed. */
struct store *fault_store_new(struct store *inner);

/* Forgets what was counted, then lets the n-th call (of the last four kinds: the n-th commit) from
 * now on have the fault. No transaction is open. */
void fault_store_arm(struct store *store, enum fault fault, uint64_t n);

/* Since it was made or last armed. */
uint64_t fault_store_calls(const struct store *store);
uint64_t fault_store_commits(const struct store *store);
/* Whether the fault has happened. */
bool fault_store_fired(const struct store *store);

#endif
