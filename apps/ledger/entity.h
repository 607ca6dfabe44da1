/* entity.h - the table and its keys.
 *
 * Everything is in one table, FinancialTransactions, and an item's keys tell what it is:
 *
 *               PK             SK        GSI1PK        GSI1SK              GSI2PK            GSI2SK
 *   merchant    MERCHANT#<id>  METADATA
 *   account     ACCOUNT#<id>   METADATA  USER#<id>     ACCOUNT#<id>
 *   transaction TXN#<id>       METADATA  STATUS#<s>    CREATED#<time>      IDEMPOTENCY#<key> TXN
 *   leg         TXN#<id>       LEG#<id>  ACCOUNT#<id>  LEG#<time>#<id>
 *
 * and RECONCILIATION#<day>, METADATA, what was found in the night after a day (nightly.h), and what
 * begins with TOTAL, sums of all these (totals.h, totals_place.h). Another table has what happened
 * to them (audit_trail.h).
 *
 * So a transaction and its legs are one partition and one Query; GSI1 has the accounts of a user,
 * the transactions of a status by time and the legs of an account by time; GSI2 finds a transaction
 * by the key under which it was asked for. */
#ifndef LEDGER_ENTITY_H
#define LEDGER_ENTITY_H

#include "common/app.h"

#define LEDGER_TABLE "FinancialTransactions"

/* Two ids of 64 characters, a time, and the words around them. */
enum {
    LEDGER_KEY_SIZE = 192,
    LEDGER_ID_SIZE = 65,
    LEDGER_CURRENCY_SIZE = 4,
    LEDGER_STATUS_SIZE = 16
};

/* Sets a string attribute to prefix + id: "PK", "ACCOUNT#", "660f9511". */
void entity_set(struct ddb_item *item, const char *name, const char *prefix, const char *id);
/* The key of a merchant, an account or a transaction; yours to free. */
struct ddb_item *entity_key(const char *prefix, const char *id);
/* The item, or NULL when there is none; false, with a message, when it cannot be read. */
bool entity_read(struct app *app, const char *prefix, const char *id, struct ddb_item **ret_item);
/* Writes a new one. Fails, with a message, when there is one with that key. */
enum app_status entity_add(struct app *app, const char *what, const struct ddb_item *item);

/* One page after another of items in an index, `GSI1PK = :pk` or GSI2PK. */
struct entity_query {
    const char *index;
    const char *condition; /* with :pk, and :from and :to as needed */
    const char *pk_prefix;
    const char *pk;
    const char *from; /* or NULL */
    const char *to;   /* or NULL */
    bool descending;
    int64_t limit;
    const struct ddb_item *start_key;
};
struct ddb_cursor *entity_query(struct app *app, const struct entity_query *query);

#endif
