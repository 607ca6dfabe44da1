/* audit_verify.h - walks the audit trail and tells the first thing that is wrong with it. */
#ifndef LEDGER_AUDIT_VERIFY_H
#define LEDGER_AUDIT_VERIFY_H

#include "common/service.h"

/* `audit verify` */
extern const struct app_option audit_verify_options[];
enum app_status audit_verify(struct app *app);

/* GET /audit/verification */
extern const struct service_parameter audit_verify_parameters[];
enum app_status get_audit_verification(struct service_call *call);

#endif
