/* thread.h - what every I/O thread works with. */
#ifndef GRAMME_PIPELINE_THREAD_H
#define GRAMME_PIPELINE_THREAD_H

#include "endpoint/endpoint.h"
#include "ops/item/shares.h"
#include "pipeline/audit.h"
#include "pipeline/authenticate.h"
#include "pipeline/meter_call.h"
#include "pipeline/slow_log.h"
#include "pipeline/workers.h"
#include "policy/common.h"

struct console;
struct contexts;
struct delays;
struct faults;
struct pages;
struct service_instance;

/* The reply of a server that reads what another one changes: whether that changed what it knew. */
struct confirmation {
    struct confirmation *next;
    struct exchange *exchange; /* whose task is posted when that is known */
    uint64_t known;            /* the number of what it knew when it began */
    bool good;                 /* the answer: it was still true when it had read */
};

struct confirming {
    uint64_t (*known)(void *user);
    void (*ask)(void *user, struct confirmation *confirmation);
    void *user;
};

/* exchange->thread_context. */
struct pipeline_thread {
    struct op_context ops;
    void *owner; /* what this is a part of; the server's */
    struct workers *workers;
    struct contexts *contexts;           /* of calls that run there */
    struct authenticator *authenticator; /* NULL: callers are who they say */
    const struct common_policy *policy;  /* of all callers; NULL: there is none */
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
    const struct confirming *confirming;     /* NULL: what it knows is the truth */
    const struct shares *shares;             /* NULL: what comes here is done here */
    const struct service_instance *services; /* besides DynamoDB; NULL: there are none */
};

static inline void publish_now(const struct pipeline_thread *thread) {
    if (thread->publishing.now != NULL)
        thread->publishing.now(thread->publishing.user);
}

#endif
