/* cancellation.h - TransactionCanceledException: one reason per action of a transaction. */
#ifndef GRAMME_OPS_TRANSACT_CANCELLATION_H
#define GRAMME_OPS_TRANSACT_CANCELLATION_H

#include "base/error.h"

/* What to answer when some of a transaction's actions failed; errors[i] is NULL for an action that
 * nothing speaks against. An error that is no reason for a cancellation (the table is gone, a fault
 * of the server's) is returned itself. */
struct error *cancellation_error(struct arena *arena, size_t count, struct error *const *errors);

/* A key attribute of the table or of an index is empty, or an item that is put is too large: the
 * service says so at once, where other problems with a table's keys cancel the transaction. */
bool cancellation_unfit(const struct error *error);

#endif
