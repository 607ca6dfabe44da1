/* date.c - IMF-fixdate of RFC 9110, without the locale that strftime would ask. */
#include "http/date.h"

#include <stdio.h>
#include <time.h>

static void date_write(struct http_date *date) {
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t second = (time_t)date->second;
    struct tm tm;
    gmtime_r(&second, &tm);
    char text[64];
    snprintf(text, sizeof(text), "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * tm.tm_wday,
             tm.tm_mday, months + 3 * tm.tm_mon, tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
             tm.tm_sec);
    memcpy(date->text, text, HTTP_DATE_BYTES);
}

struct slice http_date_at(struct http_date *date, int64_t now_ms) {
    uint64_t since_ms = (uint64_t)(now_ms - date->second * 1000);
    if (since_ms >= 1000 || date->text[0] == '\0') {
        date->second = now_ms / 1000;
        date_write(date);
    }
    return slice_of(date->text, HTTP_DATE_BYTES);
}
