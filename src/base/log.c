/* log.c - one write per line, so that lines of different threads do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/timestamp.h"

enum { LINE_MAX_BYTES = 2048 };

static void log_line(const char *level, const char *format, va_list args) {
    char line[LINE_MAX_BYTES];
    size_t len = TIMESTAMP_CHARS;
    timestamp_print(clock_now_ms(&system_clock), line);
    len += (size_t)snprintf(line + len, sizeof(line) - len, "Z %s ", level);
    int text = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
    if (text > 0)
        len += (size_t)text < sizeof(line) - len - 1 ? (size_t)text : sizeof(line) - len - 2;
    line[len++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, len);
    (void)written; /* nowhere to say so */
}

void log_info(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line("info", format, args);
    va_end(args);
}

void log_warning(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line("warning", format, args);
    va_end(args);
}

void log_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_line("error", format, args);
    va_end(args);
}

void log_repeated_error(const char *format, ...) {
    static atomic_llong next_second;
    static atomic_ullong suppressed;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long allowed = atomic_load(&next_second);
    if (now.tv_sec < allowed ||
        !atomic_compare_exchange_strong(&next_second, &allowed, (long long)now.tv_sec + 1)) {
        atomic_fetch_add(&suppressed, 1);
        return;
    }
    unsigned long long left_out = atomic_exchange(&suppressed, 0);
    if (left_out > 0)
        log_error("%llu more errors like the next one were left out", left_out);
    va_list args;
    va_start(args, format);
    log_line("error", format, args);
    va_end(args);
}
