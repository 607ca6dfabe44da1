/* canonical.c - see canonical.h. Almost every request has the path "/" and no query: only those
 * that do not pay. */
#include "auth/canonical.h"

#include <stdlib.h>

#include "http/percent.h"

/* ---- the path ---- */

static bool next_segment(struct slice *rest, struct slice *ret_segment) {
    while (rest->len > 0 && rest->data[0] == '/')
        *rest = slice_skip(*rest, 1);
    const uint8_t *end = rest->len == 0 ? NULL : memchr(rest->data, '/', rest->len);
    *ret_segment = slice_first(*rest, end == NULL ? rest->len : (size_t)(end - rest->data));
    *rest = slice_skip(*rest, ret_segment->len);
    return ret_segment->len > 0;
}

/* Where the last segment of out[0..len) begins. */
static size_t without_last(const uint8_t *out, size_t len) {
    while (len > 0 && out[len - 1] != '/')
        len--;
    return len == 0 ? 0 : len - 1;
}

/* Every segment with a slash before it; the slash at the end stays one. */
static struct slice normalized(struct arena *arena, struct slice path) {
    uint8_t *out = arena_alloc(arena, path.len + 1);
    size_t len = 0;
    bool folder = path.len > 0 && path.data[path.len - 1] == '/';
    struct slice rest = path, segment;
    while (next_segment(&rest, &segment)) {
        if (slice_is(segment, "."))
            continue;
        if (slice_is(segment, "..")) {
            len = without_last(out, len);
            continue;
        }
        out[len++] = '/';
        memcpy(out + len, segment.data, segment.len);
        len += segment.len;
    }
    if (folder || len == 0)
        out[len++] = '/';
    return slice_of(out, len);
}

struct slice canonical_path(struct arena *arena, struct slice path) {
    if (slice_is(path, "/"))
        return path;
    return percent_encode(arena, normalized(arena, path), '/');
}

/* ---- the query ---- */

struct parameter {
    struct slice name;
    struct slice value;
};

static int compare(const void *left, const void *right) {
    const struct parameter *a = left, *b = right;
    int order = slice_compare(a->name, b->name);
    return order != 0 ? order : slice_compare(a->value, b->value);
}

static struct slice encoded_once(struct arena *arena, struct slice text) {
    return percent_encode(arena, percent_decode(arena, text), 0);
}

static struct parameter read_parameter(struct arena *arena, struct slice pair) {
    const uint8_t *sign = pair.len == 0 ? NULL : memchr(pair.data, '=', pair.len);
    size_t name_len = sign == NULL ? pair.len : (size_t)(sign - pair.data);
    struct slice value = sign == NULL ? SLICE_LITERAL("") : slice_skip(pair, name_len + 1);
    return (struct parameter){encoded_once(arena, slice_first(pair, name_len)),
                              encoded_once(arena, value)};
}

static size_t count_pairs(struct slice query) {
    size_t count = 1;
    for (size_t i = 0; i < query.len; i++)
        count += query.data[i] == '&';
    return count;
}

static size_t read_parameters(struct arena *arena, struct slice query, struct parameter *list) {
    size_t count = 0;
    while (query.len > 0) {
        const uint8_t *end = memchr(query.data, '&', query.len);
        size_t len = end == NULL ? query.len : (size_t)(end - query.data);
        if (len > 0) {
            list[count] = read_parameter(arena, slice_first(query, len));
            count += !slice_is(list[count].name, "X-Amz-Signature");
        }
        query = slice_skip(query, end == NULL ? len : len + 1);
    }
    return count;
}

struct slice canonical_query(struct arena *arena, struct slice query) {
    if (query.len == 0)
        return SLICE_LITERAL("");
    struct parameter *list = ARENA_ARRAY(arena, struct parameter, count_pairs(query));
    size_t count = read_parameters(arena, query, list), len = 0;
    qsort(list, count, sizeof(*list), compare);
    for (size_t i = 0; i < count; i++)
        len += list[i].name.len + list[i].value.len + 2;
    uint8_t *out = arena_alloc(arena, len + 1), *at = out;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *at++ = '&';
        memcpy(at, list[i].name.data, list[i].name.len);
        at += list[i].name.len;
        *at++ = '=';
        memcpy(at, list[i].value.data, list[i].value.len);
        at += list[i].value.len;
    }
    return slice_of(out, (size_t)(at - out));
}
