/* pay.h - `ledger pay`. */
#ifndef LEDGER_PAY_H
#define LEDGER_PAY_H

#include "common/app.h"

extern const struct app_option pay_options[];
enum app_status pay(struct app *app);

#endif
