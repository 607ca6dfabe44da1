/* audit_show.h - shows entries of the audit trail: as a command, and over HTTP. */
#ifndef LEDGER_AUDIT_SHOW_H
#define LEDGER_AUDIT_SHOW_H

#include "common/service.h"

/* `audit list` */
extern const struct app_option audit_list_options[];
enum app_status audit_list(struct app *app);

/* GET /audit */
extern const struct service_parameter audit_list_parameters[];
enum app_status get_audit(struct service_call *call);

#endif
