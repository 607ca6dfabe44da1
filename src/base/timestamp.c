/* timestamp.c - times as text, without the locale that strftime would ask. */
#include "base/timestamp.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"

enum { SECOND_CHARS = 19 };

void timestamp_print(int64_t ms, char ret_text[TIMESTAMP_CHARS + 1]) {
    ms = ms < 0 ? 0 : ms > CLOCK_MAX_MS ? CLOCK_MAX_MS : ms;
    time_t second = (time_t)(ms / 1000);
    struct tm utc;
    char text[96]; /* as the compiler cannot know how few digits a year has */
    gmtime_r(&second, &utc);
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03d", utc.tm_year + 1900,
             utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, (int)(ms % 1000));
    memcpy(ret_text, text, TIMESTAMP_CHARS);
    ret_text[TIMESTAMP_CHARS] = '\0';
}

struct slice timestamp_of_second(struct arena *arena, int64_t ms) {
    char text[TIMESTAMP_CHARS + 1];
    timestamp_print(ms, text);
    return arena_printf(arena, "%.*sZ", SECOND_CHARS, text);
}
