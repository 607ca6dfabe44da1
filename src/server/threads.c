/* threads.c - what each I/O thread and each worker has of its own. */
#include <stdlib.h>

#include "base/check.h"
#include "publish/publisher.h"
#include "server/access.h"
#include "server/policy_file.h"
#include "server/reading.h"
#include "server/services.h"
#include "server/state.h"
#include "server/world.h"
#include "server/world_threads.h"
#include "server/worlds.h"

static void publish(void *user) {
    publisher_sample(user);
}

/* What it has while another server leads. */
static struct server_thread *thread_new(struct server *server) {
    struct server_thread *thread = calloc(1, sizeof(*thread));
    CHECK(thread != NULL);
    thread->server = server;
    thread->pipeline.owner = thread;
    thread->pipeline.pages = &server->pages;
    thread->pipeline.console = server->config.no_console ? NULL : &server->console;
    if (!worlds_are_many(server) && (server->node.tls == NULL || atomic_load(&server->node.serves)))
        server_thread_serve(server, thread);
    return thread;
}

void *server_io_thread_start(void *user, unsigned index) {
    (void)index;
    struct server *server = user;
    struct relay_options options = {.tls = server->node.tls, .tally = &server->node.tally};
    struct server_thread *thread = thread_new(server);
    if (server->node.tls != NULL && !thread->serves)
        thread->relay = relay_new(&options);
    return thread;
}

void *server_relayed_thread_start(void *user, unsigned index) {
    (void)index;
    return thread_new(user);
}

void server_thread_fill(struct world *world, struct pipeline_thread *thread) {
    struct server *server = world->server;
    thread->ops = world_context(world, world->engine);
    thread->contexts = &world->contexts;
    thread->workers = server->workers;
    thread->policy = policy_file_common(server->policy);
    if (server->access != NULL)
        thread->authenticator = authenticator_new(access_iam(server->access),
                                                  server->config.skew_minutes, world->clock);
    if (server->audit != NULL)
        thread->auditor = auditor_new(server->audit);
    thread->slow = server->config.slow_ms == 0 ? NULL : &world->slow;
    thread->publishing = (struct publishing){publish, world->publisher};
    thread->meter.thread = meters_join(world->meters);
    thread->services = services_list(world->services);
    thread->faults = world->faults;
    thread->delays = server->delays;
    thread->test_clock = server->config.test_clock ? &world->movable : NULL;
}

void server_thread_empty(struct pipeline_thread *thread) {
    world_context_end(&thread->ops);
    authenticator_free(thread->authenticator);
    auditor_free(thread->auditor);
}

/* It has an engine and workers of its own. */
void server_thread_read(struct server *server, struct server_thread *thread) {
    struct pipeline_thread *reader = calloc(1, sizeof(*reader));
    CHECK(reader != NULL);
    reader->ops = world_context(server->world, reading_engine(server->reading));
    reader->contexts = &server->reading_contexts;
    reader->workers = reading_workers(server->reading);
    reader->confirming = reading_confirming(server->reading);
    reader->policy = policy_file_common(server->policy);
    if (reading_iam(server->reading) != NULL)
        reader->authenticator = authenticator_new(
            reading_iam(server->reading), server->config.skew_minutes, server->world->clock);
    reader->pages = thread->pipeline.pages;
    reader->console = thread->pipeline.console;
    reader->meter.thread = meters_join(server->world->meters);
    reader->owner = thread;
    reader->ops.defers = server->node.joined;
    thread->reader = reader;
}

/* One that was starting just then may have seen by itself that it serves. */
void server_thread_serve(struct server *server, struct server_thread *thread) {
    if (thread->serves)
        return;
    server_thread_fill(server->world, &thread->pipeline);
    thread->serves = true;
    if (thread->relay != NULL)
        relay_serve(thread->relay);
}

static void free_reader(struct pipeline_thread *reader) {
    if (reader == NULL)
        return;
    world_context_end(&reader->ops);
    authenticator_free(reader->authenticator);
    free(reader);
}

void server_io_thread_stop(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    if (thread->serves)
        server_thread_empty(&thread->pipeline);
    world_threads_forget(thread);
    free_reader(thread->reader);
    relay_free(thread->relay);
    sharing_thread_free(thread);
    free(thread);
}

void server_io_thread_sent(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    if (thread->reader != NULL) /* it may have had something on its way when this began to serve */
        call_meter_sent(&thread->reader->meter);
    if (thread->serves)
        call_meter_sent(&thread->pipeline.meter);
    else
        world_threads_sent(thread);
}

bool server_io_thread_ticked(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    bool shares = sharing_thread_tick(thread);
    bool rest = thread->relay != NULL ? relay_tick(thread->relay) : world_threads_ticked(thread);
    return shares || rest;
}
