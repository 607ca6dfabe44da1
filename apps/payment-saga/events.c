/* events.c - writes and reads the events of payments. */
#include "events.h"

#include <stdio.h>
#include <string.h>

#include "common/money.h"
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

const char *ending_name(enum ending ending) {
    return ending == ENDING_SUCCESS ? "SUCCESS" : ending == ENDING_FAILED ? "FAILED" : "PENDING";
}

static const char *detail_of(const struct ddb_item *event) {
    const struct ddb_item *metadata = ddb_item_map(event, "metadata");
    return metadata == NULL ? "" : ddb_item_string(metadata, "detail", "");
}

/* A payment has ended well when the gateway has processed it; badly when the wallet could not be
 * debited, or was debited and got its money back. */
static enum ending ending_of(const struct ddb_item *event) {
    const char *type = ddb_item_string(event, "eventType", "");
    const char *status = ddb_item_string(event, "status", "");
    if (strcmp(type, "PAYMENT_PROCESSED") == 0 && strcmp(status, "SUCCESS") == 0)
        return ENDING_SUCCESS;
    if (strcmp(type, "REFUND_INITIATED") == 0 && strcmp(status, "SUCCESS") == 0)
        return ENDING_FAILED;
    if (strcmp(type, "WALLET_DEBITED") == 0 && strcmp(status, "FAILED") == 0)
        return ENDING_FAILED;
    return ENDING_NONE;
}

/* All events of a payment, the oldest first. */
static struct ddb_cursor *query_payment(struct app *app, const char *payment) {
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
    if (ending_of(event) != ENDING_NONE)
        story->ending = ending_of(event);
    if (*detail_of(event) != '\0')
        snprintf(story->detail, sizeof(story->detail), "%s", detail_of(event));
}

bool story_read(struct app *app, const char *payment, struct story *ret_story) {
    *ret_story = (struct story){0};
    struct ddb_cursor *events = query_payment(app, payment);
    for (const struct ddb_item *event; (event = ddb_cursor_next(events)) != NULL;)
        story_add(ret_story, event);
    bool ok = ddb_client_error(app_client(app)) == NULL;
    if (!ok)
        app_db_fail(app, "cannot read the events of %s", payment);
    ddb_cursor_free(events);
    return ok;
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
    struct ddb_cursor *events = query_payment(app, payment);
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
    struct ddb_item *values = ddb_item_new();
    ddb_item_set_string(values, ":user", user);
    struct ddb_cursor *events =
        ddb_query(app_client(app), &(struct ddb_query){.table = "PaymentEvents",
                                                       .index = "GSI1",
                                                       .key_condition = "userId = :user",
                                                       .values = values,
                                                       .descending = true,
                                                       .limit = limit});
    for (const struct ddb_item *event; (event = ddb_cursor_next(events)) != NULL;)
        print_event(event, true);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the history of %s", user);
    ddb_cursor_free(events);
    ddb_item_free(values);
    return status;
}
