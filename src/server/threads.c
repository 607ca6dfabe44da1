/* threads.c - what each I/O thread and each worker has of its own. */
#include <stdlib.h>

#include "base/check.h"
#include "engine/engine.h"
#include "publish/publisher.h"
#include "server/access.h"
#include "server/services.h"
#include "server/state.h"

enum { EXPR_CACHE_ENTRIES = 1024 };

struct op_context server_context_new(struct server *server) {
    return (struct op_context){
        .engine = server->engine,
        .catalog = catalog_view_new(engine_catalog(server->engine)),
        .exprs = expr_cache_new(EXPR_CACHE_ENTRIES),
        .clock = server->clock,
        .random = &system_random,
        .throttle = server->throttle,
        .store_is_far = engine_store_is_far(server->engine),
        .region = slice_text(server->config.region),
        .account = slice_text(server->config.account),
        .leniencies = server->config.leniencies,
        .endpoint = server->endpoint_name,
        .ask = pipeline_ask,
    };
}

void server_context_free(struct op_context *context) {
    catalog_view_free(context->catalog);
    expr_cache_free(context->exprs);
}

static void publish(void *user) {
    publisher_sample(user);
}

void *server_io_thread_start(void *user, unsigned index) {
    (void)index;
    struct server *server = user;
    struct pipeline_thread *thread = calloc(1, sizeof(*thread));
    CHECK(thread != NULL);
    thread->ops = server_context_new(server);
    thread->workers = server->workers;
    thread->policy = server->policy;
    if (server->access != NULL)
        thread->authenticator = authenticator_new(access_iam(server->access),
                                                  server->config.skew_minutes, server->clock);
    if (server->audit != NULL)
        thread->auditor = auditor_new(server->audit);
    thread->pages = &server->pages;
    thread->console = server->config.no_console ? NULL : &server->console;
    thread->slow = server->config.slow_ms == 0 ? NULL : &server->slow;
    thread->publishing = (struct publishing){publish, server->publisher};
    thread->meter.thread = meters_join(server->meters);
    thread->services = services_list(server->services);
    thread->faults = server->faults;
    thread->delays = server->delays;
    thread->test_clock = server->config.test_clock ? &server->movable : NULL;
    return thread;
}

void server_io_thread_stop(void *user, void *context) {
    (void)user;
    struct pipeline_thread *thread = context;
    server_context_free(&thread->ops);
    authenticator_free(thread->authenticator);
    auditor_free(thread->auditor);
    free(thread);
}

void server_io_thread_sent(void *user, void *context) {
    (void)user;
    struct pipeline_thread *thread = context;
    call_meter_sent(&thread->meter);
}

void *server_worker_start(void *user) {
    struct op_context *context = calloc(1, sizeof(*context));
    CHECK(context != NULL);
    *context = server_context_new(user);
    return context;
}

void server_worker_stop(void *user, void *context) {
    (void)user;
    server_context_free(context);
    free(context);
}
