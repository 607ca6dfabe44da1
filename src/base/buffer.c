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
    buffer_init(buffer, buffer->size_max);
}

void buffer_reset(struct buffer *buffer) {
    buffer->len = 0;
    buffer->overflow = false;
}

bool buffer_grow(struct buffer *buffer, size_t size) {
    if (buffer->overflow || size > buffer->size_max - buffer->len) {
        buffer->overflow = true;
        return false;
    }
    size_t needed = buffer->len + size;
    size_t capacity = buffer->capacity == 0 ? CAPACITY_FIRST : buffer->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    if (capacity > buffer->size_max)
        capacity = buffer->size_max;
    buffer->data = realloc(buffer->data, capacity);
    CHECK(buffer->data != NULL);
    buffer->capacity = capacity;
    return true;
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
