/* pipeline.h - the path of a request, from its bytes to its reply. */
#ifndef GRAMME_PIPELINE_PIPELINE_H
#define GRAMME_PIPELINE_PIPELINE_H

#include "pipeline/thread.h"

/* op_context.ask of these threads. */
struct error *pipeline_ask(struct permission *permission);

/* The endpoint's handler. */
void pipeline_handle(struct exchange *exchange);
/* Whether it reads items, and does nothing else. */
bool pipeline_reads_items(const struct exchange *exchange);
/* Whether it is a write that any server may do, where several write. */
bool pipeline_is_shared(const struct exchange *exchange);
/* Whether the request may be handled twice: it only reads, or has a token. */
bool pipeline_may_repeat(struct exchange *exchange);
/* And who is told of the web pages that do not come so far. */
void pipeline_turned_away(struct exchange *exchange);

#endif
