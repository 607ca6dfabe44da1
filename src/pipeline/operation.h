/* operation.h - which operation a request asks for, and what that says of it before it is read. */
#ifndef GRAMME_PIPELINE_OPERATION_H
#define GRAMME_PIPELINE_OPERATION_H

#include "endpoint/endpoint.h"
#include "ops/op.h"

/* NULL: none that is there. */
const struct op *operation_find(const struct http_request *request, unsigned *ret_number);
/* What is answered then. */
struct error *operation_unknown(struct arena *arena, const struct http_request *request);

/* Whether it reads items, and does nothing else. */
bool operation_reads_items(const struct exchange *exchange);
/* Whether it is a write that any server may do, where several write. */
bool operation_is_shared(const struct exchange *exchange);
/* Whether the request may be handled twice: it only reads, or has a token. */
bool operation_may_repeat(struct exchange *exchange);

#endif
