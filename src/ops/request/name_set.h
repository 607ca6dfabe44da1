/* name_set.h - names that are looked up and compared, sorted: requests may bring many thousands. */
#ifndef GRAMME_OPS_REQUEST_NAME_SET_H
#define GRAMME_OPS_REQUEST_NAME_SET_H

#include "ops/request/field.h"

struct name_set {
    struct slice *names; /* sorted; equal ones are neighbours */
    size_t count;
    size_t capacity;
};

/* Room for `capacity` names. */
struct name_set name_set_new(struct arena *arena, size_t capacity);
/* Appends the names of a list whose elements begin with one and have `size` bytes. Call
 * name_set_sort() before looking anything up. */
void name_set_add_list(struct name_set *set, const struct field_list *list, size_t size);
void name_set_sort(struct name_set *set);

bool name_set_has(const struct name_set *set, struct slice name);
/* A name that is there twice; absent when there is none. */
struct slice name_set_duplicate(const struct name_set *set);

/* The names of one list, sorted. */
struct name_set name_set_of(struct arena *arena, const struct field_list *list, size_t size);

#endif
