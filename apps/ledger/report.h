/* report.h - what was paid: a transaction, the transactions of a status. */
#ifndef LEDGER_REPORT_H
#define LEDGER_REPORT_H

#include "common/app.h"

/* The transactions of a status since a time; NULL: the last 24 hours. APP_USAGE, with a message,
 * when one of the two is none. */
enum app_status report_query(struct app *app, const char *status, const char *since,
                             struct ddb_cursor **ret_transactions);

enum app_status report_show(struct app *app);
extern const struct app_option report_by_status_options[];
enum app_status report_by_status(struct app *app);

#endif
