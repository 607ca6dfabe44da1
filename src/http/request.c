/* request.c - questions about a request that are asked rarely, and so are answered by looking. */
#include "http/request.h"

/* Takes what stands before `separator` off the front of *rest; false at the end. */
static bool next_part(struct slice *rest, uint8_t separator, struct slice *ret_part) {
    if (!slice_present(*rest))
        return false;
    const uint8_t *end = rest->len == 0 ? NULL : memchr(rest->data, separator, rest->len);
    if (end == NULL) {
        *ret_part = *rest;
        *rest = SLICE_NONE;
    } else {
        *ret_part = slice_first(*rest, (size_t)(end - rest->data));
        *rest = slice_skip(*rest, ret_part->len + 1);
    }
    return true;
}

struct slice http_request_query(const struct http_request *request, struct slice name) {
    struct slice rest = request->query, pair;
    while (next_part(&rest, '&', &pair)) {
        struct slice value = pair, key;
        next_part(&value, '=', &key);
        if (slice_equal(key, name))
            return slice_present(value) ? value : slice_part(key, key.len, 0);
    }
    return SLICE_NONE;
}

/* ---- Accept-Encoding ----
 *
 * Read as the service does, which is not always as the standard has it. */

enum { WEIGHT_ONE = 1000 * 1000 * 1000 }; /* q=1; nine digits behind the point count */

static bool is_digit_at(struct slice text, size_t at) {
    return at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
}

/* Of a q: more than 1 is 1, less than 0 is 0, and what is no number is 1. */
static uint32_t read_weight(struct slice text) {
    if (text.len > 0 && text.data[0] == '-')
        return 0;
    uint32_t weight = 0, unit = WEIGHT_ONE;
    size_t at = 0;
    for (; is_digit_at(text, at); at++)
        if (text.data[at] != '0')
            weight = WEIGHT_ONE;
    if (at < text.len && text.data[at] == '.')
        for (at++; is_digit_at(text, at); at++)
            weight += (uint32_t)(text.data[at] - '0') * (unit /= 10);
    return at == 0 || at < text.len || weight > WEIGHT_ONE ? WEIGHT_ONE : weight;
}

/* The first parameter counts. A coding that has another than q there is not taken. */
static uint32_t weight_of(struct slice parameters) {
    struct slice first;
    if (!next_part(&parameters, ';', &first))
        return WEIGHT_ONE;
    first = http_trim(first);
    if (first.len > 0 && (first.data[0] | 0x20) != 'q')
        return 0;
    bool is_q = first.len > 1 && first.data[1] == '=';
    return is_q ? read_weight(http_trim(slice_skip(first, 2))) : WEIGHT_ONE;
}

struct slice http_request_find(const struct http_request *request, struct slice name) {
    for (uint32_t i = 0; i < request->header_count; i++) {
        struct http_header header = http_request_header_at(request, i);
        if (slice_equal_ignoring_case(header.name, name))
            return header.value;
    }
    return SLICE_NONE;
}

/* "identity" is no choice: it is what is left. "*" is the first coding that the header does not
 * name, and comes behind those that it does. */
enum http_coding http_request_accepted_coding(const struct http_request *request) {
    struct slice rest = request->known[HTTP_ACCEPT_ENCODING], part, name;
    enum http_coding best = HTTP_CODING_NONE;
    uint32_t weight = 0, others = 0;
    bool named[HTTP_CODING_COUNT] = {false};
    while (next_part(&rest, ',', &part)) {
        next_part(&part, ';', &name);
        name = http_trim(name);
        uint32_t wanted = weight_of(part);
        enum http_coding coding = http_coding_named(name);
        named[coding] = true;
        if (slice_is(name, "*") && wanted > others) {
            others = wanted;
        } else if (coding != HTTP_CODING_NONE && wanted > weight) {
            weight = wanted;
            best = coding;
        }
    }
    for (enum http_coding coding = HTTP_CODING_GZIP; coding < HTTP_CODING_COUNT; coding++)
        if (!named[coding] && others > weight)
            return coding;
    return best;
}
