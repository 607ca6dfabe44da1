/* reply.c - see reply.h. */
#include "bench/reply.h"

#include <strings.h>

#include "json/reader.h"

enum { LENGTH_DIGITS_MAX = 9, CHUNK_LINE_MAX = 1024 };

void reply_init(struct reply *reply) {
    *reply = (struct reply){.keep_alive = true};
}

static enum reply_result broken(struct reply *reply, const char *fault) {
    reply->fault = fault;
    return REPLY_BROKEN;
}

/* ---- the head ---- */

static struct slice trimmed(struct slice text) {
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = slice_skip(text, 1);
    while (text.len > 0 && text.data[text.len - 1] <= ' ')
        text.len--;
    return text;
}

/* The value of that header; absent when the line is another. */
static struct slice value_of(struct slice line, const char *name, size_t name_len) {
    if (line.len <= name_len || line.data[name_len] != ':' ||
        strncasecmp((const char *)line.data, name, name_len) != 0)
        return SLICE_NONE;
    return trimmed(slice_skip(line, name_len + 1));
}

#define VALUE_OF(line, name) value_of((line), (name), sizeof(name) - 1)

static bool read_length(struct slice digits, size_t *ret_length) {
    size_t length = 0;
    if (digits.len == 0 || digits.len > LENGTH_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
        length = length * 10 + (size_t)(digits.data[i] - '0');
    }
    *ret_length = length;
    return length <= REPLY_BODY_MAX;
}

/* One header line. Most begin with another letter than those that matter here. */
static bool read_header(struct reply *reply, struct slice line) {
    uint8_t first = line.data[0] | 0x20;
    if (first != 'c' && first != 't')
        return true;
    struct slice value = VALUE_OF(line, "content-length");
    if (slice_present(value)) {
        reply->has_length = true;
        return read_length(value, &reply->body_len);
    }
    value = VALUE_OF(line, "connection");
    if (slice_present(value))
        reply->keep_alive = !slice_equal_ignoring_case(value, SLICE_LITERAL("close"));
    value = VALUE_OF(line, "transfer-encoding");
    if (slice_present(value))
        reply->chunked = slice_equal_ignoring_case(value, SLICE_LITERAL("chunked"));
    return true;
}

static bool read_status(struct reply *reply, struct slice line) {
    if (line.len < 12 || memcmp(line.data, "HTTP/1.", 7) != 0 || line.data[8] != ' ')
        return false;
    int status = 0;
    for (size_t i = 9; i < 12; i++) {
        if (line.data[i] < '0' || line.data[i] > '9')
            return false;
        status = status * 10 + (line.data[i] - '0');
    }
    reply->status = status;
    reply->keep_alive = line.data[7] == '1';
    return status >= 200;
}

static enum reply_result end_head(struct reply *reply) {
    if (!reply->has_length && !reply->chunked)
        return broken(reply, "the reply does not tell its length");
    if (reply->chunked)
        reply->body_len = 0;
    reply->head_len = reply->chunk_at = reply->line_at;
    return REPLY_COMPLETE;
}

/* A line at a time, as soon as it is there; the blank one is the end. */
static enum reply_result read_head(struct reply *reply, const char *data, size_t len) {
    const char *end;
    while ((end = memchr(data + reply->line_at, '\n', len - reply->line_at)) != NULL) {
        struct slice line = slice_of(data + reply->line_at, (size_t)(end - data) - reply->line_at);
        bool first = reply->line_at == 0;
        reply->line_at += line.len + 1;
        if (line.len > 0 && line.data[line.len - 1] == '\r')
            line.len--;
        if (first ? !read_status(reply, line) : line.len > 0 && !read_header(reply, line))
            return broken(reply, first ? "what came is not an HTTP reply"
                                       : "a header of the reply is wrong");
        if (line.len == 0)
            return end_head(reply);
    }
    return len < REPLY_HEAD_MAX ? REPLY_MORE : broken(reply, "the head of the reply is too long");
}

/* ---- chunks ---- */

