/* nightly.h - a reconciliation of every day, made once, by whichever copy comes first.
 *
 *     PK RECONCILIATION#<day>, SK METADATA -> Type, StartedAt; and when it is done: FinishedAt,
 *     Transactions, Accounts, Problems, and Findings, the first hundred problems
 *
 * The item is what the copies agree by: who puts it, or finds one that was begun an hour ago and
 * not finished, reconciles that day. */
#ifndef LEDGER_NIGHTLY_H
#define LEDGER_NIGHTLY_H

#include "common/app.h"

/* Reconciles yesterday, when it is `hour` o'clock UTC or later and nobody has. Says why it fails,
 * and when there are problems. */
enum app_status nightly_run(struct app *app, int64_t hour);

#endif
