/* wallet.h - the wallets: what a user has, and how it changes.
 *
 * Table Wallets: userId -> balance, currency, version, updatedAt, createdAt. Every change names the
 * version that it has seen and makes the next one, so nobody changes a balance that they have not
 * read; no change lets a balance drop below zero; and every change is an event (events.h), written
 * in the same transaction. */
#ifndef PAYMENT_SAGA_WALLET_H
#define PAYMENT_SAGA_WALLET_H

#include "common/money.h"

struct wallet {
    bool found;
    money_sum balance; /* a refund may take it above MONEY_CENTS_MAX */
    int64_t version;
    char currency[4];
};

/* False, with a message, when it cannot be read. */
bool wallet_read(struct app *app, const char *user, struct wallet *ret_wallet);

/* One action of a transaction: `cents` more or less than `wallet` says. */
struct wallet_change {
    struct ddb_item *key;
    struct ddb_item *values;
    struct ddb_write write;
};
void wallet_change_init(struct wallet_change *change, const char *user, const struct wallet *wallet,
                        int64_t cents);
void wallet_change_release(struct wallet_change *change);

/* Each says why it fails. */
enum app_status wallet_open(struct app *app, const char *user, int64_t balance,
                            const char *currency, struct wallet *ret_wallet);

struct top_up {
    const char *user;
    const char *key; /* what has the same key happens once; NULL: none */
    int64_t amount;
};
enum app_status wallet_put_in(struct app *app, const struct top_up *top_up,
                              struct wallet *ret_wallet);

/* What the events of a user make, beside what the wallet says. */
struct wallet_check {
    struct wallet wallet;
    money_sum balance;
    int64_t version;
    bool right;
};
/* False, with a message, when they cannot be read. */
bool wallet_check(struct app *app, const char *user, struct wallet_check *ret_check);

extern const struct app_option wallet_create_options[];
extern const struct app_option wallet_top_up_options[];
enum app_status wallet_create(struct app *app);
enum app_status wallet_show(struct app *app);
enum app_status wallet_top_up(struct app *app);
enum app_status wallet_verify(struct app *app);

#endif
