/* heap.h - how the process's allocator treats memory that was freed.
 *
 * Left alone, the one of glibc keeps what was once in use: each large block that is freed makes it
 * keep larger ones. */
#ifndef GRAMME_BASE_HEAP_H
#define GRAMME_BASE_HEAP_H

/* From now on large blocks go back to the system when they are freed. Before there are threads. */
void heap_init(void);

/* Gives back what can be given back. It may take tens of milliseconds, in which others that
 * allocate may have to wait. */
void heap_trim(void);

#endif
