/* posting.h - moves money from one account to another, once.
 *
 * A posting is a transaction of two legs: a payment, a deposit, a withdrawal, what an account is
 * opened with, or the reversal of another one. It is made under an idempotency key: what has the
 * same key happens once, and gives the same result again. Keys with a colon are the ledger's own,
 * as people's have none.
 *
 *     pending ---> completed     the legs and the balances change with the status, not before
 *        |
 *        +------> failed
 *
 * Nothing is reserved for a pending one: whether there is enough is seen when it is completed. */
#ifndef LEDGER_POSTING_H
#define LEDGER_POSTING_H

#include "account.h"
#include "common/random.h"
#include "transaction.h"

struct posting {
    const char *key;
    const char *type; /* payment, deposit, withdrawal, opening, reversal */
    const char *from;
    const char *to;
    const char *merchant;         /* of a payment, else NULL */
    const char *description;      /* or NULL */
    const char *reverses;         /* the transaction that this one reverses, or NULL */
    const struct ddb_item *opens; /* the account that begins with this: `to`; or NULL */
    int64_t amount;
    char currency[LEDGER_CURRENCY_SIZE]; /* of both accounts; "" when it is to be read from them */
    char id[LEDGER_ID_SIZE];             /* the transaction's; posting_make() sets it */
};

struct posting_result {
    char id[LEDGER_ID_SIZE];
    char status[LEDGER_STATUS_SIZE];
    int64_t amount;
    char currency[LEDGER_CURRENCY_SIZE];
};

/* Each says why it fails; nothing has changed then, unless the message says that this is not
 * known. */

/* Makes it, at once or as a pending one. */
enum app_status posting_make(struct app *app, struct posting *posting, bool pending,
                             struct posting_result *ret_result);
/* Ends a pending one. Again it gives the same result. */
enum app_status posting_complete(struct app *app, const char *id,
                                 struct posting_result *ret_result);
enum app_status posting_fail(struct app *app, const char *id, const char *reason,
                             struct posting_result *ret_result);
/* A new one with the legs the other way round. A transaction is reversed once. */
enum app_status posting_reverse(struct app *app, const char *id, struct posting_result *ret_result);
/* Money that comes from outside, or goes there: `account` and the cash of its currency. */
enum app_status posting_move_cash(struct app *app, struct posting *posting, const char *account,
                                  struct posting_result *ret_result);

#endif
