/* consumed.h - ConsumedCapacity in replies: what the account of a call says. `wanted` is the
 * request's ReturnConsumedCapacity, which passed its constraint. */
#ifndef GRAMME_OPS_ACCOUNT_CONSUMED_H
#define GRAMME_OPS_ACCOUNT_CONSUMED_H

#include "json/writer.h"
#include "ops/account/account.h"

/* ,"ConsumedCapacity":{"TableName":"t","CapacityUnits":1.0} as a member, with its parts where
 * INDEXES are wanted, or nothing: of a call about one table. */
void consumed_write(struct json_writer *json, const struct account *account, struct slice wanted);
/* ,"ConsumedCapacity":[...] likewise: of a call about several tables, in the order they were
 * touched. One on which all writes failed is left out. */
void consumed_write_list(struct json_writer *json, const struct account *account,
                         struct slice wanted);

#endif
