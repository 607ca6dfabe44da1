/* percentile.h - sums up measurements. */
#ifndef APPS_COMMON_PERCENTILE_H
#define APPS_COMMON_PERCENTILE_H

#include <stddef.h>

void percentile_sort(double *values, size_t count);
/* The smallest value that is not below p percent of them; 0 when there are none. */
double percentile(const double *sorted, size_t count, unsigned p);

#endif
