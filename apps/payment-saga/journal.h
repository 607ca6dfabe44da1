/* journal.h - how far a payment has come, and the one way in which it gets further.
 *
 * Table IdempotencyKeys: idempotencyKey ("user:payment") -> paymentId, status, result, createdAt,
 * expirationTime. While `status` is PROCESSING the map `result` holds the step that the payment has
 * reached:
 *
 *     INITIATED --> DEBITED --> CHARGING --> COMPLETED, SUCCESS
 *         |            |           |
 *         |            +-----> REFUNDING --> COMPLETED, FAILED
 *         +--------------------------------> COMPLETED, FAILED: not enough money
 *
 * A move is one transaction: the key's step, on the condition that it is still the one before; the
 * event that tells of it; and the wallet, where it changes. So a crash is always between two moves,
 * never inside one. A PROCESSING key is no lock: any run may make the next move, of two that try
 * one wins, and the other reads again and goes on from there.
 *
 * Only a COMPLETED key has an expirationTime, which is the table's TTL: one that disappeared
 * halfway would let the payment begin again. When a completed key is gone its events still tell. */
#ifndef PAYMENT_SAGA_JOURNAL_H
#define PAYMENT_SAGA_JOURNAL_H

#include "common/app.h"
#include "events.h"
#include "wallet.h"

enum step {
    STEP_NONE, /* there is no such payment */
    STEP_INITIATED,
    STEP_DEBITED,   /* the gateway has not been called */
    STEP_CHARGING,  /* the gateway may have been called, and may have charged */
    STEP_REFUNDING, /* the gateway has not charged and will not; the wallet gets its money back */
    STEP_COMPLETED,
};

struct payment {
    const char *user;
    const char *id;
    int64_t amount;
    const char *correlation_id;
    /* As read last. */
    enum step step;
    int64_t recorded_amount;
    int64_t last_event_ms;
    enum ending ending; /* of a COMPLETED one */
    char detail[128];   /* the gateway's reference, or why it failed */
};

enum { PAYMENT_KEY_SIZE = 130 };
/* "user-123:pay-789" */
void payment_key(const struct payment *payment, char ret_key[PAYMENT_KEY_SIZE]);

/* False, with a message, when it cannot be read. */
bool payment_read(struct app *app, struct payment *payment);

struct move {
    enum step to;
    const char *event;
    const char *status;          /* of the event */
    const char *detail;          /* or NULL */
    enum ending ending;          /* of the payment, when it is COMPLETED by this */
    const struct wallet *wallet; /* as it was read, when it changes; or NULL */
    int64_t wallet_cents;        /* how it changes */
};

enum moved {
    MOVED,
    MOVED_NOT, /* somebody else was faster, or the wallet has changed: read again */
    MOVE_FAILED,
};

/* From the step that was read to another. MOVE_FAILED has said why. From STEP_NONE to
 * STEP_INITIATED it makes the key. */
enum moved payment_move(struct app *app, const struct payment *payment, const struct move *move);

#endif
