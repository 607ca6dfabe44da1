/* upkeep.c - statistics, cleaning up, and a check of the table's health. */
#include "upkeep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "menu.h"

static const char *const ttl_name[] = {"#ttl", "ttl", NULL}; /* a reserved word */

/* ---- stats ---- */

enum { RESTAURANTS_MAX = 10000 };

struct count {
    char restaurant[MENU_RESTAURANT_MAX + 1];
    int64_t menus;
    int64_t lunches;
    int64_t errors;
    int64_t expired;
};

struct counts {
    struct count *all; /* RESTAURANTS_MAX of them */
    size_t used;
};

/* The count of a restaurant; NULL when there are too many. */
static struct count *find_count(struct counts *counts, const char *restaurant) {
    for (size_t i = 0; i < counts->used; i++)
        if (strcmp(counts->all[i].restaurant, restaurant) == 0)
            return &counts->all[i];
    if (counts->used == RESTAURANTS_MAX)
        return NULL;
    struct count *count = &counts->all[counts->used++];
    snprintf(count->restaurant, sizeof(count->restaurant), "%.*s", MENU_RESTAURANT_MAX, restaurant);
    return count;
}

static void add_menu(struct count *count, const struct ddb_item *menu) {
    count->menus++;
    count->lunches += ddb_item_int(menu, "lunchCount", 0);
    count->errors += (int64_t)ddb_list_count(ddb_item_list(menu, "validationErrors"));
    count->expired += ttl_has_passed(menu);
}

static int by_restaurant(const void *a, const void *b) {
    const struct count *x = a, *y = b;
    return strcmp(x->restaurant, y->restaurant);
}

static void print_count(const struct count *count) {
    printf("%s: menus %" PRId64 ", lunches %" PRId64 ", errors %" PRId64 ", expired %" PRId64 "\n",
           count->restaurant, count->menus, count->lunches, count->errors, count->expired);
}

static enum app_status count_menus(struct app *app, const char *table, struct counts *counts) {
    struct ddb_cursor *menus =
        ddb_scan(app_client(app),
                 &(struct ddb_query){.table = table,
                                     .projection = "restaurant, lunchCount, validationErrors, #ttl",
                                     .names = ttl_name});
    enum app_status status = APP_OK;
    struct count total = {.restaurant = "all"};
    for (const struct ddb_item *menu;
         status == APP_OK && (menu = ddb_cursor_next(menus)) != NULL;) {
        const char *restaurant = ddb_item_string(menu, "restaurant", NULL);
        struct count *count = restaurant == NULL ? NULL : find_count(counts, restaurant);
        if (restaurant == NULL)
            continue; /* of a health check that is going on */
        if (count == NULL) {
            status = app_fail(app, "there are more than %d restaurants", RESTAURANTS_MAX);
            break;
        }
        add_menu(count, menu);
        add_menu(&total, menu);
    }
    if (status == APP_OK && ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the menus");
    ddb_cursor_free(menus);
    if (status != APP_OK)
        return status;
    qsort(counts->all, counts->used, sizeof(*counts->all), by_restaurant);
    for (size_t i = 0; i < counts->used; i++)
        print_count(&counts->all[i]);
    print_count(&total);
    return APP_OK;
}

enum app_status upkeep_stats(struct app *app) {
    char table[MENU_TABLE_SIZE];
    if (!menu_table(app, table))
        return APP_USAGE;
    struct counts counts = {.all = calloc(RESTAURANTS_MAX, sizeof(*counts.all))};
    if (counts.all == NULL)
        abort();
    enum app_status status = count_menus(app, table, &counts);
    free(counts.all);
    return status;
}

/* ---- cleanup ---- */

/* Deletes a menu, unless somebody has stored it anew in the meantime. */
static bool delete_expired(struct ddb_client *db, const char *table, const struct ddb_item *key,
                           const struct ddb_item *now, int *deleted) {
    bool ok = ddb_delete_item(db,
                              &(struct ddb_write){.table = table,
                                                  .key = key,
                                                  .condition = "#ttl < :now",
                                                  .names = ttl_name,
                                                  .values = now},
                              NULL);
    *deleted += ok;
    return ok || ddb_client_failed_with(db, "ConditionalCheckFailedException");
}

enum app_status upkeep_cleanup(struct app *app) {
    char table[MENU_TABLE_SIZE];
    if (!menu_table(app, table))
        return APP_USAGE;
    struct ddb_client *db = app_client(app);
    struct ddb_item *now = ddb_item_new();
    ddb_item_set_int(now, ":now", ttl_now());
    struct ddb_cursor *expired = ddb_scan(db, &(struct ddb_query){.table = table,
                                                                  .filter = "#ttl < :now",
                                                                  .projection = "pk",
                                                                  .names = ttl_name,
                                                                  .values = now});
    int deleted = 0;
    bool ok = expired != NULL;
    for (const struct ddb_item *key; ok && (key = ddb_cursor_next(expired)) != NULL;)
        ok = delete_expired(db, table, key, now, &deleted);
    enum app_status status = APP_OK;
    if (ddb_client_error(db) != NULL)
        status = app_db_fail(app, "cannot clean up; %d deleted so far", deleted);
    else
        printf("expired menus deleted: %d\n", deleted);
    ddb_cursor_free(expired);
    ddb_item_free(now);
    return status;
}

/* ---- health ---- */

/* An item without `restaurant` is not in the index, and a ttl takes it away if this program dies.
 */
static struct ddb_item *health_item(const char *pk) {
    struct ddb_item *item = menu_key(pk);
    ttl_set(item, 60);
    return item;
}

static enum app_status check_get(struct app *app, const char *table, const struct ddb_item *key) {
    struct ddb_item *found = NULL;
    if (!ddb_get_item(app_client(app),
                      &(struct ddb_get){.table = table, .key = key, .consistent = true}, &found))
        return app_db_fail(app, "not healthy: cannot read");
    bool there = found != NULL;
    ddb_item_free(found);
    return there ? APP_OK : app_fail(app, "not healthy: what was just written is not there");
}

enum app_status upkeep_health(struct app *app) {
    char table[MENU_TABLE_SIZE], uuid[UUID_TEXT_SIZE], pk[MENU_PK_SIZE];
    if (!menu_table(app, table))
        return APP_USAGE;
    uuid_random(uuid);
    snprintf(pk, sizeof(pk), "health-check-%s", uuid);
    struct ddb_client *db = app_client(app);
    struct ddb_item *item = health_item(pk), *key = menu_key(pk);
    enum app_status status = APP_OK;
    if (!ddb_put_item(db, &(struct ddb_write){.table = table, .item = item}, NULL))
        status = app_db_fail(app, "not healthy: cannot write");
    else
        status = check_get(app, table, key);
    if (status == APP_OK &&
        !ddb_delete_item(db, &(struct ddb_write){.table = table, .key = key}, NULL))
        status = app_db_fail(app, "not healthy: cannot delete");
    if (status == APP_OK)
        printf("healthy: put, get and delete work\n");
    ddb_item_free(item);
    ddb_item_free(key);
    return status;
}
