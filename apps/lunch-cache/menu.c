/* menu.c - names, keys and items of menus. */
#include "menu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/timestamp.h"

const struct app_option menu_environment_option[] = {MENU_ENVIRONMENT_OPTION, {0}};

bool menu_table(const struct app *app, char ret_table[MENU_TABLE_SIZE]) {
    const char *environment = app_option(app, "environment", "dev");
    if (!app_check_id(app, "--environment", environment))
        return false;
    snprintf(ret_table, MENU_TABLE_SIZE, "lunch-cache-%s", environment);
    return true;
}

bool menu_restaurant_is_good(const char *restaurant) {
    size_t good = strspn(restaurant, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return good >= 1 && good <= MENU_RESTAURANT_MAX && restaurant[good] == '\0';
}

bool menu_check_restaurant(const struct app *app, const char *restaurant) {
    if (menu_restaurant_is_good(restaurant))
        return true;
    app_bad_usage(app, "RESTAURANT is 1 to %d lower-case letters, digits or '-', not '%s'",
                  MENU_RESTAURANT_MAX, restaurant);
    return false;
}

/* ---- weeks ---- */

/* The weekday of a year's last day, from Sunday on. */
static int last_weekday(int64_t year) {
    return (int)((year + year / 4 - year / 100 + year / 400) % 7);
}

/* The first week is the one that has the year's first Thursday, so a year that begins or ends with
 * a Thursday has one more. */
int menu_weeks_of(int64_t year) {
    return last_weekday(year) == 4 || last_weekday(year - 1) == 3 ? 53 : 52;
}

/* A whole number within limits, as it is written in keys and calendars. */
static bool parse_number(const char *text, int64_t low, int64_t high, int64_t *ret_number) {
    char *end;
    *ret_number = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && *ret_number >= low &&
           *ret_number <= high;
}

bool menu_take_week(const struct app *app, const char *year, const char *week, struct menu_id *id) {
    char now_year[8], now_week[8];
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(now_year, sizeof(now_year), "%G", &tm); /* an ISO week belongs to an ISO year */
    strftime(now_week, sizeof(now_week), "%V", &tm);
    if (year != NULL && week == NULL)
        return app_bad_usage(app, "WEEK is missing") == APP_OK;
    if (!parse_number(year == NULL ? now_year : year, MENU_YEAR_MIN, MENU_YEAR_MAX, &id->year))
        return app_bad_usage(app, "YEAR is a number from %d to %d, not '%s'", MENU_YEAR_MIN,
                             MENU_YEAR_MAX, year) == APP_OK;
    int weeks = menu_weeks_of(id->year);
    if (!parse_number(week == NULL ? now_week : week, 1, weeks, &id->week))
        return app_bad_usage(app, "WEEK of %d is a number from 1 to %d, not '%s'", (int)id->year,
                             weeks, week) == APP_OK;
    return true;
}

int64_t menu_week_left_s(void) {
    const int64_t day = DAY_MS / 1000, week = 7 * day;
    return week - (ttl_now() + 3 * day) % week; /* 1970 began with a Thursday */
}

/* ---- items ---- */

void menu_pk(const struct menu_id *id, char ret_pk[MENU_PK_SIZE]) {
    snprintf(ret_pk, MENU_PK_SIZE, "%s-%04d-%02d", id->restaurant, (int)id->year, (int)id->week);
}

struct ddb_item *menu_key(const char *pk) {
    struct ddb_item *key = ddb_item_new();
    ddb_item_set_string(key, "pk", pk);
    return key;
}

struct ddb_item *menu_new(const struct menu_id *id, const char *source, int64_t lifetime_s) {
    char pk[MENU_PK_SIZE], time[TIMESTAMP_SIZE];
    menu_pk(id, pk);
    timestamp_format_ms(timestamp_now_ms(), time);
    struct ddb_item *menu = menu_key(pk);
    ddb_item_set_string(menu, "restaurant", id->restaurant);
    ddb_item_set_int(menu, "year", id->year);
    ddb_item_set_int(menu, "week", id->week);
    ddb_item_set_string(menu, "cachedAt", time);
    ttl_set(menu, lifetime_s);
    struct ddb_item *metadata = ddb_item_set_map(menu, "metadata");
    ddb_item_set_string(metadata, "version", "1.0");
    ddb_item_set_string(metadata, "source", source);
    return menu;
}

void menu_print_summary(const struct ddb_item *menu) {
    size_t errors = ddb_list_count(ddb_item_list(menu, "validationErrors"));
    const struct ddb_item *quality = ddb_item_map(menu, "dataQuality");
    const char *lunches = ddb_item_number(menu, "lunchCount", "?");
    printf("%s %s, %zu %s, completeness %s, accuracy %s", lunches,
           strcmp(lunches, "1") == 0 ? "lunch" : "lunches", errors,
           errors == 1 ? "error" : "errors", ddb_item_number(quality, "completeness", "?"),
           ddb_item_number(quality, "accuracy", "?"));
}

void menu_print_errors(const struct ddb_item *menu) {
    const struct ddb_list *errors = ddb_item_list(menu, "validationErrors");
    for (size_t i = 0; i < ddb_list_count(errors); i++) {
        const struct ddb_item *error = ddb_value_map(ddb_list_at(errors, i));
        printf("lunch %s: %s %s\n", ddb_item_number(error, "lunch", "?"),
               ddb_item_string(error, "field", "?"), ddb_item_string(error, "message", "?"));
    }
}
