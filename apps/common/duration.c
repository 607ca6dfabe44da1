/* duration.c - durations like 24h, and the `ttl` of items. */
#include "common/duration.h"

#include <stdio.h>

static bool duration_parse(const char *text, int64_t *ret_seconds) {
    int64_t number = 0, unit_s;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (*text - '0');
        if (number > DURATION_MAX_S)
            return false;
    }
    switch (*text) {
    case 's':
        unit_s = 1;
        break;
    case 'm':
        unit_s = 60;
        break;
    case 'h':
        unit_s = 60 * 60;
        break;
    case 'd':
        unit_s = 24 * 60 * 60;
        break;
    default:
        return false;
    }
    if (text[1] != '\0' || number == 0 || number * unit_s > DURATION_MAX_S)
        return false;
    *ret_seconds = number * unit_s;
    return true;
}

bool duration_option(const struct app *app, const char *name, int64_t *ret_seconds) {
    const char *text = app_option(app, name, NULL);
    if (text == NULL || duration_parse(text, ret_seconds))
        return true;
    app_bad_usage(app, "--%s takes a duration like 45s, 30m, 24h or 14d, at most 366d, not '%s'",
                  name, text);
    return false;
}

int64_t ttl_now(void) {
    return timestamp_now_ms() / 1000;
}

void ttl_set(struct ddb_item *item, int64_t lifetime_s) {
    ddb_item_set_int(item, "ttl", ttl_now() + lifetime_s);
}

bool ttl_has_passed(const struct ddb_item *item) {
    return ddb_item_int(item, "ttl", INT64_MAX) <= ttl_now();
}

void seconds_describe(const struct ddb_item *item, const char *name,
                      char ret_text[TIMESTAMP_SIZE]) {
    int64_t time_s = ddb_item_int(item, name, -1);
    if (time_s >= 0 && time_s <= TIMESTAMP_MAX_S)
        timestamp_format_s(time_s * 1000, ret_text);
    else
        snprintf(ret_text, TIMESTAMP_SIZE, "?");
}

void ttl_describe(const struct ddb_item *item, char ret_text[TTL_TEXT_SIZE]) {
    char time[TIMESTAMP_SIZE];
    seconds_describe(item, "ttl", time);
    if (*time == '?')
        snprintf(ret_text, TTL_TEXT_SIZE, "never expires");
    else
        snprintf(ret_text, TTL_TEXT_SIZE, "%s %s", ttl_has_passed(item) ? "expired" : "expires",
                 time);
}
