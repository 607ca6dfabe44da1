/* log.c - one write per line, so that lines of different threads do not mix. A line that is too
 * long is cut, but stays a line, and JSON. What is told may be of anybody's making: it cannot end a
 * line or move a cursor. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/printable.h"
#include "base/timestamp.h"

enum { LINE_MAX_BYTES = 2048, LINE_END_BYTES = 4 };

static enum log_level least_level;
static enum log_format line_format;

static const char *const level_words[] = {"info", "warning", "error"};

void log_configure(enum log_level least, enum log_format format) {
    least_level = least;
    line_format = format;
}

/* ---- a line ---- */

struct line {
    char bytes[LINE_MAX_BYTES];
    size_t len;
};

static void put(struct line *line, const char *bytes, size_t len) {
    size_t room = sizeof(line->bytes) - LINE_END_BYTES - line->len;
    if (len > room)
        len = room;
    memcpy(line->bytes + line->len, bytes, len);
    line->len += len;
}

static void put_text(struct line *line, const char *text) {
    put(line, text, strlen(text));
}

/* What an escape needs is there or the byte is left out, so that the text stays sound. */
static void put_json_text(struct line *line, struct slice text) {
    put_text(line, "\"");
    for (size_t i = 0; i < text.len; i++) {
        char escaped[8] = {(char)text.data[i], '\0'};
        if (text.data[i] < 0x20)
            snprintf(escaped, sizeof(escaped), "\\u%04x", text.data[i]);
        else if (text.data[i] == '"' || text.data[i] == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", text.data[i]);
        if (line->len + strlen(escaped) + LINE_END_BYTES + 1 > sizeof(line->bytes))
            break;
        put_text(line, escaped);
    }
    put_text(line, "\"");
}

static void put_value(struct line *line, const struct log_field *field, bool json) {
    char number[32];
    if (!slice_present(field->text)) {
        snprintf(number, sizeof(number), "%.12g", field->number);
        put_text(line, number);
    } else if (json) {
        put_json_text(line, field->text);
    } else {
        put(line, (const char *)field->text.data, field->text.len);
    }
}

/* A field that does not fit is left out whole: half a number would be another one. */
static void put_field(struct line *line, const struct log_field *field, bool json) {
    struct line with = *line;
    put_text(&with, json ? ",\"" : " ");
    put_text(&with, field->name);
    put_text(&with, json ? "\":" : "=");
    put_value(&with, field, json);
    if (with.len + 1 < sizeof(with.bytes) - LINE_END_BYTES)
        *line = with;
}

static void begin_line(struct line *line, enum log_level level, struct slice message) {
    char time[TIMESTAMP_CHARS + 1];
    timestamp_print(clock_now_ms(&system_clock), time);
    time[TIMESTAMP_CHARS] = '\0';
    bool json = line_format == LOG_FORMAT_JSON;
    put_text(line, json ? "{\"time\":\"" : "");
    put_text(line, time);
    put_text(line, json ? "Z\",\"level\":\"" : "Z ");
    put_text(line, level_words[level]);
    put_text(line, json ? "\",\"message\":" : " ");
    if (json)
        put_json_text(line, message);
    else
        put(line, (const char *)message.data, message.len);
}

static void write_line(enum log_level level, struct slice message, const struct log_field *fields,
                       size_t count) {
    struct line line = {.len = 0};
    bool json = line_format == LOG_FORMAT_JSON;
    if (level < least_level)
        return;
    begin_line(&line, level, message);
    for (size_t i = 0; i < count; i++)
        put_field(&line, &fields[i], json);
    if (json)
        line.bytes[line.len++] = '}';
    make_printable(line.bytes, line.len, false);
    line.bytes[line.len++] = '\n';
    ssize_t written = write(STDERR_FILENO, line.bytes, line.len);
    (void)written; /* nowhere to say so */
}

static void log_line(enum log_level level, struct slice request_id, const char *format,
                     va_list args) {
    char text[LINE_MAX_BYTES];
    if (level < least_level)
        return;
    int len = vsnprintf(text, sizeof(text), format, args);
    struct log_field id = {.name = "requestId", .text = request_id};
    if (len < 0)
        return;
    size_t used = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    write_line(level, slice_of(text, used), &id, slice_present(request_id) ? 1 : 0);
}

/* ---- what others call ---- */

void log_info(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line(LOG_LEVEL_INFO, SLICE_NONE, format, args);
    va_end(args);
}

void log_warning(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line(LOG_LEVEL_WARNING, SLICE_NONE, format, args);
    va_end(args);
}

void log_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line(LOG_LEVEL_ERROR, SLICE_NONE, format, args);
    va_end(args);
}

void log_fields(enum log_level level, const char *message, const struct log_field *fields,
                size_t count) {
    write_line(level, slice_text(message), fields, count);
}

bool log_gate_pass(struct log_gate *gate, unsigned lines_max, unsigned long long *ret_left_out) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long second = atomic_load(&gate->second);
    if (second != now.tv_sec &&
        atomic_compare_exchange_strong(&gate->second, &second, (long long)now.tv_sec))
        atomic_store(&gate->written, 0);
    if (atomic_fetch_add(&gate->written, 1) >= lines_max) {
        atomic_fetch_add(&gate->left_out, 1);
        return false;
    }
    *ret_left_out = atomic_exchange(&gate->left_out, 0);
    return true;
}

static void log_repeated(struct slice request_id, const char *format, va_list args) {
    static struct log_gate gate;
    unsigned long long left_out;
    if (!log_gate_pass(&gate, 1, &left_out))
        return;
    if (left_out > 0)
        log_error("%llu more errors like the next one were left out", left_out);
    log_line(LOG_LEVEL_ERROR, request_id, format, args);
}

void log_repeated_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_repeated(SLICE_NONE, format, args);
    va_end(args);
}

void log_request_error(struct slice request_id, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_repeated(request_id, format, args);
    va_end(args);
}
