/* end_call.h - how a call ends: it is audited, counted, released and answered, where another server
 * leads only after that has confirmed what was known here. On the exchange's I/O thread. */
#ifndef GRAMME_PIPELINE_END_CALL_H
#define GRAMME_PIPELINE_END_CALL_H

#include "pipeline/pipeline_call.h"

/* Every call ends here, with an error or the reply that it wrote. Its account is complete. */
void end_call(struct pipeline_call *self, struct error *error);
/* Lets go what it has, without an end: it did nothing, and begins once more, here or elsewhere. */
void release_call(struct pipeline_call *self);

#endif
