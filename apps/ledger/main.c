/* main.c - `gramme-ledger`: the commands. */
#include "account.h"
#include "audit_follow.h"
#include "audit_show.h"
#include "audit_verify.h"
#include "merchant.h"
#include "pay.h"
#include "reconcile.h"
#include "report.h"
#include "serve.h"
#include "statement.h"
#include "totals_rebuild.h"
#include "totals_show.h"

static const struct app_command commands[] = {
    {"merchant add", NULL, "adds a merchant; prints its id", merchant_add, merchant_add_options},
    {"merchant show", "MERCHANT", "shows a merchant", merchant_show, NULL},
    {"account open", NULL, "opens an account", account_open, account_open_options},
    {"account show", "ACCOUNT", "shows an account", account_show, NULL},
    {"account freeze", "ACCOUNT", "lets nothing move until it is unfrozen", account_freeze, NULL},
    {"account unfreeze", "ACCOUNT", "makes a frozen account active again", account_unfreeze, NULL},
    {"account close", "ACCOUNT", "closes an empty account for ever", account_close, NULL},
    {"accounts", "USER", "lists the accounts of a user", account_list, NULL},
    {"pay", NULL, "pays once, however often it is run", pay, pay_options},
    {"deposit", NULL, "puts money from outside into an account, once", pay_deposit,
     pay_deposit_options},
    {"withdraw", NULL, "takes money out of an account, once", pay_withdraw, pay_withdraw_options},
    {"complete", "TXN", "makes a pending payment", pay_complete, NULL},
    {"fail", "TXN", "ends a pending payment without paying", pay_fail, pay_fail_options},
    {"reverse", "TXN", "moves the money of a transaction back, once", pay_reverse, NULL},
    {"show", "TXN", "shows a transaction and its legs", report_show, NULL},
    {"statement", "ACCOUNT", "lists the legs of an account, the newest first, 100 a page",
     statement_show, statement_options},
    {"by-status", "STATUS", "lists the transactions that are completed, pending or failed, by time",
     report_by_status, report_by_status_options},
    {"reconcile", NULL, "checks that debits are credits and balances are what the legs make",
     reconcile, reconcile_options},
    {"totals merchant", "MERCHANT", "counts and sums its transactions, by day", totals_merchant,
     totals_options},
    {"totals account", "ACCOUNT", "counts and sums its legs, by month", totals_account,
     totals_options},
    {"totals rebuild", NULL, "builds all totals from the transactions", totals_rebuild, NULL},
    {"audit list", NULL, "lists the changes of the table, in their order", audit_list,
     audit_list_options},
    {"audit verify", NULL, "checks that no entry of the audit trail was changed or is missing",
     audit_verify, audit_verify_options},
    {"audit record", NULL, "adds the changes up to now to the audit trail", audit_record, NULL},
    {"serve", NULL, "answers over HTTP, reconciles every night, keeps totals and an audit trail",
     serve_command, serve_options},
    {0},
};

int main(int argc, char **argv) {
    static const struct app_program program = {"gramme-ledger",
                                               "double-entry bookkeeping in one table", commands};
    return app_main(&program, argc, argv);
}
