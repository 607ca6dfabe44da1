/* slice.h - a borrowed view of bytes.
 *
 * A slice never owns its bytes; whoever hands one out says how long they live. Text is UTF-8 and
 * not NUL-terminated. An absent slice has data == NULL; an empty one has data != NULL and len == 0.
 *
 * A part of a slice is made by slice_skip(), slice_first() and slice_part(), which check their
 * bounds in release builds, too: a length below zero would reach all of memory. `scripts/check
 * style` refuses slice_of() for that. */
#ifndef GRAMME_BASE_SLICE_H
#define GRAMME_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

struct slice {
    const uint8_t *data;
    size_t len;
};

#define SLICE_LITERAL(text) ((struct slice){(const uint8_t *)("" text), sizeof(text) - 1})
#define SLICE_NONE ((struct slice){NULL, 0})

/* For printf: printf("%.*s", SLICE_ARGS(s)). */
#define SLICE_ARGS(s) ((int)(s).len), ((const char *)(s).data)

static inline struct slice slice_of(const void *data, size_t len) {
    return (struct slice){(const uint8_t *)data, len};
}

static inline struct slice slice_text(const char *text) {
    return slice_of(text, strlen(text));
}

static inline bool slice_present(struct slice s) {
    return s.data != NULL;
}

static inline bool slice_equal(struct slice a, struct slice b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool slice_is(struct slice s, const char *text) {
    return slice_equal(s, slice_text(text));
}

/* Unsigned bytes; a prefix sorts before what it starts. */
static inline int slice_compare(struct slice a, struct slice b) {
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

static inline bool slice_starts_with(struct slice s, struct slice prefix) {
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.data, prefix.data, prefix.len) == 0);
}

static inline bool slice_ends_with(struct slice s, struct slice end) {
    return s.len >= end.len &&
           (end.len == 0 || memcmp(s.data + s.len - end.len, end.data, end.len) == 0);
}

/* From `from` to the end; `from` may equal the length. */
static inline struct slice slice_skip(struct slice s, size_t from) {
    CHECK(from <= s.len);
    return slice_of(s.data + from, s.len - from);
}

static inline struct slice slice_first(struct slice s, size_t len) {
    CHECK(len <= s.len);
    return slice_of(s.data, len);
}

static inline struct slice slice_part(struct slice s, size_t from, size_t len) {
    return slice_first(slice_skip(s, from), len);
}

/* ASCII only: DynamoDB's keywords, HTTP's header names. */
bool slice_equal_ignoring_case(struct slice a, struct slice b);

#endif
