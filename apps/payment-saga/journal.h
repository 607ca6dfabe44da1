/* journal.h - how far a payment has come, and the one way in which it gets further.
 *
 * Table IdempotencyKeys: idempotencyKey ("user:payment") -> paymentId, status, result, createdAt,
 * expirationTime. While `status` is PROCESSING the map `result` holds the step that the payment has
 * reached:
 *
 *     INITIATED --> DEBITED --> CHARGING -----------> COMPLETED, SUCCESS
 *         |            |          |   |                  |   ^
 *         |            |          |   +----> UNDOING <---+   |  a refund was asked for
 *         |            v          v          |     |         |
 *         |           REFUNDING <------------+     +---------+  it was charged and stays so
 *         v               |
 *       COMPLETED, FAILED +--> COMPLETED, FAILED or REFUNDED
 *
 * A move is one transaction: the key's step, on the condition that it is still the one before and
 * that no event came between (a payment that is refunded comes by COMPLETED twice); the event that
 * tells of it; and the wallet, where it changes. So a crash is always between two moves, never
 * inside one. A PROCESSING key is no lock: any run may make the next move, of two that try one
 * wins, and the other reads again and goes on from there.
 *
 * Calls of the gateway to charge are numbered, and the number is on record before the call. As long
 * as there was one call only, and it has failed clearly, the payment can be given up. From the
 * second one on there is a doubt: an earlier call may have charged, or may do so yet. Then only an
 * answer that is the gateway's last word ends it, to `charge` or to `refund`.
 *
 * A payment that has not ended is in the sparse index Unfinished: unfinished (one of a few texts,
 * to spread the load), nextTry. It is there for whoever looks for payments that others have left:
 * from nextTry on it may be taken up (work.c).
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
    STEP_UNDOING,   /* the gateway is told not to charge, or to give the money back */
    STEP_REFUNDING, /* the gateway has not charged and will not; the wallet gets its money back */
    STEP_COMPLETED,
};
const char *step_name(enum step step);

enum { PAYMENT_ID_SIZE = 65, PAYMENT_KEY_SIZE = 2 * PAYMENT_ID_SIZE };

struct payment {
    char user[PAYMENT_ID_SIZE];
    char id[PAYMENT_ID_SIZE];
    const char *correlation_id;
    /* As read last; those of a new one are set before its first move. */
    enum step step;
    int64_t amount;
    char currency[4];
    int64_t began_ms;
    int64_t deadline_ms; /* by which it has to have ended */
    int64_t last_event_ms;
    int64_t next_try_ms;
    int64_t calls;      /* how often the gateway may have been called to charge */
    bool refund;        /* it was paid, and then a refund was asked for */
    enum ending ending; /* of a COMPLETED one */
    char detail[128];   /* the gateway's reference, or why it failed */
};

/* "user-123:pay-789" */
void payment_key(const struct payment *payment, char ret_key[PAYMENT_KEY_SIZE]);
/* The user and the id out of such a key; false when it is another thing. */
bool payment_from_key(const char *key, struct payment *ret_payment);

/* False, with a message, when it cannot be read. */
bool payment_read(struct app *app, struct payment *payment);
/* From an item of the table or of its index. False when it has another shape. */
bool payment_from_item(const struct ddb_item *item, struct payment *payment);

struct move {
    enum step to;
    const char *event;           /* or NULL: nothing to tell */
    const char *status;          /* of the event */
    const char *detail;          /* or NULL */
    bool keeps_detail;           /* of the payment: this one is the event's alone */
    enum ending ending;          /* of the payment, when it is COMPLETED by this */
    const struct wallet *wallet; /* as it was read, when it changes; or NULL */
    int64_t wallet_cents;        /* how it changes */
    int64_t next_try_ms;         /* until then whoever makes the move is at it */
    bool calls;                  /* the gateway is about to be called to charge */
    bool same_call;              /* only while no other run has called it since */
    bool refund;                 /* this begins a refund, with its own began_ms and deadline_ms */
};

enum moved {
    MOVED,
    MOVED_NOT, /* somebody else was faster, or the wallet has changed: read again */
    MOVE_FAILED,
};

/* From the step that was read to another. MOVE_FAILED has said why. From STEP_NONE it makes the
 * key. */
enum moved payment_move(struct app *app, const struct payment *payment, const struct move *move);

/* Says when others may take it up. False when somebody else has made a move or said so since it was
 * read, or when it cannot be written. */
bool payment_postpone(struct app *app, const struct payment *payment, int64_t next_try_ms);

enum { UNFINISHED_SHARDS = 8 };
/* The payments of a shard that have not ended and whose nextTry is at most `until_ms`. */
struct ddb_cursor *payments_unfinished(struct app *app, int shard, int64_t until_ms);

#endif
