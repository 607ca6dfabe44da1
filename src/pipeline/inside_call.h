/* inside_call.h - an operation that the server itself asks for: decoded, checked and run as any
 * other, without a connection, a caller or permissions. */
#ifndef GRAMME_PIPELINE_INSIDE_CALL_H
#define GRAMME_PIPELINE_INSIDE_CALL_H

#include "ops/op.h"

/* `context` is of this thread alone, which waits for the end. What is answered is dropped. */
struct error *inside_call(struct op_context *context, struct arena *arena, const char *operation,
                          struct slice json);

#endif
