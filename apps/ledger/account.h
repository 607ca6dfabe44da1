/* account.h - accounts: what a user has, and whether it may move.
 *
 * Besides what the table's design names, an account keeps the OpeningBalance that it was opened
 * with: its Balance is always that, plus the credits of its legs, minus the debits. */
#ifndef LEDGER_ACCOUNT_H
#define LEDGER_ACCOUNT_H

#include "entity.h"

struct account {
    bool found;
    bool active;
    int64_t balance; /* in cents */
    int64_t opening_balance;
    char currency[LEDGER_CURRENCY_SIZE];
};

/* False, with a message, when it cannot be read. */
bool account_read(struct app *app, const char *id, struct account *ret_account);

extern const struct app_option account_open_options[];
enum app_status account_open(struct app *app);
enum app_status account_show(struct app *app);
enum app_status account_list(struct app *app);

#endif
