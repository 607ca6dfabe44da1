/* fault_scenario.h - a scenario that is run again and again, each time with the fault one call
 * later. Included after cmocka.h. */
#ifndef GRAMME_TESTS_FAULT_SCENARIO_H
#define GRAMME_TESTS_FAULT_SCENARIO_H

#include "store/fault/fault.h"

struct fault_scenario {
    /* Runs it on a new store whose n-th call has the fault, checks what is there after it, and
     * tells whether there were so many calls. */
    bool (*run)(enum fault fault, uint64_t n, void *ret_outcome);
    /* Fails unless everything was acknowledged. */
    void (*assert_complete)(const void *outcome);
    void *outcome;
};

/* Lets one call after the other fail. Their number is in the range, so that the scenario does reach
 * the store, and ends. */
static inline void fail_every_call(const struct fault_scenario *scenario, uint64_t min,
                                   uint64_t max) {
    assert_false(scenario->run(FAULT_NONE, 0, scenario->outcome));
    scenario->assert_complete(scenario->outcome);
    uint64_t n = 1;
    while (n <= max && scenario->run(FAULT_ERROR, n, scenario->outcome))
        n++;
    assert_in_range(n, min, max);
}

/* Lets one commit after the other conflict, which nobody may notice. */
static inline void conflict_every_commit(const struct fault_scenario *scenario, uint64_t min,
                                         uint64_t max) {
    uint64_t n = 1;
    for (; n <= max && scenario->run(FAULT_CONFLICT, n, scenario->outcome); n++)
        scenario->assert_complete(scenario->outcome);
    assert_in_range(n, min, max);
}

#endif
