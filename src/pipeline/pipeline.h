/* pipeline.h - the path of a request, from its bytes to its reply. */
#ifndef GRAMME_PIPELINE_PIPELINE_H
#define GRAMME_PIPELINE_PIPELINE_H

#include "pipeline/thread.h"

/* op_context.ask of these threads. */
struct error *pipeline_ask(struct permission *permission);

/* The endpoint's handler. */
void pipeline_handle(struct exchange *exchange);

#endif
