/* date.c - dates are checked digit by digit: a date that is not one must not reach a comparison. */
#include "base/date.h"

#include "base/block.h"

enum { BASIC_BYTES = 16, HTTP_BYTES = 29 };

/* -1 when they are not all digits. */
static int digits(struct slice text, size_t at, size_t count) {
    int n = 0;
    for (size_t i = at; i < at + count; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return -1;
        n = n * 10 + (text.data[i] - '0');
    }
    return n;
}

static bool in_range(int n, int low, int high) {
    return n >= low && n <= high;
}

static bool is_time(int hour, int minute, int second) {
    return in_range(hour, 0, 23) && in_range(minute, 0, 59) && in_range(second, 0, 60);
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static inline bool is_day(int year, int month, int day) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 0 || !in_range(month, 1, 12))
        return false;
    return in_range(day, 1, lengths[month - 1] + (month == 2 && is_leap(year)));
}

/* Of eight digits, the numbers that they are in pairs: one in every other byte. False when they are
 * not all digits. */
static bool read_pairs(uint64_t text, uint64_t *ret_pairs) {
    uint64_t values = text ^ EVERY_BYTE('0'); /* 0 to 9 for a digit, more for the others */
    *ret_pairs = values * 10 + (values >> 8);
    return ((values | (values + EVERY_BYTE(0x80 - 10))) & EVERY_BYTE(0x80)) == 0;
}

static int pair(uint64_t pairs, unsigned index) {
    return (int)(pairs >> 16 * index & 0xff);
}

/* The time's digits stand between T and Z; zeros make eight of the six. */
static inline bool is_basic(struct slice text) {
    if (text.len != BASIC_BYTES)
        return false;
    uint64_t day = load_u64(text.data), time = load_u64(text.data + 8);
    if ((time & 0xff) != 'T' || time >> 56 != 'Z' || !read_pairs(day, &day) ||
        !read_pairs(time << 8 >> 16 | (uint64_t)0x3030 << 48, &time))
        return false;
    return is_day(pair(day, 0) * 100 + pair(day, 1), pair(day, 2), pair(day, 3)) &&
           is_time(pair(time, 0), pair(time, 1), pair(time, 2));
}

static int month_of(struct slice text, size_t at) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int month = 0; month < 12; month++)
        if (memcmp(text.data + at, names + 3 * month, 3) == 0)
            return month + 1;
    return 0;
}

/* Positions: "Sun, 09 Jun 2013 09:52:04 GMT". */
static struct slice from_http_date(struct arena *arena, struct slice text) {
    if (text.len != HTTP_BYTES || memcmp(text.data + 3, ", ", 2) != 0 || text.data[7] != ' ' ||
        text.data[11] != ' ' || text.data[16] != ' ' || text.data[19] != ':' ||
        text.data[22] != ':' || memcmp(text.data + 25, " GMT", 4) != 0)
        return SLICE_NONE;
    int year = digits(text, 12, 4), month = month_of(text, 8), day = digits(text, 5, 2);
    int hour = digits(text, 17, 2), minute = digits(text, 20, 2), second = digits(text, 23, 2);
    if (!is_day(year, month, day) || !is_time(hour, minute, second))
        return SLICE_NONE;
    return arena_printf(arena, "%04d%02d%02dT%02d%02d%02dZ", year, month, day, hour, minute,
                        second);
}

struct slice date_parse(struct arena *arena, struct slice text) {
    return is_basic(text) ? text : from_http_date(arena, text);
}

/* Days are counted in years that begin in March, so that the leap day is the last of one. */
static int64_t days_since_1970(int year, int month, int day) {
    enum { DAYS_TO_1970 = 719468 }; /* from the first of March of the year 0 */
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - DAYS_TO_1970;
}

int64_t date_seconds(struct slice basic) {
    int64_t days = days_since_1970(digits(basic, 0, 4), digits(basic, 4, 2), digits(basic, 6, 2));
    return days * 86400 + digits(basic, 9, 2) * 3600 + digits(basic, 11, 2) * 60 +
           digits(basic, 13, 2);
}

static bool read_seconds(struct slice text, int64_t *ret_seconds) {
    enum { DIGITS_MAX = 18 };
    int64_t seconds = 0;
    if (text.len == 0 || text.len > DIGITS_MAX)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        seconds = seconds * 10 + (text.data[i] - '0');
    }
    *ret_seconds = seconds;
    return true;
}

bool date_read(struct slice text, int64_t *ret_seconds) {
    enum { DAY_BYTES = 10, EXTENDED_BYTES = 20 };
    if (read_seconds(text, ret_seconds))
        return true;
    if ((text.len != DAY_BYTES && text.len != EXTENDED_BYTES) || text.data[4] != '-' ||
        text.data[7] != '-')
        return false;
    if (text.len == EXTENDED_BYTES &&
        (text.data[10] != 'T' || text.data[13] != ':' || text.data[16] != ':'))
        return false;
    uint8_t basic[BASIC_BYTES];
    memcpy(basic, text.data, 4);
    memcpy(basic + 4, text.data + 5, 2);
    memcpy(basic + 6, text.data + 8, 2);
    memcpy(basic + 8, "T000000Z", 8);
    if (text.len == EXTENDED_BYTES) {
        memcpy(basic + 9, text.data + 11, 2);
        memcpy(basic + 11, text.data + 14, 2);
        memcpy(basic + 13, text.data + 17, 2);
        basic[15] = text.data[19];
    }
    if (!is_basic(slice_of(basic, BASIC_BYTES)))
        return false;
    *ret_seconds = date_seconds(slice_of(basic, BASIC_BYTES));
    return true;
}
