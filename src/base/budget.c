/* budget.c - one counter, changed by whoever outgrows what is theirs. */
#include "base/budget.h"

#include "base/check.h"

/* Drawn at once, so that what grows slowly does not come for each byte. */
enum { STEP_BYTES = 16 * 1024 };

static size_t owed_for(const struct allowance *allowance, size_t held) {
    return held > allowance->own ? held - allowance->own : 0;
}

/* `used` is what the budget says, the allowance's own part included. */
static bool fits(const struct allowance *allowance, uint64_t used, size_t drawn) {
    uint64_t limit = allowance->budget->limit;
    if (budget_share_of(drawn) == BUDGET_LARGE)
        limit -= limit / 4;
    uint64_t others = used - allowance->drawn;
    return others == 0 || others + drawn <= limit;
}

static bool draw(struct allowance *allowance, size_t drawn) {
    _Atomic uint64_t *total = &allowance->budget->used;
    uint64_t used = atomic_load_explicit(total, memory_order_relaxed);
    size_t more = drawn - allowance->drawn;
    do {
        if (!fits(allowance, used, drawn))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(total, &used, used + more, memory_order_relaxed,
                                                    memory_order_relaxed));
    allowance->drawn = drawn;
    return true;
}

static size_t in_steps(size_t bytes) {
    return (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
}

static bool draw_unless_waited_for(struct allowance *allowance, size_t drawn) {
    const struct budget *budget = allowance->budget;
    bool alone = budget_used(budget) == allowance->drawn;
    return (alone || !budget_is_waited_for(budget, budget_share_of(drawn))) &&
           draw(allowance, drawn);
}

bool allowance_take(struct allowance *allowance, size_t bytes) {
    size_t owed = owed_for(allowance, allowance->used + bytes);
    if (owed > allowance->drawn && !draw_unless_waited_for(allowance, in_steps(owed))) {
        allowance->missing = in_steps(owed);
        return false;
    }
    allowance->used += bytes;
    return true;
}

void allowance_owe(struct allowance *allowance, size_t bytes) {
    allowance->used += bytes;
    size_t owed = owed_for(allowance, allowance->used);
    if (owed <= allowance->drawn)
        return;
    size_t more = in_steps(owed) - allowance->drawn;
    atomic_fetch_add_explicit(&allowance->budget->used, more, memory_order_relaxed);
    allowance->drawn += more;
}

void allowance_give(struct allowance *allowance, size_t bytes) {
    CHECK(bytes <= allowance->used);
    allowance->used -= bytes;
}

bool allowance_reserve(struct allowance *allowance, size_t bytes) {
    return bytes <= allowance->drawn || draw(allowance, bytes);
}

bool allowance_settle(struct allowance *allowance) {
    size_t needed = in_steps(owed_for(allowance, allowance->used));
    allowance->missing = 0;
    if (needed >= allowance->drawn)
        return false;
    atomic_fetch_sub_explicit(&allowance->budget->used, allowance->drawn - needed,
                              memory_order_relaxed);
    allowance->drawn = needed;
    return true;
}
