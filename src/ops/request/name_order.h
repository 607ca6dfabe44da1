/* name_order.h - names in the order in which the service prints its sets of them. */
#ifndef GRAMME_OPS_REQUEST_NAME_ORDER_H
#define GRAMME_OPS_REQUEST_NAME_ORDER_H

#include "base/arena.h"
#include "base/slice.h"

/* How many buckets the service's hash tables start with. */
enum { NAME_BUCKETS_FITTING = 1, NAME_BUCKETS_DEFAULT = 16 };

/* Each name once, in the order of a Java hash table that has at least `buckets_min` buckets (a
 * power of two) and into which they were put as they are given. Returns how many are left;
 * *ret_names is in the arena. */
size_t name_order(struct arena *arena, const struct slice *names, size_t count, size_t buckets_min,
                  struct slice **ret_names);

#endif