/* The size of a chunk from its line, without what may follow it. */
static bool read_chunk_size(const char *line, size_t len, size_t *ret_size) {
    size_t size = 0, digits = 0;
    for (; digits < len && digits < 8; digits++) {
        char c = (char)(line[digits] | 0x20);
        if (c >= 'a' && c <= 'f')
            size = size * 16 + (size_t)(c - 'a') + 10;
        else if (line[digits] >= '0' && line[digits] <= '9')
            size = size * 16 + (size_t)(line[digits] - '0');
        else
            break;
    }
    *ret_size = size;
    return digits > 0 && digits < 8;
}

/* Cuts `count` bytes out at `at`. */
static void cut(char *data, size_t at, size_t count, size_t *len) {
    memmove(data + at, data + at + count, *len - at - count);
    *len -= count;
}

/* Takes one chunk in, as soon as all of it is there. */
static enum reply_result join_chunk(struct reply *reply, char *data, size_t *len, bool *ret_last) {
    size_t at = reply->chunk_at, size;
    const char *end = memchr(data + at, '\n', *len - at);
    if (end == NULL)
        return *len - at > CHUNK_LINE_MAX ? broken(reply, "a chunk's size is missing") : REPLY_MORE;
    size_t line = (size_t)(end + 1 - (data + at));
    if (!read_chunk_size(data + at, line, &size) || size > REPLY_BODY_MAX - reply->body_len)
        return broken(reply, "a chunk's size is wrong");
    if (*len - at < line + size + 2)
        return REPLY_MORE;
    if (data[at + line + size] != '\r' || data[at + line + size + 1] != '\n')
        return broken(reply, size == 0 ? "the reply has trailers" : "a chunk's end is missing");
    cut(data, at + line + size, 2, len);
    cut(data, at, line, len);
    reply->body_len += size;
    reply->chunk_at += size;
    *ret_last = size == 0;
    return REPLY_COMPLETE;
}

static enum reply_result join_chunks(struct reply *reply, char *data, size_t *len) {
    enum reply_result result;
    bool last = false;
    do
        result = join_chunk(reply, data, len, &last);
    while (result == REPLY_COMPLETE && !last);
    return result;
}

/* ---- the whole ---- */

enum reply_result reply_read(struct reply *reply, char *data, size_t *len) {
    if (reply->head_len == 0) {
        enum reply_result head = read_head(reply, data, *len);
        if (head != REPLY_COMPLETE)
            return head;
    }
    if (reply->chunked) {
        enum reply_result body = join_chunks(reply, data, len);
        if (body != REPLY_COMPLETE)
            return body;
    }
    size_t size = reply->head_len + reply->body_len;
    if (*len < size)
        return REPLY_MORE;
    return *len == size ? REPLY_COMPLETE : broken(reply, "bytes follow the reply");
}

/* ---- what it says ---- */

struct reply_error reply_read_error(struct slice body, struct arena *arena) {
    struct reply_error error = {SLICE_NONE, SLICE_NONE};
    struct json_reader reader;
    json_reader_init(&reader, body, arena);
    if (json_next(&reader) != JSON_OBJECT_BEGIN)
        return error;
    while (json_next(&reader) == JSON_NAME) {
        struct slice name = reader.text;
        enum json_token token = json_next(&reader);
        if (token == JSON_STRING && slice_is(name, "__type")) {
            const uint8_t *mark = memrchr(reader.text.data, '#', reader.text.len);
            error.type = mark == NULL
                             ? reader.text
                             : slice_skip(reader.text, (size_t)(mark + 1 - reader.text.data));
        } else if (token == JSON_STRING &&
                   slice_equal_ignoring_case(name, SLICE_LITERAL("message"))) {
            error.message = reader.text;
        } else if (!json_skip(&reader)) {
            break;
        }
    }
    return error;
}

/* Whether that member, which is an object, has anything in it. */
static bool has_member(struct slice body, const char *name) {
    const uint8_t *at = memmem(body.data, body.len, name, strlen(name));
    if (at == NULL)
        return false;
    const uint8_t *end = body.data + body.len;
    for (at += strlen(name); at < end && (*at <= ' ' || *at == ':' || *at == '{');)
        at++;
    return at < end && *at != '}';
}

bool reply_has_unprocessed(struct slice body) {
    return has_member(body, "\"UnprocessedItems\"") || has_member(body, "\"UnprocessedKeys\"");
}
