/* transact_fingerprint.h - when two requests with one ClientRequestToken are the same.
 *
 * An operation adds all that its request says besides ClientRequestToken and
 * ReturnConsumedCapacity: as it was decoded, so that neither the order of its members nor the
 * spelling of numbers matters. Every part is written with its length in front, so that no two
 * requests are written out alike; the fingerprint is a hash of the whole. */
#ifndef GRAMME_OPS_TRANSACT_TRANSACT_FINGERPRINT_H
#define GRAMME_OPS_TRANSACT_TRANSACT_FINGERPRINT_H

#include "ops/op.h"

struct transact_fingerprint {
    struct op_call *call;
    struct buffer form;
};

/* The operation's name is the first part. */
void transact_fingerprint_begin(struct transact_fingerprint *fingerprint, struct op_call *call);
void transact_fingerprint_add_byte(struct transact_fingerprint *fingerprint, uint8_t byte);
void transact_fingerprint_add(struct transact_fingerprint *fingerprint, struct slice part);
/* Placeholders in any order: struct field_pair, struct field_value. */
void transact_fingerprint_add_names(struct transact_fingerprint *fingerprint,
                                    const struct field_list *names);
void transact_fingerprint_add_values(struct transact_fingerprint *fingerprint,
                                     const struct field_list *values);
/* Of a statement: struct field_item. */
void transact_fingerprint_add_parameters(struct transact_fingerprint *fingerprint,
                                         const struct field_list *parameters);
/* Gives the form back. */
void transact_fingerprint_end(struct transact_fingerprint *fingerprint,
                              uint8_t ret_fingerprint[16]);

#endif
