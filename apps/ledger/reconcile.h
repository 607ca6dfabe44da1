/* reconcile.h - does everything add up?
 *
 * For every completed transaction of a range of time: its debits are as much as its credits, and
 * as its amount. For the whole table: every leg has its transaction, every transaction a status
 * that there is, and the index the same; every account has the balance that its legs make. */
#ifndef LEDGER_RECONCILE_H
#define LEDGER_RECONCILE_H

#include "common/app.h"

struct reconcile_request {
    int64_t from_ms;
    int64_t to_ms;
    bool may_be_empty; /* a range without transactions is no problem */
    void (*tell)(void *context, const char *problem);
    void *context;
};

struct reconcile_result {
    size_t transactions;
    size_t accounts;
    size_t problems;
};

/* False, with a message, when not all could be read. */
bool reconcile_range(struct app *app, const struct reconcile_request *request,
                     struct reconcile_result *ret_result);
/* A day or a time for `from`, a day counts whole for `to`. Says what is wrong. */
bool reconcile_read_range(const struct app *app, const char *from, const char *to,
                          struct reconcile_request *ret_request);

extern const struct app_option reconcile_options[];
enum app_status reconcile(struct app *app);

#endif
