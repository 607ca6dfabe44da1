/* menu.h - the menu of a restaurant for one week: its name, its key and its item.
 *
 *   pk                S  niagara-2025-03            the table's key: {restaurant}-{year}-{week}
 *   restaurant        S  niagara                    RestaurantIndex, by restaurant ...
 *   cachedAt          S  2025-01-20T10:30:00.000Z   ... and time: its history
 *   year, week        N  2025, 3
 *   lunches           L  of {name, description, price, weekday, week, place}
 *   descriptions      B  of a large menu: see descriptions.h
 *   lunchCount        N  15
 *   ttl               N  1737889800                 when DynamoDB may delete it
 *   metadata          M  {version: "1.0", source: "niagara-parser"}
 *   validationErrors  L  of {lunch, field, message}, when there are any
 *   dataQuality       M  {completeness: 0.95, accuracy: 0.98}
 *   lastUpdated       S  when the restaurant changed it, when that is known */
#ifndef LUNCH_CACHE_MENU_H
#define LUNCH_CACHE_MENU_H

#include "common/app.h"
#include "common/duration.h"

#define MENU_INDEX "RestaurantIndex"

enum {
    MENU_LIFETIME_S = 14 * 24 * 60 * 60,
    MENU_YEAR_MIN = 2000,
    MENU_YEAR_MAX = 9999,
    MENU_WEEK_MAX = 53,
    MENU_RESTAURANT_MAX = 64,
    MENU_PK_SIZE = 80,
    MENU_TABLE_SIZE = 80,
};

struct menu_id {
    const char *restaurant;
    int64_t year;
    int64_t week;
};

/* Which table: every command has this option. */
#define MENU_ENVIRONMENT_OPTION \
    { "environment", "NAME", "of the table lunch-cache-NAME; dev when not given", false }
extern const struct app_option menu_environment_option[];
/* lunch-cache-dev. False, with a message, when --environment is wrong. */
bool menu_table(const struct app *app, char ret_table[MENU_TABLE_SIZE]);

/* a to z, 0 to 9 and '-': a restaurant's name as it is in a key. */
bool menu_restaurant_is_good(const char *restaurant);
bool menu_check_restaurant(const struct app *app, const char *restaurant);

/* 53 where the ISO year has a 53rd week, else 52. */
int menu_weeks_of(int64_t year);
/* YEAR and WEEK as texts; both NULL: the week that it is now (UTC). Says what is wrong. */
bool menu_take_week(const struct app *app, const char *year, const char *week, struct menu_id *id);

/* How long the week that it is now will last, in seconds. */
int64_t menu_week_left_s(void);

/* niagara-2025-03 */
void menu_pk(const struct menu_id *id, char ret_pk[MENU_PK_SIZE]);
struct ddb_item *menu_key(const char *pk);
/* The key, `restaurant`, `year`, `week`, `cachedAt` of now, `ttl` and `metadata`; yours to free. */
struct ddb_item *menu_new(const struct menu_id *id, const char *source, int64_t lifetime_s);

/* "3 lunches, 1 error, completeness 0.95, accuracy 0.98" */
void menu_print_summary(const struct ddb_item *menu);
/* A line for each: "lunch 4: price is not a number above zero" */
void menu_print_errors(const struct ddb_item *menu);

#endif
