/* transaction.h - a transaction and its legs, as they are read: one Query. */
#ifndef LEDGER_TRANSACTION_H
#define LEDGER_TRANSACTION_H

#include "entity.h"

enum { LEGS_MAX = 99 }; /* TransactWriteItems takes 100 items, and one is the transaction */

/* pending, completed or failed */
bool transaction_status_is_known(const char *status);

struct leg {
    char id[LEDGER_ID_SIZE];
    char account[LEDGER_ID_SIZE];
    char currency[LEDGER_CURRENCY_SIZE];
    char type[8];   /* "debit" or "credit" */
    int64_t amount; /* in cents */
    bool sound;     /* the amount is one, and the type is one of the two */
};

struct transaction {
    struct ddb_item *header; /* NULL when there is none */
    int64_t amount;
    struct leg legs[LEGS_MAX];
    size_t leg_count;
};

/* False, with a message, when it cannot be read. Release it in any case. */
bool transaction_read(struct app *app, const char *id, struct transaction *ret_transaction);
void transaction_release(struct transaction *transaction);

/* One leg of an item. */
void leg_read(const struct ddb_item *item, struct leg *ret_leg);

#endif
