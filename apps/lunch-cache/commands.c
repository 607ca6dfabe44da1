/* view.c - shows a week's menu, and the history of a restaurant. */
#include "view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "menu.h"

/* ---- show ---- */

/* A whole number within limits, as it is written in keys and calendars. */
static bool parse_number(const char *text, int64_t low, int64_t high, int64_t *ret_number) {
    char *end;
    *ret_number = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && *end == '\0' && *ret_number >= low &&
           *ret_number <= high;
}

/* Takes YEAR and WEEK, or the week that it is now (UTC). Says what is wrong. */
static bool take_week(const struct app *app, struct menu_id *id) {
    const char *year = app_operand(app, 1), *week = app_operand(app, 2);
    char now_year[8], now_week[8];
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(now_year, sizeof(now_year), "%G", &tm); /* an ISO week belongs to an ISO year */
    strftime(now_week, sizeof(now_week), "%V", &tm);
    if (year != NULL && week == NULL) {
        app_bad_usage(app, "WEEK is missing");
        return false;
    }
    if (!parse_number(year == NULL ? now_year : year, MENU_YEAR_MIN, MENU_YEAR_MAX, &id->year)) {
        app_bad_usage(app, "YEAR is a number from %d to %d, not '%s'", MENU_YEAR_MIN, MENU_YEAR_MAX,
                      year);
        return false;
    }
    if (!parse_number(week == NULL ? now_week : week, 1, MENU_WEEK_MAX, &id->week)) {
        app_bad_usage(app, "WEEK is a number from 1 to %d, not '%s'", MENU_WEEK_MAX, week);
        return false;
    }
    return true;
}

static void print_menu(const struct ddb_item *menu) {
    char expiry[TTL_TEXT_SIZE];
    const struct ddb_list *lunches = ddb_item_list(menu, "lunches");
    ttl_describe(menu, expiry);
    printf("%s: ", ddb_item_string(menu, "pk", "?"));
    menu_print_summary(menu);
    printf(", cached %s, %s\n", ddb_item_string(menu, "cachedAt", "?"), expiry);
    for (size_t i = 0; i < ddb_list_count(lunches); i++) {
        const struct ddb_item *lunch = ddb_value_map(ddb_list_at(lunches, i));
        const char *description = ddb_item_string(lunch, "description", "");
        printf("%s: %s, %s kr%s%s\n", ddb_item_string(lunch, "weekday", "?"),
               ddb_item_string(lunch, "name", "?"), ddb_item_number(lunch, "price", "?"),
               *description == '\0' ? "" : ". ", description);
    }
    menu_print_errors(menu);
}

enum app_status view_show(struct app *app) {
    struct menu_id id = {.restaurant = app_operand(app, 0)};
    char table[MENU_TABLE_SIZE], pk[MENU_PK_SIZE];
    struct ddb_item *menu = NULL;
    if (!menu_table(app, table) || !menu_check_restaurant(app, id.restaurant) ||
        !take_week(app, &id))
        return APP_USAGE;
    menu_pk(&id, pk);
    struct ddb_item *key = menu_key(pk);
    bool ok = ddb_get_item(
        app_client(app), &(struct ddb_get){.table = table, .key = key, .consistent = true}, &menu);
    ddb_item_free(key);
    if (!ok)
        return app_db_fail(app, "cannot read %s", pk);
    enum app_status status = APP_OK;
    /* DynamoDB deletes what has expired some time later; until then it is to be overlooked. */
    if (menu == NULL || ttl_has_passed(menu))
        status = app_fail(app, "there is no menu %s%s", pk, menu == NULL ? "" : ": it has expired");
    else
        print_menu(menu);
    ddb_item_free(menu);
    return status;
}

/* ---- history ---- */

const struct app_option view_history_options[] = {
    {"limit", "COUNT", "at most so many; all when not given", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

static void print_line(const struct ddb_item *menu) {
    char expiry[TTL_TEXT_SIZE];
    ttl_describe(menu, expiry);
    printf("%s %s: ", ddb_item_string(menu, "cachedAt", "?"), ddb_item_string(menu, "pk", "?"));
    menu_print_summary(menu);
    printf(", %s\n", expiry);
}

enum app_status view_history(struct app *app) {
    const char *restaurant = app_operand(app, 0);
    char table[MENU_TABLE_SIZE];
    int64_t limit = 0;
    if (!menu_table(app, table) || !menu_check_restaurant(app, restaurant) ||
        !app_number(app, "limit", 1, 1000000, &limit))
        return APP_USAGE;
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":restaurant", restaurant);
    struct ddb_cursor *menus =
        ddb_query(app_client(app), &(struct ddb_query){.table = table,
                                                       .index = MENU_INDEX,
                                                       .key_condition = "restaurant = :restaurant",
                                                       .values = values,
                                                       .limit = limit,
                                                       .descending = true});
    ddb_item_free(values);
    for (const struct ddb_item *menu; (menu = ddb_cursor_next(menus)) != NULL;)
        print_line(menu);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the menus of %s", restaurant);
    ddb_cursor_free(menus);
    return status;
}
