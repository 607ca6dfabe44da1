/* pay.h - the commands that move money. */
#ifndef LEDGER_PAY_H
#define LEDGER_PAY_H

#include "common/app.h"

extern const struct app_option pay_options[];
enum app_status pay(struct app *app);
extern const struct app_option pay_deposit_options[];
enum app_status pay_deposit(struct app *app);
extern const struct app_option pay_withdraw_options[];
enum app_status pay_withdraw(struct app *app);
enum app_status pay_complete(struct app *app);
extern const struct app_option pay_fail_options[];
enum app_status pay_fail(struct app *app);
enum app_status pay_reverse(struct app *app);

#endif
