/* arena.h - memory that goes all at once.
 *
 * A request has one arena; a function that takes an `arena` returns memory in it and the caller
 * never frees. Temporary memory is a second arena named `scratch`, or a mark that the same function
 * releases. An arena belongs to one thread at a time. Allocation never returns NULL: running out of
 * memory ends the program (limits are checked before). Only arena_try_alloc(), for what may be
 * large, does. AddressSanitizer reports uses outside an allocation, and after a reset or a rewind
 * (base/poison.h). */
#ifndef GRAMME_BASE_ARENA_H
#define GRAMME_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/budget.h"
#include "base/poison.h"
#include "base/slice.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    char *next;                 /* free space of the newest chunk */
    char *end;
    struct allowance *allowance; /* that pays for the chunks, and may owe; NULL: nobody does */
    size_t held;                 /* bytes of all chunks */
    size_t limit;                /* of them, see arena_set_limit(); 0: there is none */
};

struct arena_mark {
    struct arena_chunk *chunk;
    char *next;
};

void arena_init(struct arena *arena);
void arena_release(struct arena *arena); /* frees everything; the arena may be used again */
void arena_reset(struct arena *arena);   /* forgets everything, keeps one chunk of the usual size */

/* How much it may hold until it is reset or released. Allocation does not look at it: whoever
 * allocates as much as a request asks for looks first, by error_if_full() (error.h). */
static inline void arena_set_limit(struct arena *arena, size_t limit) {
    arena->limit = limit;
}

/* For scratch memory: what another arena has left of its limit. */
static inline void arena_share_limit(struct arena *arena, const struct arena *other) {
    arena->limit = other->limit == 0            ? 0
                   : other->held < other->limit ? other->limit - other->held
                                                : 1;
}

/* Whether so much more is within the limit. */
static inline bool arena_has_room(const struct arena *arena, size_t more) {
    return arena->limit == 0 || (arena->held <= arena->limit && more <= arena->limit - arena->held);
}

enum { ARENA_ALIGNMENT = 16 };

/* The distance from an allocation of this size to the next one. */
static inline size_t arena_step(size_t size) {
    return ((size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1)) + POISON_RED_ZONE;
}

/* What arena_alloc() does when the newest chunk has too little room, and always when memory is
 * poisoned. */
void *arena_alloc_slow(struct arena *arena, size_t size);

/* NULL when there is no memory for that. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* Aligned for any type; contents undefined. What is left of a chunk is a multiple of the alignment,
 * so what fits also fits rounded up. */
static inline void *arena_alloc(struct arena *arena, size_t size) {
    if (POISON_RED_ZONE > 0 || size == 0 || size > (size_t)(arena->end - arena->next))
        return arena_alloc_slow(arena, size);
    char *memory = arena->next;
    arena->next += arena_step(size);
    return memory;
}

static inline void *arena_zalloc(struct arena *arena, size_t size) {
    return memset(arena_alloc(arena, size), 0, size);
}

void *arena_copy(struct arena *arena, const void *data, size_t size);
struct slice arena_slice(struct arena *arena, struct slice bytes);
/* NUL-terminated; the slice excludes the NUL. */
struct slice arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct slice arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(arena, type) ((type *)arena_zalloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_zalloc((arena), sizeof(type) * (count)))

/* What was allocated after the mark is forgotten. Marks nest. */
struct arena_mark arena_mark(struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

#endif
