/* log.h - lines for the operator, on standard error: time, level, text. Safe from any thread. */
#ifndef GRAMME_BASE_LOG_H
#define GRAMME_BASE_LOG_H

void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For what may go wrong with every request, e.g. on a full disk: at most one line a second, the
 * rest is counted and told with the next one. */
void log_repeated_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
