/* timestamp.h - times as the tables hold them: UTC, ISO 8601, so that text sorts as time does. */
#ifndef APPS_COMMON_TIMESTAMP_H
#define APPS_COMMON_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMESTAMP_SIZE = 32, DAY_MS = 24 * 60 * 60 * 1000 };

#define TIMESTAMP_MAX_S INT64_C(253402300799) /* the end of the year 9999 */

/* Milliseconds since 1970. */
int64_t timestamp_now_ms(void);
/* Milliseconds of a clock that nobody sets: for durations. */
int64_t timestamp_elapsed_ms(void);

/* "2024-01-01T10:00:00.123Z", "2024-01-01T10:00:00Z", "2024-01-01" */
void timestamp_format_ms(int64_t time_ms, char ret_text[TIMESTAMP_SIZE]);
void timestamp_format_s(int64_t time_ms, char ret_text[TIMESTAMP_SIZE]);
void timestamp_format_day(int64_t time_ms, char ret_text[TIMESTAMP_SIZE]);

/* Any of the three; a day is its first millisecond. Years 1970 to 9999, and days that exist. */
bool timestamp_parse(const char *text, int64_t *ret_time_ms);
/* The third only. */
bool timestamp_parse_day(const char *text, int64_t *ret_time_ms);

#endif
