/* arena.c - chunks in a list; the newest one is filled from the front, and its free memory is
 * poisoned. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

enum { CHUNK_SIZE = 8192 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t size; /* of data */
    alignas(ARENA_ALIGNMENT) char data[];
};

void arena_init(struct arena *arena) {
    *arena = (struct arena){0};
}

static void chunk_free(struct arena *arena, struct arena_chunk *chunk) {
    if (arena->allowance != NULL)
        allowance_give(arena->allowance, sizeof(*chunk) + chunk->size);
    arena->held -= sizeof(*chunk) + chunk->size;
    free(chunk);
}

static void forget_all(struct arena *arena) {
    *arena = (struct arena){.allowance = arena->allowance, .held = arena->held};
}

void arena_release(struct arena *arena) {
    for (struct arena_chunk *chunk = arena->chunks; chunk != NULL;) {
        struct arena_chunk *older = chunk->older;
        chunk_free(arena, chunk);
        chunk = older;
    }
    forget_all(arena);
}

static void chunk_use(struct arena *arena, struct arena_chunk *chunk) {
    arena->chunks = chunk;
    arena->next = chunk->data;
    arena->end = chunk->data + chunk->size;
    poison(chunk->data, chunk->size);
}

void arena_reset(struct arena *arena) {
    struct arena_chunk *kept = NULL;
    for (struct arena_chunk *chunk = arena->chunks; chunk != NULL;) {
        struct arena_chunk *older = chunk->older;
        if (kept == NULL && chunk->size == CHUNK_SIZE)
            kept = chunk;
        else
            chunk_free(arena, chunk);
        chunk = older;
    }
    forget_all(arena);
    if (kept != NULL) {
        kept->older = NULL;
        chunk_use(arena, kept);
    }
}

/* What `step` has more than `size` stays poisoned. */
static void *hand_out(struct arena *arena, size_t size, size_t step) {
    char *memory = arena->next;
    arena->next += step;
    unpoison(memory, size);
    return memory;
}

/* NULL: there is no memory. */
static void *alloc_from_new_chunk(struct arena *arena, size_t size, size_t step) {
    size_t chunk_size = step > CHUNK_SIZE ? step : CHUNK_SIZE;
    struct arena_chunk *chunk = malloc(sizeof(*chunk) + chunk_size);
    if (chunk == NULL)
        return NULL;
    if (arena->allowance != NULL)
        allowance_owe(arena->allowance, sizeof(*chunk) + chunk_size);
    arena->held += sizeof(*chunk) + chunk_size;
    chunk->older = arena->chunks;
    chunk->size = chunk_size;
    chunk_use(arena, chunk);
    return hand_out(arena, size, step);
}

void *arena_try_alloc(struct arena *arena, size_t size) {
    CHECK(size < SIZE_MAX / 2);
    size_t step = arena_step(size);
    if (arena->next == NULL || (size_t)(arena->end - arena->next) < step)
        return alloc_from_new_chunk(arena, size, step);
    return hand_out(arena, size, step);
}

void *arena_alloc_slow(struct arena *arena, size_t size) {
    void *memory = arena_try_alloc(arena, size);
    CHECK(memory != NULL);
    return memory;
}

void *arena_copy(struct arena *arena, const void *data, size_t size) {
    void *memory = arena_alloc(arena, size);
    if (size > 0)
        memcpy(memory, data, size);
    return memory;
}

struct slice arena_slice(struct arena *arena, struct slice bytes) {
    return slice_of(arena_copy(arena, bytes.data, bytes.len), bytes.len);
}

struct slice arena_vprintf(struct arena *arena, const char *format, va_list args) {
    CHECK(format != NULL);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    CHECK(len >= 0);
    char *text = arena_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return slice_of(text, (size_t)len);
}

struct slice arena_printf(struct arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

struct arena_mark arena_mark(struct arena *arena) {
    return (struct arena_mark){arena->chunks, arena->next};
}

void arena_rewind(struct arena *arena, struct arena_mark mark) {
    while (arena->chunks != mark.chunk) {
        struct arena_chunk *older = arena->chunks->older;
        chunk_free(arena, arena->chunks);
        arena->chunks = older;
    }
    arena->next = mark.next;
    arena->end = mark.chunk == NULL ? NULL : mark.chunk->data + mark.chunk->size;
    if (mark.chunk != NULL)
        poison(arena->next, (size_t)(arena->end - arena->next));
}
