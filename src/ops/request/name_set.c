/* name_set.c - a sorted array in the arena. */
#include "ops/request/name_set.h"

#include <stdlib.h>

#include "base/check.h"

struct name_set name_set_new(struct arena *arena, size_t capacity) {
    return (struct name_set){ARENA_ARRAY(arena, struct slice, capacity), 0, capacity};
}

void name_set_add_list(struct name_set *set, const struct field_list *list, size_t size) {
    CHECK(set->capacity - set->count >= list->count);
    const char *element = list->items;
    for (size_t i = 0; i < list->count; i++, element += size)
        set->names[set->count++] = *(const struct slice *)(const void *)element;
}

static int compare_names(const void *a, const void *b) {
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

void name_set_sort(struct name_set *set) {
    qsort(set->names, set->count, sizeof(*set->names), compare_names);
}

bool name_set_has(const struct name_set *set, struct slice name) {
    return bsearch(&name, set->names, set->count, sizeof(*set->names), compare_names) != NULL;
}

struct slice name_set_duplicate(const struct name_set *set) {
    for (size_t i = 1; i < set->count; i++)
        if (slice_equal(set->names[i - 1], set->names[i]))
            return set->names[i];
    return SLICE_NONE;
}

struct name_set name_set_of(struct arena *arena, const struct field_list *list, size_t size) {
    struct name_set set = name_set_new(arena, list->count);
    name_set_add_list(&set, list, size);
    name_set_sort(&set);
    return set;
}
