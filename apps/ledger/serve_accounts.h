/* serve_accounts.h - merchants and accounts over HTTP. */
#ifndef LEDGER_SERVE_ACCOUNTS_H
#define LEDGER_SERVE_ACCOUNTS_H

#include "common/service.h"

extern const struct service_parameter merchant_parameters[];
extern const struct service_parameter account_parameters[];
extern const struct service_parameter statement_parameters[];
enum app_status post_merchant(struct service_call *call);
enum app_status get_merchant(struct service_call *call);
enum app_status post_account(struct service_call *call);
enum app_status get_account(struct service_call *call);
enum app_status freeze_account(struct service_call *call);
enum app_status unfreeze_account(struct service_call *call);
enum app_status close_account(struct service_call *call);
enum app_status get_accounts(struct service_call *call);
enum app_status get_statement(struct service_call *call);

#endif
