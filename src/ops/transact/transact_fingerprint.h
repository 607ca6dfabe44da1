/* transact_fingerprint.h - when two requests with one ClientRequestToken are the same. */
#ifndef GRAMME_OPS_TRANSACT_TRANSACT_FINGERPRINT_H
#define GRAMME_OPS_TRANSACT_TRANSACT_FINGERPRINT_H

#include "ops/op.h"
#include "ops/partiql/partiql_input.h"
#include "ops/transact/transact_input.h"

/* A hash of all that the request says besides ClientRequestToken and ReturnConsumedCapacity: as it
 * was decoded, so that neither the order of its members nor the spelling of numbers matters. */
void transact_fingerprint(struct op_call *call, const struct transact_write_items_request *request,
                          uint8_t ret_fingerprint[16]);
/* The same for ExecuteTransaction, whose statements count as they are written. */
void transact_statements_fingerprint(struct op_call *call,
                                     const struct execute_transaction_request *request,
                                     uint8_t ret_fingerprint[16]);

#endif
