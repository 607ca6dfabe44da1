/* fault_call.h - what goes wrong on purpose with one call (faults.h has what is asked for). */
#ifndef GRAMME_PIPELINE_FAULT_CALL_H
#define GRAMME_PIPELINE_FAULT_CALL_H

#include "pipeline/pipeline_call.h"

/* Before it runs: takes the fault that fits it, if there is one. False: it runs as if there were
 * none, whatever happens to it afterwards. */
bool fault_call_take(struct pipeline_call *self, struct faults *faults);
/* `then` goes on with the call, at once or after the fault's delay. */
void fault_call_wait(struct pipeline_call *self, void (*then)(struct net_task *task));

#endif
