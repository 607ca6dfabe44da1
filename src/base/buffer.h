/* buffer.h - bytes that grow, up to a stated maximum.
 *
 * Invariants: len <= capacity <= size_max. A write past size_max does not happen and sets
 * `overflow`, so a writer checks once at the end; likewise one for which there is no memory, of the
 * machine's or of the allowance's. A buffer owns its bytes; buffer_slice() is valid until the next
 * write, reset or release. */
#ifndef GRAMME_BASE_BUFFER_H
#define GRAMME_BASE_BUFFER_H

#include "base/budget.h"
#include "base/slice.h"

struct buffer {
    uint8_t *data;
    size_t len;
    size_t capacity;
    size_t size_max;
    struct allowance *allowance; /* that pays for the capacity; NULL: nobody does */
    bool overflow;
};

void buffer_init(struct buffer *buffer, size_t size_max);
void buffer_release(struct buffer *buffer);
void buffer_reset(struct buffer *buffer); /* len 0, keeps its memory */

/* Room for `size` more bytes: false (and overflow set) when the maximum forbids it, or memory. */
bool buffer_grow(struct buffer *buffer, size_t size);

/* A capacity of exactly so much, within the maximum, when it is less now. False: there is no memory
 * for it, and nothing has changed. */
bool buffer_grow_to(struct buffer *buffer, size_t capacity);

/* Exchanges the bytes of two buffers. Each keeps its maximum, which must be large enough, and its
 * allowance, which may owe for what it gets. */
void buffer_swap(struct buffer *one, struct buffer *other);

static inline bool buffer_reserve(struct buffer *buffer, size_t size) {
    return buffer->capacity - buffer->len >= size || buffer_grow(buffer, size);
}

static inline void buffer_append(struct buffer *buffer, const void *data, size_t size) {
    if (size > 0 && buffer_reserve(buffer, size)) {
        memcpy(buffer->data + buffer->len, data, size);
        buffer->len += size;
    }
}

static inline void buffer_append_slice(struct buffer *buffer, struct slice bytes) {
    buffer_append(buffer, bytes.data, bytes.len);
}

static inline void buffer_append_byte(struct buffer *buffer, uint8_t byte) {
    if (buffer_reserve(buffer, 1))
        buffer->data[buffer->len++] = byte;
}

static inline void buffer_append_text(struct buffer *buffer, const char *text) {
    buffer_append(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline struct slice buffer_slice(const struct buffer *buffer) {
    return slice_of(buffer->data == NULL ? (const uint8_t *)"" : buffer->data, buffer->len);
}

#endif
