/* buffer.c - growth by doubling, bounded. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

enum { CAPACITY_FIRST = 256 };

void buffer_init(struct buffer *buffer, size_t size_max) {
    *buffer = (struct buffer){.size_max = size_max};
}

void buffer_release(struct buffer *buffer) {
    free(buffer->data);
    if (buffer->allowance != NULL)
        allowance_give(buffer->allowance, buffer->capacity);
    *buffer = (struct buffer){.size_max = buffer->size_max, .allowance = buffer->allowance};
}

void buffer_reset(struct buffer *buffer) {
    buffer->len = 0;
    buffer->overflow = false;
}

static size_t capacity_for(const struct buffer *buffer, size_t needed) {
    size_t capacity = buffer->capacity == 0 ? CAPACITY_FIRST : buffer->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    return capacity > buffer->size_max ? buffer->size_max : capacity;
}

static bool set_capacity(struct buffer *buffer, size_t capacity) {
    size_t more = capacity - buffer->capacity;
    if (buffer->allowance != NULL && !allowance_take(buffer->allowance, more))
        return false;
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) {
        if (buffer->allowance != NULL)
            allowance_give(buffer->allowance, more);
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool buffer_grow(struct buffer *buffer, size_t size) {
    if (buffer->overflow || size > buffer->size_max - buffer->len ||
        !set_capacity(buffer, capacity_for(buffer, buffer->len + size)))
        buffer->overflow = true;
    return !buffer->overflow;
}

bool buffer_grow_to(struct buffer *buffer, size_t capacity) {
    return capacity <= buffer->capacity || set_capacity(buffer, capacity);
}

/* The bytes of `from`, for which this buffer pays from now on. */
static void take_bytes(struct buffer *buffer, const struct buffer *from) {
    struct allowance *allowance = buffer->allowance;
    if (allowance != NULL) {
        allowance_give(allowance, buffer->capacity);
        allowance_owe(allowance, from->capacity);
    }
    CHECK(from->capacity <= buffer->size_max);
    *buffer = (struct buffer){.data = from->data,
                              .len = from->len,
                              .capacity = from->capacity,
                              .size_max = buffer->size_max,
                              .allowance = allowance,
                              .overflow = from->overflow};
}

void buffer_swap(struct buffer *one, struct buffer *other) {
    struct buffer first = *one;
    take_bytes(one, other);
    take_bytes(other, &first);
}

void buffer_printf(struct buffer *buffer, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(len >= 0);
    if (buffer_reserve(buffer, (size_t)len + 1)) {
        vsnprintf((char *)buffer->data + buffer->len, (size_t)len + 1, format, again);
        buffer->len += (size_t)len;
    }
    va_end(again);
}
