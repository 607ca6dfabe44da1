/* reconcile.h - `ledger reconcile`. */
#ifndef LEDGER_RECONCILE_H
#define LEDGER_RECONCILE_H

#include "common/app.h"

extern const struct app_option reconcile_options[];
enum app_status reconcile(struct app *app);

#endif
