/* journal.c - reads how far a payment has come, and moves it on. */
#include "journal.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"

static const char *const step_names[] = {
    [STEP_NONE] = "",
    [STEP_INITIATED] = "INITIATED",
    [STEP_DEBITED] = "DEBITED",
    [STEP_CHARGING] = "CHARGING",
    [STEP_REFUNDING] = "REFUNDING",
    [STEP_COMPLETED] = "COMPLETED",
};

void payment_key(const struct payment *payment, char ret_key[PAYMENT_KEY_SIZE]) {
    snprintf(ret_key, PAYMENT_KEY_SIZE, "%s:%s", payment->user, payment->id);
}

static struct ddb_item *key_item(const struct payment *payment) {
    char key[PAYMENT_KEY_SIZE];
    payment_key(payment, key);
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "idempotencyKey", key);
    return item;
}

static bool read_result(struct payment *payment, const struct ddb_item *item) {
    const struct ddb_item *result = ddb_item_map(item, "result");
    if (result == NULL)
        return false;
    const char *step = ddb_item_string(result, "step", "");
    payment->step = STEP_NONE;
    for (int i = STEP_INITIATED; i <= STEP_COMPLETED; i++)
        if (strcmp(step, step_names[i]) == 0)
            payment->step = (enum step)i;
    payment->ending = ending_from_name(ddb_item_string(result, "status", ""));
    snprintf(payment->detail, sizeof(payment->detail), "%s", ddb_item_string(result, "detail", ""));
    return payment->step != STEP_NONE &&
           (payment->step != STEP_COMPLETED || payment->ending != ENDING_NONE) &&
           money_get(result, "amount", &payment->recorded_amount) &&
           timestamp_parse(ddb_item_string(result, "lastEvent", ""), &payment->last_event_ms);
}

bool payment_read(struct app *app, struct payment *payment) {
    struct ddb_item *key = key_item(payment);
    struct ddb_item *item = NULL;
    bool ok = ddb_get_item(
        app_client(app),
        &(struct ddb_get){.table = "IdempotencyKeys", .key = key, .consistent = true}, &item);
    ddb_item_free(key);
    if (!ok) {
        app_db_fail(app, "cannot read the idempotency key of %s", payment->id);
        return false;
    }
    payment->step = STEP_NONE;
    if (item != NULL && !read_result(payment, item)) {
        app_fail(app, "the idempotency key of %s has a result that this program does not know",
                 payment->id);
        ok = false;
    }
    ddb_item_free(item);
    return ok;
}

/* ---- moving ---- */

/* The three actions of a move and what they point to. */
struct actions {
    struct ddb_write writes[3];
    size_t count;
    struct ddb_item *key;
    struct ddb_item *item; /* of a new key */
    struct ddb_item *values;
    struct ddb_item *event;
    struct wallet_change wallet;
    bool has_wallet;
};

static void actions_release(struct actions *actions) {
    ddb_item_free(actions->key);
    ddb_item_free(actions->item);
    ddb_item_free(actions->values);
    ddb_item_free(actions->event);
    if (actions->has_wallet)
        wallet_change_release(&actions->wallet);
}

/* Events of a payment have different times, in the order of the moves, whatever the clocks of those
 * who make them say: the time is a part of the event's key. */
static int64_t event_time_ms(const struct payment *payment) {
    int64_t now_ms = timestamp_now_ms();
    if (payment->step != STEP_NONE && now_ms <= payment->last_event_ms)
        return payment->last_event_ms + 1;
    return now_ms;
}

static void add_event(struct actions *actions, const struct payment *payment,
                      const struct move *move, int64_t time_ms) {
    actions->event = event_item(&(struct event){
        .payment = payment->id,
        .user = payment->user,
        .type = move->event,
        .status = move->status,
        .detail = move->detail,
        .correlation_id = payment->correlation_id,
        .amount = payment->amount,
        .time_ms = time_ms,
    });
    actions->writes[actions->count++] = (struct ddb_write){
        .action = DDB_PUT,
        .table = "PaymentEvents",
        .item = actions->event,
        .condition = "attribute_not_exists(paymentId)",
    };
}

