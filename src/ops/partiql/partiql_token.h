/* partiql_token.h - NextToken of ExecuteStatement: where a page of a SELECT ended.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 1
 *   1       16    SipHash of all that follows
 *   17      16    fingerprint of the request: statement, parameters, table
 *   33      4     which range of keys was being read, little-endian
 *   37      ...   the last key that was read: a value of type M
 *
 * in base64. The hash tells a token that was changed from one of another request; it keeps nothing
 * secret, and a token says nothing that its request does not allow anyway: the key is checked
 * against the range again. */
#ifndef GRAMME_OPS_PARTIQL_PARTIQL_TOKEN_H
#define GRAMME_OPS_PARTIQL_PARTIQL_TOKEN_H

#include "ops/partiql/partiql_call.h"

struct partiql_token {
    uint8_t fingerprint[16];
    uint32_t range;
    struct value last_key;
};

void partiql_fingerprint(const struct partiql_call *statement, uint8_t ret_fingerprint[16]);

struct slice partiql_token_encode(struct arena *arena, const struct partiql_token *token);
/* Expects token->fingerprint to be set and fills in the rest. "Invalid NextToken", "NextToken does
 * not match request". */
struct error *partiql_token_decode(struct arena *arena, struct slice text,
                                   struct partiql_token *token);
struct error *partiql_token_invalid(struct arena *arena);

#endif
