/* container.h - from a member back to the struct it is in. */
#ifndef GRAMME_BASE_CONTAINER_H
#define GRAMME_BASE_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

/* `pointer` is to the `member` of a `type`; the compiler refuses one of another type than the
 * member's. The owner is const when `type` says so. */
#define container_of(pointer, type, member)              \
    ((void)sizeof((pointer) == &((type *)NULL)->member), \
     (type *)((uintptr_t)(pointer)-offsetof(type, member)))

#endif
