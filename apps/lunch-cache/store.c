/* store.c - PutItem, BatchWriteItem, GetItem, DeleteItem and Query for menus. */
#include "store.h"

#include <stdlib.h>

#include "descriptions.h"

static bool put_one(struct app *app, const char *table, const struct ddb_item *menu) {
    if (ddb_put_item(app_client(app), &(struct ddb_write){.table = table, .item = menu}, NULL))
        return true;
    app_db_fail(app, "cannot store %s", ddb_item_string(menu, "pk", "?"));
    return false;
}

static bool put_many(struct app *app, const char *table, struct ddb_item *const *menus,
                     size_t count) {
    struct ddb_write *writes = calloc(count, sizeof(*writes));
    size_t done = 0;
    if (writes == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        writes[i] = (struct ddb_write){.table = table, .action = DDB_PUT, .item = menus[i]};
    bool ok = ddb_batch_write_items(app_client(app), writes, count, &done);
    if (!ok)
        app_db_fail(app, "cannot store %zu menus; %zu are stored", count, done);
    free(writes);
    return ok;
}

bool store_put(struct app *app, const char *table, struct ddb_item *const *menus, size_t count) {
    for (size_t i = 0; i < count; i++)
        descriptions_pack(menus[i]);
    return count == 1 ? put_one(app, table, menus[0]) : put_many(app, table, menus, count);
}

bool store_read(struct app *app, const char *table, const char *pk, bool fresh,
                struct ddb_item **ret_menu) {
    struct ddb_item *key = menu_key(pk), *menu = NULL;
    bool ok = ddb_get_item(
        app_client(app), &(struct ddb_get){.table = table, .key = key, .consistent = fresh}, &menu);
    ddb_item_free(key);
    if (!ok) {
        app_db_fail(app, "cannot read %s", pk);
        return false;
    }
    if (menu != NULL && ttl_has_passed(menu)) {
        ddb_item_free(menu);
        menu = NULL;
    }
    if (menu != NULL)
        descriptions_unpack(menu);
    *ret_menu = menu;
    return true;
}

bool store_delete(struct app *app, const char *table, const char *pk, bool *ret_was_there) {
    struct ddb_item *key = menu_key(pk), *old = NULL;
    bool ok = ddb_delete_item(
        app_client(app),
        &(struct ddb_write){.table = table, .key = key, .return_values = DDB_RETURN_ALL_OLD}, &old);
    if (!ok)
        app_db_fail(app, "cannot delete %s", pk);
    *ret_was_there = old != NULL && !ttl_has_passed(old);
    ddb_item_free(key);
    ddb_item_free(old);
    return ok;
}

struct ddb_cursor *store_history(struct app *app, const struct store_history *history) {
    static const char *const names[] = {"#year", "year", "#ttl", "ttl", NULL}; /* reserved words */
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":restaurant", history->restaurant);
    struct ddb_cursor *menus =
        ddb_query(app_client(app),
                  &(struct ddb_query){
                      .table = history->table,
                      .index = MENU_INDEX,
                      .key_condition = "restaurant = :restaurant",
                      .filter = history->errors_only ? "attribute_exists(validationErrors)" : NULL,
                      .projection = "pk, restaurant, #year, week, lunchCount, cachedAt, #ttl, "
                                    "metadata, validationErrors, dataQuality, lastUpdated",
                      .names = names,
                      .values = values,
                      .limit = history->limit,
                      .descending = true});
    ddb_item_free(values);
    return menus;
}
