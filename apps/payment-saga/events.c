/* events.c - writes and reads the events of payments. */
#include "events.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/random.h"
#include "common/timestamp.h"

struct ddb_item *event_item(const struct event *event) {
    char time[TIMESTAMP_SIZE];
    timestamp_format_ms(event->time_ms, time);
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "paymentId", event->payment);
    ddb_item_set_string(item, "timestamp", time);
    ddb_item_set_string(item, "userId", event->user);
    ddb_item_set_string(item, "eventType", event->type);
    ddb_item_set_string(item, "status", event->status);
    ddb_item_set_string(item, "correlationId", event->correlation_id);
    money_set(item, "amount", event->amount);
    struct ddb_item *metadata = ddb_item_set_map(item, "metadata");
    if (event->detail != NULL)
        ddb_item_set_string(metadata, "detail", event->detail);
    return item;
}

void correlation_id_new(char ret_id[CORRELATION_ID_SIZE]) {
    uint64_t number = random_u64();
    snprintf(ret_id, CORRELATION_ID_SIZE, "exec-");
    hex_format(&number, sizeof(number), ret_id + strlen(ret_id));
}

static bool event_is(const struct ddb_item *event, const char *type, const char *status) {
    return strcmp(ddb_item_string(event, "eventType", ""), type) == 0 &&
           strcmp(ddb_item_string(event, "status", ""), status) == 0;
}

bool event_change(const struct ddb_item *event, int64_t *ret_cents) {
    bool takes = event_is(event, "WALLET_DEBITED", "SUCCESS");
    bool gives = event_is(event, "WALLET_CREATED", "SUCCESS") ||
                 event_is(event, "WALLET_TOPPED_UP", "SUCCESS") ||
                 event_is(event, "REFUND_INITIATED", "SUCCESS");
    int64_t cents;
    if ((!takes && !gives) || !money_get(event, "amount", &cents))
        return false;
    *ret_cents = takes ? -cents : cents;
    return true;
}

static const char *const ending_names[] = {[ENDING_NONE] = "PENDING",
                                           [ENDING_SUCCESS] = "SUCCESS",
                                           [ENDING_FAILED] = "FAILED",
                                           [ENDING_REFUNDED] = "REFUNDED"};

const char *ending_name(enum ending ending) {
    return ending_names[ending];
}

enum ending ending_from_name(const char *name) {
    for (int i = ENDING_SUCCESS; i <= ENDING_REFUNDED; i++)
        if (strcmp(name, ending_names[i]) == 0)
            return (enum ending)i;
    return ENDING_NONE;
}

static const char *detail_of(const struct ddb_item *event) {
    const struct ddb_item *metadata = ddb_item_map(event, "metadata");
    return metadata == NULL ? "" : ddb_item_string(metadata, "detail", "");
}

/* A payment has ended well when the gateway has processed it; badly when the wallet could not be
 * debited, or was debited and got its money back. One that has ended well may be refunded later, or
 * the gateway says that it cannot be. */
static enum ending ending_after(const struct story *story, const struct ddb_item *event) {
    if (event_is(event, "PAYMENT_PROCESSED", "SUCCESS") ||
        event_is(event, "REFUND_INITIATED", "FAILED"))
        return ENDING_SUCCESS;
    if (event_is(event, "REFUND_INITIATED", "SUCCESS"))
        return story->paid ? ENDING_REFUNDED : ENDING_FAILED;
    if (event_is(event, "WALLET_DEBITED", "FAILED"))
        return ENDING_FAILED;
    return ENDING_NONE;
}

struct ddb_cursor *events_of_payment(struct app *app, const char *payment) {
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":payment", payment);
    struct ddb_cursor *events =
        ddb_query(app_client(app), &(struct ddb_query){.table = "PaymentEvents",
                                                       .key_condition = "paymentId = :payment",
                                                       .values = values,
                                                       .consistent = true});
    ddb_item_free(values);
    return events;
}

static void story_add(struct story *story, const struct ddb_item *event) {
    story->found = true;
    snprintf(story->user, sizeof(story->user), "%s", ddb_item_string(event, "userId", ""));
    money_get(event, "amount", &story->amount);
    story->ending = ending_after(story, event);
    story->paid = story->paid || story->ending == ENDING_SUCCESS;
    if (event_is(event, "REFUND_INITIATED", "FAILED"))
        return; /* what the gateway said to that is not the payment's */
    if (*detail_of(event) != '\0')
        snprintf(story->detail, sizeof(story->detail), "%s", detail_of(event));
}

bool story_read(struct app *app, const char *payment, struct story *ret_story) {
    *ret_story = (struct story){0};
    struct ddb_cursor *events = events_of_payment(app, payment);
    for (const struct ddb_item *event; (event = ddb_cursor_next(events)) != NULL;)
        story_add(ret_story, event);
    bool ok = ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot read the events of %s", payment);
    ddb_cursor_free(events);
    return ok;
}

struct ddb_cursor *events_of_user(struct app *app, const char *user, bool newest_first,
                                  int64_t limit) {
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":user", user);
    struct ddb_cursor *events =
        ddb_query(app_client(app), &(struct ddb_query){.table = "PaymentEvents",
                                                       .index = "GSI1",
                                                       .key_condition = "userId = :user",
                                                       .values = values,
                                                       .descending = newest_first,
                                                       .limit = limit});
    ddb_item_free(values);
    return events;
}

/* ---- commands ---- */

static void print_event(const struct ddb_item *event, bool with_payment) {
    int64_t cents = 0;
    char amount[MONEY_TEXT_SIZE];
    money_get(event, "amount", &cents);
    money_format(cents, amount);
    printf("%s ", ddb_item_string(event, "timestamp", "?"));
    if (with_payment)
        printf("%s ", ddb_item_string(event, "paymentId", "?"));
    printf("%s %s %s", ddb_item_string(event, "eventType", "?"),
           ddb_item_string(event, "status", "?"), amount);
    printf("%s%s\n", *detail_of(event) == '\0' ? "" : " ", detail_of(event));
}

enum app_status events_status(struct app *app) {
    const char *payment = app_operand(app, 0);
    if (!app_check_id(app, "PAYMENT", payment))
        return APP_USAGE;
    struct story story = {0};
    struct ddb_cursor *events = events_of_payment(app, payment);
    for (const struct ddb_item *event; (event = ddb_cursor_next(events)) != NULL;) {
        story_add(&story, event);
        print_event(event, false);
    }
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the events of %s", payment);
    else if (!story.found)
        status = app_fail(app, "there is no payment %s", payment);
    else
        printf("%s %s\n", payment, ending_name(story.ending));
    ddb_cursor_free(events);
    return status;
}

const struct app_option events_history_options[] = {
    {"limit", "N", "only the newest N events", false},
    {0},
};

enum app_status events_history(struct app *app) {
    const char *user = app_operand(app, 0);
    int64_t limit = 0;
    if (!app_check_id(app, "USER", user) || !app_number(app, "limit", 1, 1000000, &limit))
        return APP_USAGE;
    struct ddb_cursor *events = events_of_user(app, user, true, limit);
    for (const struct ddb_item *event; (event = ddb_cursor_next(events)) != NULL;)
        print_event(event, true);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the history of %s", user);
    ddb_cursor_free(events);
    return status;
}
