/* timestamp.c - reads and writes times. */
#include "common/timestamp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t timestamp_now_ms(void) {
    return clock_ms(CLOCK_REALTIME);
}

int64_t timestamp_elapsed_ms(void) {
    return clock_ms(CLOCK_MONOTONIC);
}

static struct tm parts(int64_t time_ms) {
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm tm = {0};
    gmtime_r(&seconds, &tm);
    return tm;
}

void timestamp_format_ms(int64_t time_ms, char ret_text[TIMESTAMP_SIZE]) {
    struct tm tm = parts(time_ms);
    size_t size = strftime(ret_text, TIMESTAMP_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(ret_text + size, TIMESTAMP_SIZE - size, ".%03dZ", (int)(time_ms % 1000));
}

void timestamp_format_s(int64_t time_ms, char ret_text[TIMESTAMP_SIZE]) {
    struct tm tm = parts(time_ms);
    strftime(ret_text, TIMESTAMP_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void timestamp_format_day(int64_t time_ms, char ret_text[TIMESTAMP_SIZE]) {
    struct tm tm = parts(time_ms);
    strftime(ret_text, TIMESTAMP_SIZE, "%Y-%m-%d", &tm);
}

/* The text must be digits where the pattern has '0', and the pattern's own character elsewhere. */
static bool looks_like(const char *text, const char *pattern) {
    for (; *pattern != '\0'; text++, pattern++)
        if (*pattern == '0' ? *text < '0' || *text > '9' : *text != *pattern)
            return false;
    return *text == '\0';
}

static bool read_parts(const char *text, int64_t *ret_time_ms) {
    struct tm tm = {0};
    int ms = 0;
    sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
           &tm.tm_min, &tm.tm_sec, &ms);
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    struct tm wanted = tm;
    int64_t seconds = (int64_t)timegm(&tm);
    /* timegm() makes the 31st of February a day in March; such a day does not come back. */
    if (tm.tm_year != wanted.tm_year || tm.tm_mon != wanted.tm_mon ||
        tm.tm_mday != wanted.tm_mday || tm.tm_hour != wanted.tm_hour ||
        tm.tm_min != wanted.tm_min || tm.tm_sec != wanted.tm_sec || seconds < 0)
        return false;
    *ret_time_ms = seconds * 1000 + ms;
    return true;
}

bool timestamp_parse(const char *text, int64_t *ret_time_ms) {
    return (looks_like(text, "0000-00-00T00:00:00.000Z") ||
            looks_like(text, "0000-00-00T00:00:00Z") || looks_like(text, "0000-00-00")) &&
           read_parts(text, ret_time_ms);
}

bool timestamp_parse_day(const char *text, int64_t *ret_time_ms) {
    return looks_like(text, "0000-00-00") && read_parts(text, ret_time_ms);
}
