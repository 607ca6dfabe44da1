/* heap.c - what glibc offers; elsewhere the allocator does as it pleases. */
#include "base/heap.h"

#include <stdlib.h> /* says which library this is */

#if defined(__GLIBC__)

#include <malloc.h>

/* Replies of a page and bodies of large requests are above, what small requests need is below. */
enum { LARGE_BLOCK_BYTES = 256 * 1024 };

void heap_init(void) {
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
}

void heap_trim(void) {
    malloc_trim(0);
}

#else

void heap_init(void) {
}
void heap_trim(void) {
}

#endif
