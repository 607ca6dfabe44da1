/* store.c - saves, finds, marks and deletes rates. One request each, as rate.h lays the table out.
 *
 * `Base`, `Timestamp` and `ttl` are reserved words of DynamoDB's expressions, so an expression
 * names them with a placeholder. */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"

/* Takes BASE, TARGET and, where the command has it, RATE. False, with a message, when one is wrong.
 */
static bool take_operands(const struct app *app, struct rate *ret_rate) {
    static const char *const names[] = {"Base", "Target", "Rate"};
    char problem[RATE_PROBLEM_SIZE];
    struct rate rate = {.number = "1"}; /* where there is no RATE: any */
    bool ok = true;
    for (int at = 0; ok && at < 3 && app_operand(app, at) != NULL; at++)
        ok = rate_set(&rate, names[at], app_operand(app, at), problem);
    ok = ok && rate_check(&rate, problem);
    if (ok)
        *ret_rate = rate;
    else
        app_bad_usage(app, "%s", problem);
    return ok;
}

const struct app_option store_save_options[] = {
    {"ttl", "DURATION", "how long it is good: 45s, 30m, 24h, 14d; 24h when not given", false},
    {0},
};

enum app_status store_save(struct app *app) {
    struct rate rate;
    int64_t lifetime_s = STORE_LIFETIME_S;
    if (!take_operands(app, &rate) || !duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    rate.timestamp = ttl_now();
    rate.ttl = rate.timestamp + lifetime_s;
    struct ddb_item *item = rate_item(&rate);
    bool ok =
        ddb_put_item(app_client(app), &(struct ddb_write){.table = RATE_TABLE, .item = item}, NULL);
    if (ok)
        rate_print(item);
    ddb_item_free(item);
    return ok ? APP_OK : app_db_fail(app, "cannot save %s to %s", rate.base, rate.target);
}

static enum app_status absent(const struct app *app, const struct rate *rate) {
    return app_fail(app, "there is no rate of %s to %s", rate->base, rate->target);
}

/* An expired rate counts as absent unless `even_expired`: DynamoDB deletes it some time later. */
static enum app_status get(struct app *app, bool even_expired) {
    struct rate rate;
    struct ddb_item *item = NULL;
    if (!take_operands(app, &rate))
        return APP_USAGE;
    struct ddb_item *key = rate_key(rate.base, rate.target);
    bool ok =
        ddb_get_item(app_client(app),
                     &(struct ddb_get){.table = RATE_TABLE, .key = key, .consistent = true}, &item);
    ddb_item_free(key);
    if (!ok)
        return app_db_fail(app, "cannot read %s to %s", rate.base, rate.target);
    enum app_status status = APP_OK;
    if (item == NULL)
        status = absent(app, &rate);
    else if (ttl_has_passed(item) && !even_expired)
        status = app_fail(app, "the rate of %s to %s has expired; get-stale shows it", rate.base,
                          rate.target);
    else
        rate_print(item);
    ddb_item_free(item);
    return status;
}

enum app_status store_get(struct app *app) {
    return get(app, false);
}

enum app_status store_get_stale(struct app *app) {
    return get(app, true);
}

/* ---- by-base ---- */

enum { TARGETS_MAX = 1000 }; /* many more than there are currencies */

const struct app_option store_by_base_options[] = {
    {"stale", NULL, "also rates that have expired", false},
    {0},
};

static int by_target(const void *a, const void *b) {
    struct ddb_item *const *x = a, *const *y = b;
    return strcmp(ddb_item_string(*x, "Target", ""), ddb_item_string(*y, "Target", ""));
}

/* The index has no sort key, so its items come in no particular order: they are sorted here. */
static void print_sorted(const struct app *app, struct ddb_cursor *rates) {
    bool even_expired = app_flag(app, "stale");
    struct ddb_item *found[TARGETS_MAX];
    size_t count = 0;
    for (const struct ddb_item *item;
         count < TARGETS_MAX && (item = ddb_cursor_next(rates)) != NULL;)
        if (even_expired || !ttl_has_passed(item))
            found[count++] = ddb_item_copy(item);
    if (count == TARGETS_MAX)
        app_warn(app, "there are more; these are %d of them", TARGETS_MAX);
    qsort(found, count, sizeof(*found), by_target);
    for (size_t i = 0; i < count; i++) {
        rate_print(found[i]);
        ddb_item_free(found[i]);
    }
}

enum app_status store_by_base(struct app *app) {
    static const char *const names[] = {"#base", "Base", NULL};
    const char *base = app_operand(app, 0);
    if (!currency_exists(base))
        return app_bad_usage(app, "BASE is an ISO 4217 code like USD, not '%s'", base);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":base", base);
    struct ddb_cursor *rates =
        ddb_query(app_client(app), &(struct ddb_query){.table = RATE_TABLE,
                                                       .index = RATE_INDEX,
                                                       .key_condition = "#base = :base",
                                                       .names = names,
                                                       .values = values});
    ddb_item_free(values);
    print_sorted(app, rates);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the rates of %s", base);
    ddb_cursor_free(rates);
    return status;
}

/* ---- delete and mark-stale ---- */

enum app_status store_delete(struct app *app) {
    struct rate rate;
    struct ddb_item *old = NULL;
    if (!take_operands(app, &rate))
        return APP_USAGE;
    struct ddb_item *key = rate_key(rate.base, rate.target);
    bool ok = ddb_delete_item(
        app_client(app),
        &(struct ddb_write){.table = RATE_TABLE, .key = key, .return_values = DDB_RETURN_ALL_OLD},
        &old);
    ddb_item_free(key);
    if (!ok)
        return app_db_fail(app, "cannot delete %s to %s", rate.base, rate.target);
    bool was_there = old != NULL;
    ddb_item_free(old);
    if (!was_there)
        return absent(app, &rate);
    printf("%s %s deleted\n", rate.base, rate.target);
    return APP_OK;
}

enum app_status store_mark_stale(struct app *app) {
    struct rate rate;
    struct ddb_item *new = NULL;
    if (!take_operands(app, &rate))
        return APP_USAGE;
    struct ddb_client *db = app_client(app);
    struct ddb_item *key = rate_key(rate.base, rate.target), *values = ddb_item_new();
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
                              &new);
    ddb_item_free(key);
    ddb_item_free(values);
    if (!ok && ddb_client_failed_with(db, "ConditionalCheckFailedException"))
        return absent(app, &rate);
    if (!ok)
        return app_db_fail(app, "cannot mark %s to %s", rate.base, rate.target);
    rate_print(new);
    ddb_item_free(new);
    return APP_OK;
}
