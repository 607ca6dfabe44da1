/* merchant.h - merchants: add and show. */
#ifndef LEDGER_MERCHANT_H
#define LEDGER_MERCHANT_H

#include "common/app.h"

/* Says why it fails. */
enum app_status merchant_make(struct app *app, const char *id, const char *name,
                              const char *category);

extern const struct app_option merchant_add_options[];
enum app_status merchant_add(struct app *app);
enum app_status merchant_show(struct app *app);

#endif
