/* writer.c - JSON text appended to a buffer.
 *
 * A value that does not fit sets the buffer's overflow flag and nothing else, so callers check once
 * at the end. Memory: the buffer's. */
#include "json/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/check.h"
#include "json/scan.h"

void json_writer_init(struct json_writer *writer, struct buffer *out) {
    *writer = (struct json_writer){.out = out};
}

static inline void put_comma(struct json_writer *writer) {
    if (writer->comma)
        buffer_append_byte(writer->out, ',');
    writer->comma = true;
}

static void open_container(struct json_writer *writer, uint8_t bracket) {
    put_comma(writer);
    buffer_append_byte(writer->out, bracket);
    writer->comma = false;
}

static void close_container(struct json_writer *writer, uint8_t bracket) {
    buffer_append_byte(writer->out, bracket);
    writer->comma = true;
}

void json_object_begin(struct json_writer *writer) {
    open_container(writer, '{');
}

void json_object_end(struct json_writer *writer) {
    close_container(writer, '}');
}

void json_array_begin(struct json_writer *writer) {
    open_container(writer, '[');
}

void json_array_end(struct json_writer *writer) {
    close_container(writer, ']');
}

/* ---- strings ---- */

static void put_escape(struct buffer *out, uint8_t c) {
    static const char hex[] = "0123456789abcdef";
    static const char letters[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
    };
    char letter = c >= 0x20 ? (char)c : letters[c];
    if (letter != 0) {
        buffer_append(out, (char[]){'\\', letter}, 2);
        return;
    }
    buffer_append(out, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

static bool is_special(uint8_t c) {
    return c < 0x20 || c == '"' || c == '\\';
}

/* Four to seven bytes, or eight to fifteen, as two halves that overlap. */
static inline bool copy_short(uint8_t *out, const uint8_t *p, size_t len) {
    if (len < SCAN_BYTES) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + len - 4, 4);
        memcpy(out, &first, 4);
        memcpy(out + len - 4, &last, 4);
        return scan_special((uint64_t)first << 32 | last) == 0;
    }
    memcpy(out, p, SCAN_BYTES);
    memcpy(out + len - SCAN_BYTES, p + len - SCAN_BYTES, SCAN_BYTES);
    return (scan_special(load_u64(p)) | scan_special(load_u64(p + len - SCAN_BYTES))) == 0;
}

/* Copies a block; false when it has something to escape. */
static inline bool copy_block(uint8_t *out, const uint8_t *p) {
    scan_block block = scan_block_load(p);
    scan_block_store(out, block);
    return scan_block_special(block) == 0;
}

/* What is less than a block at the end is looked at together with bytes before it. */
size_t json_copy_plain(uint8_t *out, struct slice text) {
    const uint8_t *p = text.data;
    size_t i = 0, len = text.len;
    if (len >= BLOCK_BYTES) {
        while (len - i > BLOCK_BYTES && copy_block(out + i, p + i))
            i += BLOCK_BYTES;
        if (len - i <= BLOCK_BYTES && copy_block(out + len - BLOCK_BYTES, p + len - BLOCK_BYTES))
            return len;
    } else if (len >= 4 && copy_short(out, p, len)) {
        return len;
    }
    for (; i < len && !is_special(p[i]); i++)
        out[i] = p[i];
    return i;
}

void json_escape(struct buffer *out, struct slice text) {
    while (text.len > 0) {
        if (!buffer_reserve(out, text.len))
            return;
        size_t plain = json_copy_plain(out->data + out->len, text);
        out->len += plain;
        text = slice_skip(text, plain);
        if (text.len > 0) {
            put_escape(out, text.data[0]);
            text = slice_skip(text, 1);
        }
    }
}

void json_name(struct json_writer *writer, struct slice name) {
    json_string(writer, name);
    buffer_append_byte(writer->out, ':');
    writer->comma = false;
}

void json_name_as_is(struct json_writer *writer, struct slice name) {
    put_comma(writer);
    buffer_append_slice(writer->out, name);
    writer->comma = false;
}

void json_string(struct json_writer *writer, struct slice text) {
    put_comma(writer);
    buffer_append_byte(writer->out, '"');
    json_escape(writer->out, text);
    buffer_append_byte(writer->out, '"');
}

void json_base64(struct json_writer *writer, struct slice bytes) {
    put_comma(writer);
    size_t len = base64_encoded_len(bytes.len);
    if (!buffer_reserve(writer->out, len + 2))
        return;
    uint8_t *out = writer->out->data + writer->out->len;
    out[0] = '"';
    base64_encode(bytes, out + 1);
    out[len + 1] = '"';
    writer->out->len += len + 2;
}

/* ---- numbers and words ---- */

void json_integer(struct json_writer *writer, int64_t n) {
    put_comma(writer);
    uint8_t digits[20];
    size_t at = sizeof(digits);
    uint64_t magnitude = n < 0 ? -(uint64_t)n : (uint64_t)n;
    do {
        digits[--at] = (uint8_t)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (n < 0)
        digits[--at] = '-';
    buffer_append(writer->out, digits + at, sizeof(digits) - at);
}

/* The shortest text that reads back as the same double. */
static void put_double(struct buffer *out, double n) {
    char text[32];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(text, sizeof(text), "%.*g", precision, n);
        if (strtod(text, NULL) == n)
            break;
    }
    buffer_append_text(out, text);
    if (strpbrk(text, ".e") == NULL)
        buffer_append_text(out, ".0");
}

void json_double(struct json_writer *writer, double n) {
    CHECK(__builtin_isfinite(n));
    /* Capacity units are halves, and those are nearly all the doubles there are. */
    if (n >= 0 && n < 1e9 && n * 2 == (double)(int64_t)(n * 2)) {
        json_integer(writer, (int64_t)n);
        buffer_append_text(writer->out, (int64_t)(n * 2) % 2 == 0 ? ".0" : ".5");
        return;
    }
    put_comma(writer);
    put_double(writer->out, n);
}

void json_timestamp(struct json_writer *writer, int64_t ms) {
    put_comma(writer);
    uint64_t magnitude = ms < 0 ? -(uint64_t)ms : (uint64_t)ms;
    buffer_printf(writer->out, "%s%" PRIu64 ".%03u", ms < 0 ? "-" : "", magnitude / 1000,
                  (unsigned)(magnitude % 1000));
}

void json_bool(struct json_writer *writer, bool truth) {
    put_comma(writer);
    buffer_append_text(writer->out, truth ? "true" : "false");
}

void json_null(struct json_writer *writer) {
    put_comma(writer);
    buffer_append_text(writer->out, "null");
}
