/* upkeep.c - cleaning up, grading, and a check of the table's health. */
#include "upkeep.h"

#include <stdio.h>

#include "common/random.h"
#include "menu.h"
#include "validate.h"

static const char *const ttl_name[] = {"#ttl", "ttl", NULL}; /* a reserved word */

/* ---- cleanup ---- */

/* Deletes a menu, unless somebody has stored it anew in the meantime. */
static bool delete_expired(struct ddb_client *db, const char *table, const struct ddb_item *key,
                           const struct ddb_item *now, int *deleted) {
    bool ok = ddb_delete_item(db,
                              &(struct ddb_write){.table = table,
                                                  .key = key,
                                                  .condition = "#ttl <= :now",
                                                  .names = ttl_name,
                                                  .values = now},
                              NULL);
    *deleted += ok;
    return ok || ddb_client_failed_with(db, "ConditionalCheckFailedException");
}

bool upkeep_cleanup(struct app *app, const char *table, int *ret_deleted) {
    struct ddb_client *db = app_client(app);
    struct ddb_item *now = ddb_item_new();
    ddb_item_set_int(now, ":now", ttl_now());
    struct ddb_cursor *expired = ddb_scan(db, &(struct ddb_query){.table = table,
                                                                  .filter = "#ttl <= :now",
                                                                  .projection = "pk",
                                                                  .names = ttl_name,
                                                                  .values = now});
    *ret_deleted = 0;
    bool ok = expired != NULL;
    for (const struct ddb_item *key; ok && (key = ddb_cursor_next(expired)) != NULL;)
        ok = delete_expired(db, table, key, now, ret_deleted);
    ok = ok && ddb_client_error(db) == NULL;
    if (!ok)
        app_db_fail(app, "cannot clean up; %d deleted so far", *ret_deleted);
    ddb_cursor_free(expired);
    ddb_item_free(now);
    return ok;
}

/* ---- grading ---- */

static struct ddb_item *graded(const struct ddb_item *menu) {
    static const char *const names[] = {"dataQuality", "validationErrors"};
    const struct ddb_list *lunches = ddb_item_list(menu, "lunches");
    struct ddb_item *grades = ddb_item_new(), *copy = ddb_item_copy(menu);
    validate_lunches(lunches, ddb_item_int(menu, "week", 0), grades);
    for (int i = 0; i < 2; i++)
        ddb_item_set_value(copy, names[i], ddb_item_value(grades, names[i]));
    ddb_item_set_int(copy, "lunchCount", (int64_t)ddb_list_count(lunches));
    ddb_item_free(grades);
    return copy;
}

/* Unless somebody has changed the menu, or graded it, in the meantime. */
static bool grade_menu(struct ddb_client *db, const char *table, const struct ddb_item *menu,
                       int *count) {
    struct ddb_item *item = graded(menu), *values = ddb_item_new();
    ddb_item_set_value(values, ":lunches", ddb_item_value(menu, "lunches"));
    bool ok = ddb_put_item(
        db,
        &(struct ddb_write){.table = table,
                            .item = item,
                            .condition = "lunches = :lunches AND attribute_not_exists(dataQuality)",
                            .values = values},
        NULL);
    ddb_item_free(item);
    ddb_item_free(values);
    *count += ok;
    return ok || ddb_client_failed_with(db, "ConditionalCheckFailedException");
}

bool upkeep_grade(struct app *app, const char *table, int *ret_graded) {
    struct ddb_client *db = app_client(app);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":list", "L");
    struct ddb_cursor *menus = ddb_scan(
        db,
        &(struct ddb_query){.table = table,
                            .filter = "attribute_exists(restaurant) AND attribute_type(lunches, "
                                      ":list) AND attribute_not_exists(dataQuality)",
                            .values = values});
    *ret_graded = 0;
    bool ok = menus != NULL;
    for (const struct ddb_item *menu; ok && (menu = ddb_cursor_next(menus)) != NULL;)
        ok = grade_menu(db, table, menu, ret_graded);
    ok = ok && ddb_client_error(db) == NULL;
    if (!ok)
        app_db_fail(app, "cannot grade; %d graded so far", *ret_graded);
    ddb_cursor_free(menus);
    ddb_item_free(values);
    return ok;
}

/* ---- health ---- */

/* An item without `restaurant` is not in the index, and a ttl takes it away if this program dies.
 */
static struct ddb_item *health_item(const char *pk) {
    struct ddb_item *item = menu_key(pk);
    ttl_set(item, 60);
    return item;
}

static bool check_get(struct app *app, const char *table, const struct ddb_item *key) {
    struct ddb_item *found = NULL;
    if (!ddb_get_item(app_client(app),
                      &(struct ddb_get){.table = table, .key = key, .consistent = true}, &found))
        return app_db_fail(app, "not healthy: cannot read") == APP_OK;
    bool there = found != NULL;
    ddb_item_free(found);
    if (!there)
        app_fail(app, "not healthy: what was just written is not there");
    return there;
}

bool upkeep_check(struct app *app, const char *table) {
    char uuid[UUID_TEXT_SIZE], pk[MENU_PK_SIZE];
    uuid_random(uuid);
    snprintf(pk, sizeof(pk), "health-check-%s", uuid);
    struct ddb_client *db = app_client(app);
    struct ddb_item *item = health_item(pk), *key = menu_key(pk);
    bool ok = ddb_put_item(db, &(struct ddb_write){.table = table, .item = item}, NULL);
    if (!ok)
        app_db_fail(app, "not healthy: cannot write");
    ok = ok && check_get(app, table, key);
    if (ok && !ddb_delete_item(db, &(struct ddb_write){.table = table, .key = key}, NULL))
        ok = app_db_fail(app, "not healthy: cannot delete") == APP_OK;
    ddb_item_free(item);
    ddb_item_free(key);
    return ok;
}
