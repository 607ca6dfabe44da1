/* shares.h - which server writes which groups of keys, where several do (engine_groups).
 *
 * It is for peace: whoever does a write that belongs to another gets in its way, and no more. */
#ifndef GRAMME_OPS_ITEM_SHARES_H
#define GRAMME_OPS_ITEM_SHARES_H

#include "ops/op.h"

struct exchange;

struct shares {
    uint8_t here;                     /* the number of this server */
    uint8_t owners[STORE_GROUPS_MAX]; /* by group: that of the server that has it */
    /* Hands a request on to the server of that number. */
    void (*hand_on)(struct exchange *exchange, uint8_t owner);
};

/* Whose the deferred writes of a call are; when that is not one server's, they are done here. */
uint8_t shares_owner(const struct shares *shares, const struct op_call *call);

#endif
