/* budget.h - memory that many share up to a limit, and what each of them has of it.
 *
 * An allowance is one owner's. Its first bytes are its own; only what goes beyond them is drawn
 * from the budget, so who stays small never touches what is shared. What was drawn stays drawn,
 * also when it is not needed for the moment, until allowance_settle().
 *
 * Who draws little is not kept waiting by those who draw much: the last quarter of a budget is for
 * allowances that have drawn BUDGET_SMALL_BYTES at most. While somebody waits for a reservation,
 * those who have none cannot draw before them. And whoever is alone is never refused.
 *
 * Threads: a budget is everybody's, an allowance belongs to one thread at a time. */
#ifndef GRAMME_BASE_BUDGET_H
#define GRAMME_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUDGET_SMALL_BYTES = 1024 * 1024 };

enum budget_share { BUDGET_SMALL, BUDGET_LARGE, BUDGET_SHARES };

struct budget {
    uint64_t limit;
    _Atomic uint64_t used;
    _Atomic uint32_t
        waiting[BUDGET_SHARES]; /* who wants to reserve; counted by those who let them wait */
};

static inline enum budget_share budget_share_of(size_t drawn) {
    return drawn <= BUDGET_SMALL_BYTES ? BUDGET_SMALL : BUDGET_LARGE;
}

static inline bool budget_is_waited_for(const struct budget *budget, enum budget_share share) {
    return atomic_load_explicit(&budget->waiting[share], memory_order_relaxed) > 0;
}

static inline uint64_t budget_used(const struct budget *budget) {
    return atomic_load_explicit(&budget->used, memory_order_relaxed);
}

struct allowance {
    struct budget *budget;
    size_t own;     /* bytes that cost nothing */
    size_t used;    /* bytes held, its own among them */
    size_t drawn;   /* from the budget */
    size_t missing; /* how much would have to be drawn for what was refused; 0: nothing was */
};

static inline void allowance_init(struct allowance *allowance, struct budget *budget, size_t own) {
    *allowance = (struct allowance){.budget = budget, .own = own};
}

/* So much more is held. False: there is not that much; nothing changes but `missing`. */
bool allowance_take(struct allowance *allowance, size_t bytes);
/* Cannot be refused: what there is not is owed. */
void allowance_owe(struct allowance *allowance, size_t bytes);
void allowance_give(struct allowance *allowance, size_t bytes);

/* Sees to it that `bytes` are drawn, whatever is held now: until it is settled, so much will not be
 * refused. */
bool allowance_reserve(struct allowance *allowance, size_t bytes);
/* Gives back what is drawn and not held; true when that was anything. */
bool allowance_settle(struct allowance *allowance);

#endif
