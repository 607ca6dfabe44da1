/* nightly.c - a reconciliation of every day. */
#include "nightly.h"

#include <stdio.h>
#include <string.h>

#include "common/timestamp.h"
#include "entity.h"
#include "reconcile.h"

enum { HOUR_MS = 60 * 60 * 1000, LINES_MAX = 100 };

#define PREFIX "RECONCILIATION#"

/* Whether this copy is to do it. */
static bool claim(struct app *app, const char *day, int64_t now_ms, bool *ret_mine) {
    char now[TIMESTAMP_SIZE], old[TIMESTAMP_SIZE];
    timestamp_format_ms(now_ms, now);
    timestamp_format_ms(now_ms - HOUR_MS, old);
    struct ddb_item *item = entity_key(PREFIX, day), *values = ddb_item_new();
    ddb_item_set_string(item, "Type", "Reconciliation");
    ddb_item_set_string(item, "StartedAt", now);
    ddb_item_set_string(values, ":old", old);
    *ret_mine = ddb_put_item(
        app_client(app),
        &(struct ddb_write){.table = LEDGER_TABLE,
                            .item = item,
                            .condition = "attribute_not_exists(PK) OR "
                                         "(attribute_not_exists(FinishedAt) AND StartedAt < :old)",
                            .values = values},
        NULL);
    bool ok =
        *ret_mine || ddb_client_failed_with(app_client(app), "ConditionalCheckFailedException");
    if (!ok)
        app_db_fail(app, "cannot begin the reconciliation of %s", day);
    ddb_item_free(values);
    ddb_item_free(item);
    return ok;
}

struct lines {
    struct ddb_list *list;
    size_t count;
};

static void add_line(void *context, const char *problem) {
    struct lines *lines = context;
    if (lines->count++ < LINES_MAX)
        ddb_list_add_string(lines->list, problem);
}

static bool finish(struct app *app, const char *day, const struct reconcile_result *result,
                   struct ddb_item *values) {
    char now[TIMESTAMP_SIZE];
    timestamp_format_ms(timestamp_now_ms(), now);
    ddb_item_set_string(values, ":finished", now);
    ddb_item_set_int(values, ":transactions", (int64_t)result->transactions);
    ddb_item_set_int(values, ":accounts", (int64_t)result->accounts);
    ddb_item_set_int(values, ":problems", (int64_t)result->problems);
    struct ddb_item *key = entity_key(PREFIX, day);
    bool ok = ddb_update_item(
        app_client(app),
        &(struct ddb_write){.table = LEDGER_TABLE,
                            .key = key,
                            .update =
                                "SET FinishedAt = :finished, Transactions = :transactions, "
                                "Accounts = :accounts, Problems = :problems, Findings = :findings",
                            .values = values,
                            .idempotent = true},
        NULL);
    ddb_item_free(key);
    if (!ok)
        app_db_fail(app, "cannot record the reconciliation of %s", day);
    return ok;
}

static enum app_status reconcile_day(struct app *app, const char *day, int64_t day_ms) {
    struct ddb_item *values = ddb_item_new();
    struct lines lines = {.list = ddb_item_set_list(values, ":findings")};
    struct reconcile_request request = {.from_ms = day_ms,
                                        .to_ms = day_ms + DAY_MS - 1,
                                        .may_be_empty = true,
                                        .tell = add_line,
                                        .context = &lines};
    struct reconcile_result result;
    bool ok = reconcile_range(app, &request, &result) && finish(app, day, &result, values);
    ddb_item_free(values);
    if (ok && result.problems > 0)
        return app_fail(app, "the reconciliation of %s has found %zu problems", day,
                        result.problems);
    return ok ? APP_OK : APP_FAILED;
}

enum app_status nightly_run(struct app *app, int64_t hour) {
    int64_t now_ms = timestamp_now_ms();
    int64_t yesterday_ms = (now_ms - hour * HOUR_MS) / DAY_MS * DAY_MS - DAY_MS;
    char day[TIMESTAMP_SIZE];
    bool mine = false;
    timestamp_format_day(yesterday_ms, day);
    if (!claim(app, day, now_ms, &mine))
        return APP_FAILED;
    return mine ? reconcile_day(app, day, yesterday_ms) : APP_OK;
}
