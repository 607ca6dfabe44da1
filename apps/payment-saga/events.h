/* events.h - what happened to payments and wallets, one item for each event, never changed
 * afterwards. Every change of a balance is one, so a balance is what its events make.
 *
 * Table PaymentEvents: paymentId, timestamp -> userId, eventType, amount, status, metadata,
 * correlationId. Its index GSI1 has the events of a user by time. */
#ifndef PAYMENT_SAGA_EVENTS_H
#define PAYMENT_SAGA_EVENTS_H

#include "common/app.h"

struct event {
    const char *payment;
    const char *user;
    const char *type;   /* PAYMENT_INITIATED, WALLET_DEBITED, PAYMENT_PROCESSED, REFUND_INITIATED,
                         * WALLET_CREATED, WALLET_TOPPED_UP */
    const char *status; /* SUCCESS, FAILED, PENDING */
    const char *detail; /* goes to the metadata; NULL: none */
    const char *correlation_id; /* of the run of this program that wrote it */
    int64_t amount;
    int64_t time_ms;
};

/* The item, yours to free. */
struct ddb_item *event_item(const struct event *event);

/* "exec-" and 16 digits: names a run of this program, or a request to it. */
enum { CORRELATION_ID_SIZE = 32 };
void correlation_id_new(char ret_id[CORRELATION_ID_SIZE]);

/* By how many cents an event has changed a wallet; false when it has not. */
bool event_change(const struct ddb_item *event, int64_t *ret_cents);
/* All events of a payment, the oldest first. */
struct ddb_cursor *events_of_payment(struct app *app, const char *payment);
/* All events of a user, by time. */
struct ddb_cursor *events_of_user(struct app *app, const char *user, bool newest_first,
                                  int64_t limit);

enum ending { ENDING_NONE, ENDING_SUCCESS, ENDING_FAILED, ENDING_REFUNDED };
const char *ending_name(enum ending ending); /* PENDING, SUCCESS, FAILED, REFUNDED */
enum ending ending_from_name(const char *name);

/* What the events of a payment say of it. */
struct story {
    bool found;
    bool paid;          /* at some time the gateway had charged */
    enum ending ending; /* NONE: it is under way */
    int64_t amount;
    char user[65];
    char detail[128]; /* of the latest event that has one */
};

/* False, with a message, when they cannot be read. */
bool story_read(struct app *app, const char *payment, struct story *ret_story);

enum app_status events_status(struct app *app);
extern const struct app_option events_history_options[];
enum app_status events_history(struct app *app);

#endif
