/* log.h - lines for the operator, on standard error: time, level, text. Safe from any thread.
 *
 * As text, "2026-11-16T08:30:00.123Z warning words", or as a JSON object a line, with the members
 * time, level, message and those of its fields. What is below the level costs a comparison. */
#ifndef GRAMME_BASE_LOG_H
#define GRAMME_BASE_LOG_H

#include "base/slice.h"

enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };
enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

/* Before there is a second thread. Without it: everything, as text. */
void log_configure(enum log_level least, enum log_format format);

void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For what may go wrong with every request, e.g. on a full disk: at most one line a second, the
 * rest is counted and told with the next one. */
void log_repeated_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same about one request, whose id the line has. */
void log_request_error(struct slice request_id, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A part of a line that programs look for by its name. */
struct log_field {
    const char *name;
    struct slice text; /* absent: it is a number */
    double number;
};

/* "message name=value name=value". */
void log_fields(enum log_level level, const char *message, const struct log_field *fields,
                size_t count);

/* At most `lines_max` in a second: how many were left out before a line that may be written. */
struct log_gate {
    _Atomic long long second;
    _Atomic unsigned long long written; /* in that second */
    _Atomic unsigned long long left_out;
};
bool log_gate_pass(struct log_gate *gate, unsigned lines_max, unsigned long long *ret_left_out);

#endif
