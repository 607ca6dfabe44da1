/* store.c - saves, finds, marks and deletes rates.
 *
 * `Base`, `Timestamp` and `ttl` are reserved words of DynamoDB's expressions, so an expression
 * names them with a placeholder. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "common/duration.h"

enum { TARGETS_MAX = 1000 }; /* many more than there are currencies */

bool store_find(struct app *app, const struct rate *rate, struct ddb_item **ret_item) {
    struct ddb_item *key = rate_key(rate->base, rate->target);
    bool ok = ddb_get_item(app_client(app),
                           &(struct ddb_get){.table = RATE_TABLE, .key = key, .consistent = true},
                           ret_item);
    ddb_item_free(key);
    if (!ok)
        app_db_fail(app, "cannot read %s to %s", rate->base, rate->target);
    return ok;
}

bool store_save(struct app *app, const struct ddb_item *item) {
    bool ok =
        ddb_put_item(app_client(app), &(struct ddb_write){.table = RATE_TABLE, .item = item}, NULL);
    if (!ok)
        app_db_fail(app, "cannot save %s to %s", ddb_item_string(item, "Base", "?"),
                    ddb_item_string(item, "Target", "?"));
    return ok;
}

bool store_save_all(struct app *app, const struct rate *rates, size_t count) {
    struct ddb_write *writes = calloc(count + 1, sizeof(*writes));
    struct ddb_item **items = calloc(count + 1, sizeof(*items));
    size_t done = 0;
    if (writes == NULL || items == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        items[i] = rate_item(&rates[i]);
        writes[i] = (struct ddb_write){.table = RATE_TABLE, .action = DDB_PUT, .item = items[i]};
    }
    bool ok = ddb_batch_write_items(app_client(app), writes, count, &done);
    for (size_t i = 0; i < count; i++)
        ddb_item_free(items[i]);
    free(items);
    free(writes);
    if (!ok)
        app_db_fail(app, "only %zu of %zu rates are saved, run it again", done, count);
    return ok;
}

bool store_delete(struct app *app, const struct rate *rate, bool *ret_was_there) {
    struct ddb_item *key = rate_key(rate->base, rate->target), *old = NULL;
    bool ok = ddb_delete_item(
        app_client(app),
        &(struct ddb_write){.table = RATE_TABLE, .key = key, .return_values = DDB_RETURN_ALL_OLD},
        &old);
    *ret_was_there = old != NULL;
    ddb_item_free(key);
    ddb_item_free(old);
    if (!ok)
        app_db_fail(app, "cannot delete %s to %s", rate->base, rate->target);
    return ok;
}

bool store_mark_stale(struct app *app, const struct rate *rate, struct ddb_item **ret_item) {
    struct ddb_client *db = app_client(app);
    struct ddb_item *key = rate_key(rate->base, rate->target), *values = ddb_item_new();
    *ret_item = NULL;
    ddb_item_set_bool(values, ":true", true);
    /* Without the condition an update would make an item that has nothing but a key and a flag. */
    bool ok = ddb_update_item(db,
                              &(struct ddb_write){.table = RATE_TABLE,
                                                  .key = key,
                                                  .update = "SET Stale = :true",
                                                  .condition = "attribute_exists(PK)",
                                                  .values = values,
                                                  .return_values = DDB_RETURN_ALL_NEW,
                                                  .idempotent = true},
                              ret_item) ||
              ddb_client_failed_with(db, "ConditionalCheckFailedException");
    ddb_item_free(key);
    ddb_item_free(values);
    if (!ok)
        app_db_fail(app, "cannot mark %s to %s", rate->base, rate->target);
    return ok;
}

/* ---- the rates of a base ---- */

static int by_target(const void *a, const void *b) {
    struct ddb_item *const *x = a, *const *y = b;
    return strcmp(ddb_item_string(*x, "Target", ""), ddb_item_string(*y, "Target", ""));
}

/* The index has no sort key, so its items come in no particular order: they are sorted here. */
static void take_sorted(const struct app *app, struct ddb_cursor *rates, bool even_expired,
                        struct store_list *list) {
    for (const struct ddb_item *item;
         list->count < TARGETS_MAX && (item = ddb_cursor_next(rates)) != NULL;)
        if (even_expired || !ttl_has_passed(item))
            list->items[list->count++] = ddb_item_copy(item);
    if (list->count == TARGETS_MAX)
        app_warn(app, "there are more; these are %d of them", TARGETS_MAX);
    qsort(list->items, list->count, sizeof(*list->items), by_target);
}

bool store_by_base(struct app *app, const char *base, bool even_expired,
                   struct store_list *ret_list) {
    static const char *const names[] = {"#base", "Base", NULL};
    struct ddb_item *values = ddb_item_new();
    *ret_list = (struct store_list){calloc(TARGETS_MAX, sizeof(*ret_list->items)), 0};
    if (ret_list->items == NULL)
        abort();
    ddb_item_set_string(values, ":base", base);
    struct ddb_cursor *rates =
        ddb_query(app_client(app), &(struct ddb_query){.table = RATE_TABLE,
                                                       .index = RATE_INDEX,
                                                       .key_condition = "#base = :base",
                                                       .names = names,
                                                       .values = values});
    ddb_item_free(values);
    take_sorted(app, rates, even_expired, ret_list);
    bool ok = ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot read the rates of %s", base);
    ddb_cursor_free(rates);
    return ok;
}

void store_list_free(struct store_list *list) {
    for (size_t i = 0; i < list->count; i++)
        ddb_item_free(list->items[i]);
    free(list->items);
}
