/* totals_show.h - shows totals: as commands, and over HTTP. */
#ifndef LEDGER_TOTALS_SHOW_H
#define LEDGER_TOTALS_SHOW_H

#include "common/service.h"

extern const struct app_option totals_options[];
enum app_status totals_merchant(struct app *app);
enum app_status totals_account(struct app *app);

extern const struct service_parameter totals_parameters[];
enum app_status get_merchant_totals(struct service_call *call);
enum app_status get_account_totals(struct service_call *call);

#endif
