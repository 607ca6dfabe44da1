/* poison.h - memory whose use AddressSanitizer reports.
 *
 * AddressSanitizer knows the bounds of a malloc() block, but not those of the allocations that an
 * arena makes inside it. So the arena poisons its free memory, and keeps POISON_RED_ZONE poisoned
 * bytes behind each allocation. Builds without AddressSanitizer have no code and no bytes for this.
 */
#ifndef GRAMME_BASE_POISON_H
#define GRAMME_BASE_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define POISON_IS_ON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_IS_ON 1
#endif
#endif

#ifdef POISON_IS_ON

#include <sanitizer/asan_interface.h>

enum { POISON_RED_ZONE = 16 };

static inline void poison(const void *memory, size_t size) {
    __asan_poison_memory_region(memory, size);
}

static inline void unpoison(const void *memory, size_t size) {
    __asan_unpoison_memory_region(memory, size);
}

#else

enum { POISON_RED_ZONE = 0 };

static inline void poison(const void *memory, size_t size) {
    (void)memory;
    (void)size;
}

static inline void unpoison(const void *memory, size_t size) {
    (void)memory;
    (void)size;
}

#endif
#endif
