/* percentile.c - sums up measurements. */
#include "common/percentile.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void percentile_sort(double *values, size_t count) {
    qsort(values, count, sizeof(*values), compare);
}

double percentile(const double *sorted, size_t count, unsigned p) {
    size_t rank = (count * p + 99) / 100; /* rounded up */
    return count == 0 ? 0 : sorted[rank == 0 ? 0 : rank - 1];
}
