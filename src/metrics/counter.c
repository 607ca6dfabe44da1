/* counter.c - adding up what threads counted. */
#include "metrics/counter.h"

static uint64_t extreme(counter *c, bool take) {
    return take ? atomic_exchange_explicit(c, 0, memory_order_relaxed) : counter_read(c);
}

void spread_widen(struct spread *spread, uint64_t min_plus, uint64_t max_plus) {
    if (counter_read(&spread->min_plus) - 1 >= min_plus) /* 0 wraps: anything is smaller */
        counter_set(&spread->min_plus, min_plus);
    if (counter_read(&spread->max_plus) < max_plus)
        counter_set(&spread->max_plus, max_plus);
}

void spread_merge(struct spread *total, struct spread *from, bool take) {
    uint64_t min_plus = extreme(&from->min_plus, take), max_plus = extreme(&from->max_plus, take);
    counter_add(&total->sum, counter_read(&from->sum));
    counter_add(&total->count, counter_read(&from->count));
    if (min_plus != 0 && max_plus != 0)
        spread_widen(total, min_plus, max_plus);
}
