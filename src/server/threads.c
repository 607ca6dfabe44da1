/* threads.c - what each I/O thread and each worker has of its own. */
#include <stdlib.h>

#include "base/check.h"
#include "engine/engine.h"
#include "publish/publisher.h"
#include "server/access.h"
#include "server/reading.h"
#include "server/services.h"
#include "server/state.h"

enum { EXPR_CACHE_ENTRIES = 1024 };

static struct op_context context_on(struct server *server, struct engine *engine) {
    return (struct op_context){
        .engine = engine,
        .catalog = catalog_view_new(engine_catalog(engine)),
        .exprs = expr_cache_new(EXPR_CACHE_ENTRIES),
        .clock = server->clock,
        .random = &system_random,
        .throttle = server->throttle,
        .store_is_far = engine_store_is_far(engine),
        .region = slice_text(server->config.region),
        .account = slice_text(server->config.account),
        .leniencies = server->config.leniencies,
        .endpoint = server->endpoint_name,
        .ask = pipeline_ask,
    };
}

struct op_context server_context_new(struct server *server) {
    return context_on(server, server->engine);
}

void server_context_free(struct op_context *context) {
    catalog_view_free(context->catalog);
    expr_cache_free(context->exprs);
}

static void publish(void *user) {
    publisher_sample(user);
}

/* What it has while another server leads. */
static struct server_thread *thread_new(struct server *server) {
    struct server_thread *thread = calloc(1, sizeof(*thread));
    CHECK(thread != NULL);
    thread->pipeline.owner = thread;
    thread->pipeline.pages = &server->pages;
    thread->pipeline.console = server->config.no_console ? NULL : &server->console;
    if (server->node.tls == NULL || atomic_load(&server->node.serves))
        server_thread_serve(server, thread);
    return thread;
}

void *server_io_thread_start(void *user, unsigned index) {
    (void)index;
    struct server *server = user;
    struct relay_options options = {.tls = server->node.tls, .tally = &server->node.tally};
    struct server_thread *thread = thread_new(server);
    if (!thread->serves)
        thread->relay = relay_new(&options);
    return thread;
}

void *server_relayed_thread_start(void *user, unsigned index) {
    (void)index;
    return thread_new(user);
}

static void fill(struct server *server, struct pipeline_thread *thread) {
    thread->ops = server_context_new(server);
    thread->workers = server->workers;
    thread->policy = server->policy;
    if (server->access != NULL)
        thread->authenticator = authenticator_new(access_iam(server->access),
                                                  server->config.skew_minutes, server->clock);
    if (server->audit != NULL)
        thread->auditor = auditor_new(server->audit);
    thread->slow = server->config.slow_ms == 0 ? NULL : &server->slow;
    thread->publishing = (struct publishing){publish, server->publisher};
    thread->meter.thread = meters_join(server->meters);
    thread->services = services_list(server->services);
    thread->faults = server->faults;
    thread->delays = server->delays;
    thread->test_clock = server->config.test_clock ? &server->movable : NULL;
}

/* It has an engine and workers of its own. */
void server_thread_read(struct server *server, struct server_thread *thread) {
    struct pipeline_thread *reader = calloc(1, sizeof(*reader));
    CHECK(reader != NULL);
    reader->ops = context_on(server, reading_engine(server->reading));
    reader->workers = reading_workers(server->reading);
    reader->confirming = reading_confirming(server->reading);
    reader->policy = server->policy;
    if (reading_iam(server->reading) != NULL)
        reader->authenticator = authenticator_new(reading_iam(server->reading),
                                                  server->config.skew_minutes, server->clock);
    reader->pages = thread->pipeline.pages;
    reader->console = thread->pipeline.console;
    reader->meter.thread = meters_join(server->meters);
    reader->owner = thread;
    thread->reader = reader;
}

/* One that was starting just then may have seen by itself that it serves. */
void server_thread_serve(struct server *server, struct server_thread *thread) {
    if (thread->serves)
        return;
    fill(server, &thread->pipeline);
    thread->serves = true;
    if (thread->relay != NULL)
        relay_serve(thread->relay);
}

static void free_reader(struct pipeline_thread *reader) {
    if (reader == NULL)
        return;
    server_context_free(&reader->ops);
    authenticator_free(reader->authenticator);
    free(reader);
}

void server_io_thread_stop(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    if (thread->serves)
        server_context_free(&thread->pipeline.ops);
    free_reader(thread->reader);
    authenticator_free(thread->pipeline.authenticator);
    auditor_free(thread->pipeline.auditor);
    relay_free(thread->relay);
    free(thread);
}

void server_io_thread_sent(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    if (thread->serves)
        call_meter_sent(&thread->pipeline.meter);
    else if (thread->reader != NULL)
        call_meter_sent(&thread->reader->meter);
}

bool server_io_thread_ticked(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    return thread->relay != NULL && relay_tick(thread->relay);
}

void *server_worker_start(void *user) {
    struct op_context *context = calloc(1, sizeof(*context));
    CHECK(context != NULL);
    *context = server_context_new(user);
    return context;
}

void *server_reading_worker_start(void *user) {
    struct server *server = user;
    struct op_context *context = calloc(1, sizeof(*context));
    CHECK(context != NULL);
    *context = context_on(server, reading_engine(server->reading));
    return context;
}

void server_worker_stop(void *user, void *context) {
    (void)user;
    server_context_free(context);
    free(context);
}
