/* thread.h - what every I/O thread works with. */
#ifndef GRAMME_PIPELINE_THREAD_H
#define GRAMME_PIPELINE_THREAD_H

#include "endpoint/endpoint.h"
#include "ops/op.h"
#include "pipeline/audit.h"
#include "pipeline/authenticate.h"
#include "pipeline/meter_call.h"
#include "pipeline/slow_log.h"
#include "pipeline/workers.h"

struct console;
struct delays;
struct faults;
struct pages;
struct service_instance;

/* exchange->thread_context. */
struct pipeline_thread {
    struct op_context ops;
    struct workers *workers;
    struct authenticator *authenticator; /* NULL: callers are who they say */
    const struct policy *policy;         /* of all callers; NULL: there is none */
    struct auditor *auditor;             /* NULL: there is no audit log */
    struct movable_clock *test_clock;    /* NULL: time is not to be moved */
    struct call_meter meter;
    int64_t throttle_ms; /* the time for limits, and the loop's when it was read */
    uint64_t throttle_loop_ms;
    struct faults *faults; /* NULL: nothing is to go wrong */
    struct delays *delays; /* with faults */
    struct pages *pages;
    const struct console *console; /* NULL: there is none */
    struct slow_log *slow;         /* NULL: there is none */
    /* Has published what was counted, before metrics are read and around a move of the clock. */
    struct publishing {
        void (*now)(void *user); /* NULL: nobody publishes */
        void *user;
    } publishing;
    const struct service_instance *services; /* besides DynamoDB; NULL: there are none */
};

static inline void publish_now(const struct pipeline_thread *thread) {
    if (thread->publishing.now != NULL)
        thread->publishing.now(thread->publishing.user);
}

#endif
