/* statement.h - the legs of an account, the newest first, with the balance after each.
 *
 * The balance is counted back from that of the account, or from the place where the page before
 * has ended. So what a page says of a leg never changes. */
#ifndef LEDGER_STATEMENT_H
#define LEDGER_STATEMENT_H

#include "common/money.h"
#include "entity.h"

enum { STATEMENT_PAGE = 100, STATEMENT_PLACE_SIZE = 3 * LEDGER_ID_SIZE + 32 };

struct statement {
    struct {
        struct ddb_item *leg;
        money_sum balance; /* after it */
    } lines[STATEMENT_PAGE];
    size_t count;
    char next[STATEMENT_PLACE_SIZE]; /* where the next page begins; "" after the last one */
};

/* Says why it fails: APP_USAGE when `place`, which may be NULL, is none. Release it in any case. */
enum app_status statement_read(struct app *app, const char *account, const char *place,
                               struct statement *ret_statement);
void statement_release(struct statement *statement);

extern const struct app_option statement_options[];
enum app_status statement_show(struct app *app);

#endif
