/* watched.c - what a server tells of itself: its pages, on a port of their own or not, and its
 * metrics. */
#include <stdlib.h>

#include "base/check.h"
#include "engine/engine.h"
#include "publish/publisher.h"
#include "server/services.h"
#include "server/state.h"

enum { METRICS_CONNECTIONS_MAX = 100 };

void server_name_operations(struct server *server) {
    const struct op_listing *list;
    size_t count = op_list(&list);
    CHECK(count < METER_NO_OPERATION);
    for (size_t i = 0; i < count; i++)
        server->operations[i] = list[i].name;
}

struct error *server_start_publisher(struct server *server, struct arena *arena) {
    struct publisher_options options = {
        .meters = server->meters,
        .series = services_series(server->services),
        .engine = server->engine,
        .clock = server->clock,
        .names = server->operations,
    };
    return publisher_start(arena, &options, &server->publisher);
}

static struct slice write_metrics(void *user, struct op_context *context, struct slice accept,
                                  struct buffer *out) {
    const struct server *server = user;
    return telemetry_write(&server->telemetry, context->catalog, accept, out);
}

void server_open_pages(struct server *server) {
    server->pages =
        (struct pages){.write = write_metrics, .user = server, .open = server->config.metrics_open};
    server->telemetry.started_ms = clock_now_ms(&system_clock);
    server->console =
        (struct console){.region = slice_text(server->config.region), .auth = server->config.auth};
}

void server_publish_pages(struct server *server) {
    server->telemetry = (struct telemetry){
        .meters = server->meters,
        .engine = server->engine,
        .store = server->store,
        .endpoint = server->endpoint,
        .workers = server->workers,
        .backups = &server->backups,
        .names = server->operations,
        .program = server->config.program == NULL ? "gramme" : server->config.program,
        .started_ms = server->telemetry.started_ms,
    };
    server->pages.workers = server->workers;
    atomic_store(&server->pages.state, PAGES_READY);
}

static void *metrics_thread_start(void *user, unsigned index) {
    (void)index;
    struct server *server = user;
    struct pipeline_thread *thread = calloc(1, sizeof(*thread));
    CHECK(thread != NULL);
    thread->pages = &server->pages;
    return thread;
}

static void metrics_thread_stop(void *user, void *context) {
    (void)user;
    free(context);
}

static void handle_nothing(struct exchange *exchange) {
    exchange_reply_with(exchange, &(struct exchange_reply_options){.status = 404});
}

struct error *server_start_metrics_endpoint(struct server *server, struct arena *arena,
                                            struct guard_names hosts) {
    struct endpoint_config config = {
        .host = slice_text(server->config.host),
        .port = server->config.metrics_port,
        .threads = 1,
        .limits = endpoint_limits_default(),
        .allow_hosts = hosts,
        .random = &system_random,
        .handle = handle_nothing,
        .handle_other = pages_handle,
        .thread_start = metrics_thread_start,
        .thread_stop = metrics_thread_stop,
        .user = server,
    };
    config.limits.connections_max = METRICS_CONNECTIONS_MAX;
    if (server->config.metrics_port == 0)
        return NULL;
    return endpoint_start(arena, &config, &server->metrics_endpoint);
}