static void add_new_key(struct actions *actions, const struct payment *payment, int64_t time_ms) {
    char created[TIMESTAMP_SIZE], event[TIMESTAMP_SIZE];
    timestamp_format_s(time_ms, created);
    timestamp_format_ms(time_ms, event);
    actions->item = key_item(payment);
    ddb_item_set_string(actions->item, "paymentId", payment->id);
    ddb_item_set_string(actions->item, "status", "PROCESSING");
    ddb_item_set_string(actions->item, "createdAt", created);
    struct ddb_item *result = ddb_item_set_map(actions->item, "result");
    ddb_item_set_string(result, "step", step_names[STEP_INITIATED]);
    ddb_item_set_string(result, "lastEvent", event);
    money_set(result, "amount", payment->amount);
    actions->writes[actions->count++] = (struct ddb_write){
        .action = DDB_PUT,
        .table = "IdempotencyKeys",
        .item = actions->item,
        .condition = "attribute_not_exists(idempotencyKey)",
    };
}

static void add_key_move(struct actions *actions, const struct payment *payment,
                         const struct move *move, int64_t time_ms) {
    static const char *const names[] = {"#result", "result", "#status", "status", NULL};
    static const char going_on[] =
        "SET #status = :status, #result.step = :to, #result.lastEvent = :event, "
        "#result.detail = :detail";
    static const char completed[] =
        "SET #status = :status, #result.step = :to, #result.lastEvent = :event, "
        "#result.detail = :detail, #result.#status = :ending, expirationTime = :expiration";
    bool completes = move->to == STEP_COMPLETED;
    char event[TIMESTAMP_SIZE];
    timestamp_format_ms(time_ms, event);
    actions->key = key_item(payment);
    actions->values = ddb_item_new();
    ddb_item_set_string(actions->values, ":from", step_names[payment->step]);
    ddb_item_set_string(actions->values, ":to", step_names[move->to]);
    ddb_item_set_string(actions->values, ":status", completes ? "COMPLETED" : "PROCESSING");
    ddb_item_set_string(actions->values, ":event", event);
    ddb_item_set_string(actions->values, ":detail",
                        move->detail == NULL ? payment->detail : move->detail);
    if (completes) {
        ddb_item_set_string(actions->values, ":ending", ending_name(move->ending));
        ddb_item_set_int(actions->values, ":expiration", (time_ms + DAY_MS) / 1000);
    }
    actions->writes[actions->count++] = (struct ddb_write){
        .action = DDB_UPDATE,
        .table = "IdempotencyKeys",
        .key = actions->key,
        .update = completes ? completed : going_on,
        .condition = "#result.step = :from",
        .names = names,
        .values = actions->values,
    };
}

enum moved payment_move(struct app *app, const struct payment *payment, const struct move *move) {
    struct actions actions = {0};
    int64_t time_ms = event_time_ms(payment);
    if (payment->step == STEP_NONE)
        add_new_key(&actions, payment, time_ms);
    else
        add_key_move(&actions, payment, move, time_ms);
    add_event(&actions, payment, move, time_ms);
    if (move->wallet != NULL) {
        wallet_change_init(&actions.wallet, payment->user, move->wallet, move->wallet_cents);
        actions.has_wallet = true;
        actions.writes[actions.count++] = actions.wallet.write;
    }
    struct ddb_client *db = app_client(app);
    bool ok = ddb_transact_write_items(db, actions.writes, actions.count, NULL);
    actions_release(&actions);
    if (ok)
        return MOVED;
    if (ddb_client_failed_with(db, "TransactionCanceledException"))
        return MOVED_NOT;
    app_db_fail(app, "cannot record %s of %s; run it again to finish it", move->event, payment->id);
    return MOVE_FAILED;
}
