/* work.c - finds the payments that have not ended, by the index Unfinished, and goes on with them.
 *
 * A payment is taken up by whoever moves its nextTry on: of several that try one wins. Should that
 * one die, the payment is due again at the nextTry that it has written. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/money.h"
#include "common/random.h"
#include "common/service.h"
#include "common/timestamp.h"
#include "pay.h"

enum { LEASE_MS = 1000, PENDING_MAX = 10000 };

/* ---- one pass ---- */

static bool take_up(struct app *app, const struct saga_settings *settings,
                    const struct payment *payment) {
    return payment_postpone(app, payment,
                            timestamp_now_ms() + settings->gateway_timeout_ms + LEASE_MS);
}

static void go_on(struct app *app, const struct saga_settings *settings,
                  const struct payment *payment, void (*ended)(const struct payment *payment),
                  struct work_result *result) {
    struct payment now;
    struct saga_request request = {.wish = WISH_FINISH, .user = payment->user, .id = payment->id};
    if (saga_run(app, settings, &request, &now) == APP_OK) {
        result->ended++;
        if (ended != NULL)
            ended(&now);
        return;
    }
    result->pending++;
    result->overdue += timestamp_now_ms() > payment->deadline_ms;
}

/* One client has the cursor, the other makes the moves between its pages. */
static bool work_shard(struct app *app, const struct saga_settings *settings, int shard,
                       void (*ended)(const struct payment *payment), struct work_result *result) {
    struct app *reader = app_copy(app);
    struct ddb_cursor *due = payments_unfinished(reader, shard, timestamp_now_ms());
    for (const struct ddb_item *item;
         !service_is_stopping() && (item = ddb_cursor_next(due)) != NULL;) {
        struct payment payment;
        const char *key = ddb_item_string(item, "idempotencyKey", "");
        if (!payment_from_key(key, &payment) || !payment_from_item(item, &payment)) {
            app_fail(app, "the idempotency key %s is none that this program knows", key);
            result->pending++;
        } else if (take_up(app, settings, &payment)) {
            go_on(app, settings, &payment, ended, result);
        }
    }
    const struct ddb_error *error = ddb_client_error(app_client(reader));
    if (error != NULL)
        app_fail(app, "cannot read the payments that have not ended: %s", error->message);
    bool ok = error == NULL;
    ddb_cursor_free(due);
    app_free(reader);
    return ok;
}

bool work_pass(struct app *app, const struct saga_settings *settings,
               void (*ended)(const struct payment *payment), struct work_result *ret_result) {
    *ret_result = (struct work_result){0};
    int first = (int)(random_u64() % UNFINISHED_SHARDS); /* copies begin in different places */
    bool ok = true;
    for (int i = 0; ok && i < UNFINISHED_SHARDS; i++)
        ok = work_shard(app, settings, (first + i) % UNFINISHED_SHARDS, ended, ret_result);
    return ok;
}

/* ---- work ---- */

const struct app_option work_options[] = {
    SAGA_OPTIONS,
    {"every", "SECONDS", "looks again and again; without it once", false},
    {0},
};

enum app_status work(struct app *app) {
    struct saga_settings settings;
    int64_t every_s = 0;
    if (!saga_settings_read(app, &settings) || !app_number(app, "every", 1, 86400, &every_s))
        return APP_USAGE;
    for (;;) {
        struct work_result result;
        bool ok = work_pass(app, &settings, print_ending, &result);
        if (ok && (every_s == 0 || result.ended + result.pending > 0))
            printf("%zu ended, %zu pending, %zu overdue\n", result.ended, result.pending,
                   result.overdue);
        if (every_s == 0)
            return ok && result.pending == 0 ? APP_OK : APP_FAILED;
        nanosleep(&(struct timespec){.tv_sec = every_s}, NULL);
    }
}

/* ---- pending ---- */

static int compare(const void *a, const void *b) {
    const struct payment *x = a, *y = b;
    return (x->began_ms > y->began_ms) - (x->began_ms < y->began_ms);
}

static bool collect(struct app *app, int shard, size_t limit, struct payment *payments,
                    size_t *count) {
    struct ddb_cursor *found = payments_unfinished(app, shard, TIMESTAMP_MAX_S * 1000);
    for (const struct ddb_item *item; *count < limit && (item = ddb_cursor_next(found)) != NULL;) {
        struct payment *payment = &payments[*count];
        if (payment_from_key(ddb_item_string(item, "idempotencyKey", ""), payment) &&
            payment_from_item(item, payment))
            ++*count;
    }
    bool ok = ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot read the payments that have not ended");
    ddb_cursor_free(found);
    return ok;
}

bool work_pending(struct app *app, size_t limit, struct payment **ret_payments, size_t *ret_count) {
    struct payment *payments = calloc(limit, sizeof(*payments));
    size_t count = 0;
    if (payments == NULL)
        abort();
    bool ok = true;
    for (int shard = 0; ok && shard < UNFINISHED_SHARDS; shard++)
        ok = collect(app, shard, limit, payments, &count);
    if (!ok) {
        free(payments);
        return false;
    }
    qsort(payments, count, sizeof(*payments), compare);
    *ret_payments = payments;
    *ret_count = count;
    return true;
}

const struct app_option work_pending_options[] = {
    {"limit", "N", "that many at most; 1000 when not given", false},
    {0},
};

enum app_status work_show_pending(struct app *app) {
    struct payment *payments = NULL;
    size_t count = 0;
    int64_t limit = 1000;
    if (!app_number(app, "limit", 1, PENDING_MAX, &limit))
        return APP_USAGE;
    if (!work_pending(app, (size_t)limit, &payments, &count))
        return APP_FAILED;
    for (size_t i = 0; i < count; i++) {
        const struct payment *payment = &payments[i];
        char amount[MONEY_TEXT_SIZE], began[TIMESTAMP_SIZE], deadline[TIMESTAMP_SIZE];
        money_format(payment->amount, amount);
        timestamp_format_ms(payment->began_ms, began);
        timestamp_format_ms(payment->deadline_ms, deadline);
        printf("%s %s %s %s since %s %s %s\n", payment->id, payment->user, step_name(payment->step),
               amount, began, timestamp_now_ms() > payment->deadline_ms ? "overdue since" : "until",
               deadline);
    }
    free(payments);
    return APP_OK;
}
