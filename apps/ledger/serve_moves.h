/* serve_moves.h - what moves money, and transactions, over HTTP. */
#ifndef LEDGER_SERVE_MOVES_H
#define LEDGER_SERVE_MOVES_H

#include "common/service.h"

extern const struct service_parameter payment_parameters[];
extern const struct service_parameter cash_parameters[];
extern const struct service_parameter reason_parameters[];
extern const struct service_parameter status_parameters[];
enum app_status post_payment(struct service_call *call);
enum app_status post_deposit(struct service_call *call);
enum app_status post_withdrawal(struct service_call *call);
enum app_status complete_transaction(struct service_call *call);
enum app_status fail_transaction(struct service_call *call);
enum app_status reverse_transaction(struct service_call *call);
enum app_status get_transaction(struct service_call *call);
enum app_status get_transactions(struct service_call *call);

#endif
