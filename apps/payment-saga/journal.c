/* journal.c - reads how far a payment has come, and moves it on. */
#include "journal.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"

#define TABLE "IdempotencyKeys"

static const char *const step_names[] = {
    [STEP_NONE] = "",
    [STEP_INITIATED] = "INITIATED",
    [STEP_DEBITED] = "DEBITED",
    [STEP_CHARGING] = "CHARGING",
    [STEP_UNDOING] = "UNDOING",
    [STEP_REFUNDING] = "REFUNDING",
    [STEP_COMPLETED] = "COMPLETED",
};

const char *step_name(enum step step) {
    return step_names[step];
}

void payment_key(const struct payment *payment, char ret_key[PAYMENT_KEY_SIZE]) {
    snprintf(ret_key, PAYMENT_KEY_SIZE, "%s:%s", payment->user, payment->id);
}

bool payment_from_key(const char *key, struct payment *ret_payment) {
    int used = 0;
    *ret_payment = (struct payment){0};
    return sscanf(key, "%64[^:]:%64[^:]%n", ret_payment->user, ret_payment->id, &used) == 2 &&
           key[used] == '\0';
}

static struct ddb_item *key_item(const struct payment *payment) {
    char key[PAYMENT_KEY_SIZE];
    payment_key(payment, key);
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "idempotencyKey", key);
    return item;
}

/* ---- reading ---- */

static void set_time(struct ddb_item *item, const char *name, int64_t time_ms) {
    char time[TIMESTAMP_SIZE];
    timestamp_format_ms(time_ms, time);
    ddb_item_set_string(item, name, time);
}

static bool time_get(const struct ddb_item *item, const char *name, int64_t *ret_time_ms) {
    return timestamp_parse(ddb_item_string(item, name, ""), ret_time_ms);
}

bool payment_from_item(const struct ddb_item *item, struct payment *payment) {
    const struct ddb_item *result = ddb_item_map(item, "result");
    const char *step = ddb_item_string(result, "step", "");
    payment->step = STEP_NONE;
    for (int i = STEP_INITIATED; i <= STEP_COMPLETED; i++)
        if (strcmp(step, step_names[i]) == 0)
            payment->step = (enum step)i;
    payment->ending = ending_from_name(ddb_item_string(result, "status", ""));
    payment->calls = ddb_item_int(result, "calls", -1);
    payment->refund = ddb_item_bool(result, "refund", false);
    snprintf(payment->detail, sizeof(payment->detail), "%s", ddb_item_string(result, "detail", ""));
    snprintf(payment->currency, sizeof(payment->currency), "%s",
             ddb_item_string(result, "currency", ""));
    bool completed = payment->step == STEP_COMPLETED;
    return payment->step != STEP_NONE && (!completed || payment->ending != ENDING_NONE) &&
           payment->calls >= 0 && money_get(result, "amount", &payment->amount) &&
           time_get(result, "began", &payment->began_ms) &&
           time_get(result, "deadline", &payment->deadline_ms) &&
           time_get(result, "lastEvent", &payment->last_event_ms) &&
           (completed || time_get(item, "nextTry", &payment->next_try_ms));
}

bool payment_read(struct app *app, struct payment *payment) {
    struct ddb_item *key = key_item(payment);
    struct ddb_item *item = NULL;
    bool ok = ddb_get_item(
        app_client(app), &(struct ddb_get){.table = TABLE, .key = key, .consistent = true}, &item);
    ddb_item_free(key);
    if (!ok) {
        app_db_fail(app, "cannot read the idempotency key of %s", payment->id);
        return false;
    }
    payment->step = STEP_NONE;
    if (item != NULL && !payment_from_item(item, payment)) {
        app_fail(app, "the idempotency key of %s has a result that this program does not know",
                 payment->id);
        ok = false;
    }
    ddb_item_free(item);
    return ok;
}

/* ---- those that have not ended ---- */

static void shard_name(int shard, char ret_name[8]) {
    snprintf(ret_name, 8, "shard-%d", shard);
}

/* FNV-1a of the key, so that a payment stays in its shard. */
static int shard_of(const struct payment *payment) {
    char key[PAYMENT_KEY_SIZE];
    uint32_t hash = UINT32_C(2166136261);
    payment_key(payment, key);
    for (const char *c = key; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    return (int)(hash % UNFINISHED_SHARDS);
}

/* `shard` and `next` are the names of attributes, or of values. */
static void set_unfinished(struct ddb_item *item, const char *shard, const char *next,
                           const struct payment *payment, int64_t next_try_ms) {
    char name[8];
    shard_name(shard_of(payment), name);
    ddb_item_set_string(item, shard, name);
    set_time(item, next, next_try_ms);
}

struct ddb_cursor *payments_unfinished(struct app *app, int shard, int64_t until_ms) {
    char name[8];
    shard_name(shard, name);
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":shard", name);
    set_time(values, ":until", until_ms);
    struct ddb_cursor *found =
        ddb_query(app_client(app),
                  &(struct ddb_query){.table = TABLE,
                                      .index = "Unfinished",
                                      .key_condition = "unfinished = :shard AND nextTry <= :until",
                                      .values = values});
    ddb_item_free(values);
    return found;
}

