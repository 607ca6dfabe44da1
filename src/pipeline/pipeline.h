/* pipeline.h - the path of a request, from its bytes to its reply. */
#ifndef GRAMME_PIPELINE_PIPELINE_H
#define GRAMME_PIPELINE_PIPELINE_H

#include "endpoint/endpoint.h"
#include "ops/op.h"
#include "pipeline/audit.h"
#include "pipeline/authenticate.h"
#include "pipeline/meter_call.h"
#include "pipeline/workers.h"

struct delays;
struct faults;

/* What every I/O thread has, as exchange->thread_context. */
struct pipeline_thread {
    struct op_context ops;
    struct workers *workers;
    struct authenticator *authenticator; /* NULL: callers are who they say */
    const struct policy *policy;         /* of all callers; NULL: there is none */
    struct auditor *auditor;             /* NULL: there is no audit log */
    struct movable_clock *test_clock;    /* NULL: time is not to be moved */
    struct call_meter meter;
    struct faults *faults; /* NULL: nothing is to go wrong */
    struct delays *delays; /* with faults */
};

/* op_context.ask of these threads. */
struct error *pipeline_ask(struct permission *permission);

/* The endpoint's handler. */
void pipeline_handle(struct exchange *exchange);
/* And who is told of the web pages that do not come so far. */
void pipeline_turned_away(struct exchange *exchange);

#endif
