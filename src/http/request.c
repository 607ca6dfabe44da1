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
        *ret_part = slice_of(rest->data, (size_t)(end - rest->data));
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
            return slice_present(value) ? value : slice_of(key.data + key.len, 0);
    }
    return SLICE_NONE;
}

/* "q=0", "q=0.000": refused. Anything else counts as wanted. */
static bool is_refusal(struct slice parameter) {
    if (parameter.len < 3 || (parameter.data[0] | 0x20) != 'q' || parameter.data[1] != '=')
        return false;
    for (size_t i = 2; i < parameter.len; i++)
        if (parameter.data[i] != '0' && parameter.data[i] != '.')
            return false;
    return true;
}

bool http_request_accepts_gzip(const struct http_request *request) {
    struct slice rest = request->known[HTTP_ACCEPT_ENCODING], coding;
    while (next_part(&rest, ',', &coding)) {
        struct slice name, parameter;
        next_part(&coding, ';', &name);
        if (!slice_equal_ignoring_case(http_trim(name), SLICE_LITERAL("gzip")))
            continue;
        while (next_part(&coding, ';', &parameter))
            if (is_refusal(http_trim(parameter)))
                return false;
        return true;
    }
    return false;
}