bool payment_postpone(struct app *app, const struct payment *payment, int64_t next_try_ms) {
    static const char *const names[] = {"#result", "result", NULL};
    struct ddb_item *key = key_item(payment), *values = ddb_item_new();
    ddb_item_set_string(values, ":step", step_names[payment->step]);
    set_time(values, ":seen", payment->next_try_ms);
    set_time(values, ":next", next_try_ms);
    bool ok =
        ddb_update_item(app_client(app),
                        &(struct ddb_write){.table = TABLE,
                                            .key = key,
                                            .update = "SET nextTry = :next",
                                            .condition = "#result.step = :step AND nextTry = :seen",
                                            .names = names,
                                            .values = values},
                        NULL);
    ddb_item_free(values);
    ddb_item_free(key);
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
    char update[400];
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

static void add_new_key(struct actions *actions, const struct payment *payment,
                        const struct move *move, int64_t time_ms) {
    char created[TIMESTAMP_SIZE];
    timestamp_format_s(payment->began_ms, created);
    actions->item = key_item(payment);
    ddb_item_set_string(actions->item, "paymentId", payment->id);
    ddb_item_set_string(actions->item, "status", "PROCESSING");
    ddb_item_set_string(actions->item, "createdAt", created);
    set_unfinished(actions->item, "unfinished", "nextTry", payment, move->next_try_ms);
    struct ddb_item *result = ddb_item_set_map(actions->item, "result");
    ddb_item_set_string(result, "step", step_names[move->to]);
    set_time(result, "began", payment->began_ms);
    set_time(result, "deadline", payment->deadline_ms);
    set_time(result, "lastEvent", time_ms);
    ddb_item_set_string(result, "currency", payment->currency);
    ddb_item_set_string(result, "detail", payment->detail);
    ddb_item_set_int(result, "calls", 0);
    ddb_item_set_bool(result, "refund", move->refund);
    money_set(result, "amount", payment->amount);
    actions->writes[actions->count++] = (struct ddb_write){
        .action = DDB_PUT,
        .table = TABLE,
        .item = actions->item,
        .condition = "attribute_not_exists(idempotencyKey)",
    };
}

/* What a move changes in the key beside the step. */
static void set_ending(struct actions *actions, const struct payment *payment,
                       const struct move *move, int64_t time_ms) {
    static const char always[] =
        "SET #status = :status, #result.step = :to, #result.lastEvent = :event, "
        "#result.detail = :detail, #result.calls = :calls, #result.refund = :refund, ";
    bool completes = move->to == STEP_COMPLETED;
    snprintf(actions->update, sizeof(actions->update), "%s%s%s", always,
             move->refund ? "#result.began = :began, #result.deadline = :deadline, " : "",
             completes ? "#result.#status = :ending, expirationTime = :expiration "
                         "REMOVE unfinished, nextTry"
                       : "unfinished = :shard, nextTry = :next "
                         "REMOVE expirationTime, #result.#status");
    if (move->refund) {
        set_time(actions->values, ":began", payment->began_ms);
        set_time(actions->values, ":deadline", payment->deadline_ms);
    }
    if (completes) {
        ddb_item_set_string(actions->values, ":ending", ending_name(move->ending));
        ddb_item_set_int(actions->values, ":expiration", (time_ms + DAY_MS) / 1000);
    } else {
        set_unfinished(actions->values, ":shard", ":next", payment, move->next_try_ms);
    }
}

static void add_key_move(struct actions *actions, const struct payment *payment,
                         const struct move *move, int64_t time_ms) {
    static const char *const names[] = {"#result", "result", "#status", "status", NULL};
    actions->key = key_item(payment);
    actions->values = ddb_item_new();
    ddb_item_set_string(actions->values, ":from", step_names[payment->step]);
    set_time(actions->values, ":last", payment->last_event_ms);
    ddb_item_set_string(actions->values, ":to", step_names[move->to]);
    ddb_item_set_string(actions->values, ":status",
                        move->to == STEP_COMPLETED ? "COMPLETED" : "PROCESSING");
    set_time(actions->values, ":event", move->event == NULL ? payment->last_event_ms : time_ms);
    ddb_item_set_string(actions->values, ":detail",
                        move->detail == NULL || move->keeps_detail ? payment->detail
                                                                   : move->detail);
    ddb_item_set_int(actions->values, ":calls", payment->calls + (move->calls ? 1 : 0));
    ddb_item_set_bool(actions->values, ":refund", payment->refund || move->refund);
    set_ending(actions, payment, move, time_ms);
    bool same_call = move->same_call || move->calls;
    if (same_call)
        ddb_item_set_int(actions->values, ":seen", payment->calls);
    actions->writes[actions->count++] = (struct ddb_write){
        .action = DDB_UPDATE,
        .table = TABLE,
        .key = actions->key,
        .update = actions->update,
        .condition = same_call ? "#result.step = :from AND #result.lastEvent = :last AND "
                                 "#result.calls = :seen"
                               : "#result.step = :from AND #result.lastEvent = :last",
        .names = names,
        .values = actions->values,
    };
}

enum moved payment_move(struct app *app, const struct payment *payment, const struct move *move) {
    struct actions actions = {0};
    int64_t time_ms = event_time_ms(payment);
    if (payment->step == STEP_NONE)
        add_new_key(&actions, payment, move, time_ms);
    else
        add_key_move(&actions, payment, move, time_ms);
    if (move->event != NULL)
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
    app_db_fail(app, "cannot record %s of %s; run it again to finish it",
                move->event == NULL ? "a call" : move->event, payment->id);
    return MOVE_FAILED;
}
