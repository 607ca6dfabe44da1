/* pipeline_call.h - a call of an operation on its way through the pipeline: the exchange's user. */
#ifndef GRAMME_PIPELINE_PIPELINE_CALL_H
#define GRAMME_PIPELINE_PIPELINE_CALL_H

#include "ops/op.h"
#include "pipeline/authenticate.h"
#include "pipeline/delays.h"
#include "pipeline/thread.h"

struct audit_note;
struct fault;

/* How far a call has come. */
enum call_step {
    STEP_FIND,
    STEP_AUTHENTICATE,
    STEP_DECODE,
    STEP_VALIDATE, /* from here on the operation's release is due */
    STEP_RUN,      /* it is valid, if not allowed */
};

struct pipeline_call {
    struct op_call call;
    struct exchange *exchange;
    struct worker_task task;
    struct error *error; /* of the step on a worker */
    enum op_state state; /* likewise */
    struct caller caller;
    enum call_step step;
    struct audit_note *note;   /* NULL: there is no audit log */
    const struct fault *fault; /* NULL: nothing goes wrong on purpose */
    struct delay delay;
    struct call_times *times; /* NULL: there is no slow log */
    struct confirmation confirmation;
    bool dropped;
    bool submitted; /* what was known was true before it wrote */
};

#endif
