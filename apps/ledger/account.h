/* account.h - accounts: what a user has, and whether it may move.
 *
 * An account is active, frozen (nothing moves until it is active again) or closed (for ever, and
 * empty). Its Balance is the credits of its legs minus their debits: what it is opened with comes
 * from the ledger's own account for that, as a transaction like any other. (Accounts that older
 * versions have opened have an OpeningBalance instead.)
 *
 * The ledger's own accounts, of the user `system`, stand for what is outside: one of each currency
 * for opening balances, and one for the cash of deposits and withdrawals. They are made when they
 * are needed and may be below zero; so all balances of a currency together are zero. */
#ifndef LEDGER_ACCOUNT_H
#define LEDGER_ACCOUNT_H

#include "common/money.h"
#include "entity.h"

struct account {
    bool found;
    char status[LEDGER_STATUS_SIZE];
    money_sum balance;
    money_sum opening_balance;
    char currency[LEDGER_CURRENCY_SIZE];
};

/* False, with a message, when it cannot be read. */
bool account_read(struct app *app, const char *id, struct account *ret_account);

/* "system-cash-USD" */
void account_system_id(const char *purpose, const char *currency, char ret_id[LEDGER_ID_SIZE]);
bool account_is_system(const char *id);

struct account_opening {
    const char *id;
    const char *user;
    const char *type;
    const char *currency;
    int64_t balance;
};
/* Each says why it fails. The account's item is yours to free. */
enum app_status account_make(struct app *app, const struct account_opening *opening,
                             struct ddb_item **ret_item);
enum app_status account_change_status(struct app *app, const char *id, const char *status,
                                      struct ddb_item **ret_item);

extern const struct app_option account_open_options[];
enum app_status account_open(struct app *app);
enum app_status account_show(struct app *app);
enum app_status account_freeze(struct app *app);
enum app_status account_unfreeze(struct app *app);
enum app_status account_close(struct app *app);
enum app_status account_list(struct app *app);

#endif
