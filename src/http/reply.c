/* reply.c - a reply's head, put together by copying: it is written once for every request. */
#include "http/reply.h"

#include <libdeflate.h>

#include "base/check.h"

/* More than all fixed texts and numbers together. */
enum { HEAD_BYTES_FIXED = 512 };

static struct slice status_line(int status) {
#define STATUS(code, text) \
    case code:             \
        return SLICE_LITERAL("HTTP/1.1 " #code " " text "\r\n")
    switch (status) {
        STATUS(200, "OK");
        STATUS(304, "Not Modified");
        STATUS(400, "Bad Request");
        STATUS(401, "Unauthorized");
        STATUS(403, "Forbidden");
        STATUS(404, "Not Found");
        STATUS(405, "Method Not Allowed");
        STATUS(408, "Request Timeout");
        STATUS(413, "Payload Too Large");
        STATUS(415, "Unsupported Media Type");
        STATUS(421, "Misdirected Request");
        STATUS(500, "Internal Server Error");
        STATUS(503, "Service Unavailable");
        STATUS(505, "HTTP Version Not Supported");
    default:
        return SLICE_NONE;
    }
#undef STATUS
}

static inline uint8_t *put(uint8_t *at, struct slice bytes) {
    if (bytes.len > 0)
        memcpy(at, bytes.data, bytes.len);
    return at + bytes.len;
}

#define PUT(at, text) put((at), SLICE_LITERAL(text))

static unsigned digit_count(uint64_t n) {
    unsigned count = 1;
    for (; n >= 10000; n /= 10000)
        count += 4;
    return count + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* Two digits per division. */
static uint8_t *put_number(uint8_t *at, uint64_t n) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    uint8_t *end = at + digit_count(n), *to = end;
    for (; n >= 100; n /= 100)
        memcpy(to -= 2, pairs + 2 * (n % 100), 2);
    if (n >= 10)
        memcpy(to - 2, pairs + 2 * n, 2);
    else
        to[-1] = (uint8_t)('0' + n);
    return end;
}

static uint8_t *put_status(uint8_t *at, int status) {
    struct slice line = status_line(status);
    if (slice_present(line))
        return put(at, line);
    at = put_number(PUT(at, "HTTP/1.1 "), (uint64_t)status);
    return PUT(at, " Status\r\n");
}

static inline uint8_t *put_header(uint8_t *at, struct slice name, struct slice value) {
    if (!slice_present(value))
        return at;
    return PUT(put(put(at, name), value), "\r\n");
}

static uint8_t *put_allow_origin(uint8_t *at, struct slice origin) {
    at = put_header(at, SLICE_LITERAL("Access-Control-Allow-Origin: "), origin);
    if (!slice_is(origin, "*"))
        at = PUT(at, "Vary: Origin\r\n");
    return PUT(at, "Access-Control-Expose-Headers: "
                   "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date\r\n");
}

void http_reply_head_write(struct buffer *out, const struct http_reply_head *head) {
    CHECK(head->status >= 100 && head->status <= 999);
    size_t variable = head->date.len + head->content_type.len + head->request_id.len +
                      head->allow_origin.len + head->more.len;
    if (!buffer_reserve(out, HEAD_BYTES_FIXED + variable))
        return;
    uint8_t *at = put_status(out->data + out->len, head->status);
    at = PUT(at, "Server: Server\r\n");
    at = put_header(at, SLICE_LITERAL("Date: "), head->date);
    at = put_header(at, SLICE_LITERAL("Content-Type: "), head->content_type);
    if (head->coding != HTTP_CODING_NONE)
        at = put_header(at, SLICE_LITERAL("Content-Encoding: "), http_coding_name(head->coding));
    if (head->chunked)
        at = PUT(at, "Transfer-Encoding: chunked\r\n");
    else
        at = PUT(put_number(PUT(at, "Content-Length: "), head->content_length), "\r\n");
    at =
        head->keep_alive ? PUT(at, "Connection: keep-alive\r\n") : PUT(at, "Connection: close\r\n");
    at = put_header(at, SLICE_LITERAL("x-amzn-RequestId: "), head->request_id);
    if (head->has_crc32)
        at = PUT(put_number(PUT(at, "x-amz-crc32: "), head->crc32), "\r\n");
    if (slice_present(head->allow_origin))
        at = put_allow_origin(at, head->allow_origin);
    at = PUT(put(at, head->more), "\r\n");
    out->len = (size_t)(at - out->data);
}

uint32_t http_crc32(struct slice body) {
    return libdeflate_crc32(0, body.data, body.len);
}
