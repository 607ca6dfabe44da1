/* report.h - what was paid: a transaction, an account's legs, the transactions of a status. */
#ifndef LEDGER_REPORT_H
#define LEDGER_REPORT_H

#include "common/app.h"

enum app_status report_show(struct app *app);
extern const struct app_option report_statement_options[];
enum app_status report_statement(struct app *app);
extern const struct app_option report_by_status_options[];
enum app_status report_by_status(struct app *app);

#endif
