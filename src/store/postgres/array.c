/* array.c - many keys or values as one parameter: PostgreSQL's array of bytea.
 *
 *   OFFSET  SIZE  MEANING, big-endian
 *        0     4  dimensions: 1
 *        4     4  whether an element is NULL: 0
 *        8     4  type of the elements: 17, bytea
 *       12     4  how many
 *       16     4  the number of the first one: 1
 *       20        elements: length (4), bytes */
#include "base/bytes.h"
#include "base/check.h"
#include "store/postgres/internal.h"

enum { ARRAY_HEADER_BYTES = 20, BYTEA = 17 };

static void append_u32(struct buffer *buffer, uint32_t number) {
    uint8_t bytes[4];
    store_u32_be(bytes, number);
    buffer_append(buffer, bytes, sizeof(bytes));
}

void array_begin(struct buffer *buffer) {
    buffer_reset(buffer);
    append_u32(buffer, 1);
    append_u32(buffer, 0);
    append_u32(buffer, BYTEA);
    append_u32(buffer, 0);
    append_u32(buffer, 1);
}

void array_add(struct buffer *buffer, struct slice bytes) {
    append_u32(buffer, (uint32_t)bytes.len);
    buffer_append_slice(buffer, bytes);
}

struct parameter array_end(struct buffer *buffer, size_t count) {
    CHECK(!buffer->overflow && buffer->len >= ARRAY_HEADER_BYTES);
    store_u32_be(buffer->data + 12, (uint32_t)count);
    return (struct parameter){buffer->data, buffer->len};
}
