/* reply_reader.c - see reply_reader.h. */
#include "http/reply_reader.h"

static struct slice next_line(struct slice *rest) {
    const uint8_t *end = rest->len == 0 ? NULL : memmem(rest->data, rest->len, "\r\n", 2);
    if (end == NULL)
        return SLICE_NONE;
    struct slice line = slice_first(*rest, (size_t)(end - rest->data));
    *rest = slice_skip(*rest, line.len + 2);
    return line;
}

bool http_reply_next_header(struct slice *headers, struct http_header *ret_header) {
    struct slice line = next_line(headers);
    const uint8_t *colon = line.len == 0 ? NULL : memchr(line.data, ':', line.len);
    if (colon == NULL)
        return false;
    ret_header->name = slice_first(line, (size_t)(colon - line.data));
    ret_header->value = http_trim(slice_skip(line, ret_header->name.len + 1));
    return true;
}

static bool read_number(struct slice text, uint64_t *ret_number) {
    uint64_t number = 0;
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(text.data[i] - '0');
    }
    *ret_number = number;
    return true;
}

/* "HTTP/1.1 200 OK". */
static bool read_status(struct slice line, int *ret_status) {
    const struct slice version = SLICE_LITERAL("HTTP/1.1 ");
    uint64_t number;
    if (!slice_starts_with(line, version) || line.len < version.len + 3 ||
        !read_number(slice_part(line, version.len, 3), &number) || number < 100)
        return false;
    *ret_status = (int)number;
    return true;
}

static bool take(struct http_reply_seen *seen, const struct http_header *header) {
#define NAMED(text) slice_equal_ignoring_case(header->name, SLICE_LITERAL(text))
    if (NAMED("content-length"))
        return read_number(header->value, &seen->content_length);
    if (NAMED("transfer-encoding"))
        return false;
    if (NAMED("content-type")) {
        seen->content_type = header->value;
    } else if (NAMED("content-encoding")) {
        seen->coding = http_coding_named(header->value);
        return seen->coding != HTTP_CODING_NONE;
    } else if (NAMED("connection")) {
        seen->keep_alive = slice_equal_ignoring_case(header->value, SLICE_LITERAL("keep-alive"));
    }
    return true;
#undef NAMED
}

enum http_read_result http_reply_head_read(struct slice bytes, struct http_reply_seen *ret_seen) {
    const uint8_t *end = bytes.len == 0 ? NULL : memmem(bytes.data, bytes.len, "\r\n\r\n", 4);
    if (end == NULL)
        return bytes.len >= HTTP_REPLY_HEAD_BYTES_MAX ? HTTP_READ_ERROR : HTTP_READ_MORE;
    size_t head_len = (size_t)(end - bytes.data) + 4;
    struct slice rest = slice_first(bytes, head_len - 2);
    *ret_seen = (struct http_reply_seen){
        .head_len = head_len, .content_type = SLICE_NONE, .coding = HTTP_CODING_NONE};
    if (!read_status(next_line(&rest), &ret_seen->status))
        return HTTP_READ_ERROR;
    ret_seen->headers = rest;
    struct http_header header;
    while (rest.len > 0)
        if (!http_reply_next_header(&rest, &header) || !take(ret_seen, &header))
            return HTTP_READ_ERROR;
    return HTTP_READ_COMPLETE;
}
