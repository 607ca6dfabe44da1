/* menu.c - names, keys and items of menus. */
#include "menu.h"

#include <stdio.h>
#include <string.h>

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
