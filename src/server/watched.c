/* watched.c - what a server tells of itself: its pages, on a port of their own or not, and its
 * metrics. */
#include <stdlib.h>

#include "base/check.h"
#include "engine/engine.h"
#include "server/state.h"
#include "server/world.h"
#include "server/worlds.h"

enum { METRICS_CONNECTIONS_MAX = 100 };

void server_name_operations(struct server *server) {
    const struct op_listing *list;
    size_t count = op_list(&list);
    CHECK(count < METER_NO_OPERATION);
    for (size_t i = 0; i < count; i++)
        server->operations[i] = list[i].name;
}

static struct telemetry_part part_of(struct world *world, struct arena *arena) {
    struct telemetry_part part = {.name_space = SLICE_LITERAL(""),
                                  .meters = world->meters,
                                  .engine = world->engine,
                                  .catalog = catalog_view_new(engine_catalog(world->engine))};
    if (world->name.key[0] != '\0')
        part.name_space = slice_text(world_name_text(arena, &world->name));
    return part;
}

struct slice server_write_metrics(void *user, struct slice accept, struct buffer *out) {
    struct server *server = user;
    struct arena CLEANUP(arena_release) arena;
    struct world *worlds[WORLDS_MAX + 1];
    struct telemetry telemetry = server->telemetry;
    arena_init(&arena);
    telemetry.part_count = worlds_watch_all(server, worlds);
    struct telemetry_part *parts = ARENA_ARRAY(&arena, struct telemetry_part, telemetry.part_count);
    telemetry.parts = parts;
    telemetry.has_name_spaces = server->config.name_spaces;
    telemetry.store = worlds[0]->store;
    for (size_t i = 0; i < telemetry.part_count; i++)
        parts[i] = part_of(worlds[i], &arena);
    struct slice type = telemetry_write(&telemetry, accept, out);
    for (size_t i = 0; i < telemetry.part_count; i++) {
        catalog_view_free(parts[i].catalog);
        worlds_unwatch(worlds[i]);
    }
    return type;
}

void server_show_store(struct server *server, struct store *store) {
    pthread_mutex_lock(&server->pages.lock);
    server->node.store = store;
    pthread_mutex_unlock(&server->pages.lock);
}

static struct slice write_following(void *user, struct slice accept, struct buffer *out) {
    struct server *server = user;
    pthread_mutex_lock(&server->pages.lock);
    struct telemetry telemetry = {
        .store = server->node.store,
        .endpoint = server->endpoint,
        .relay = &server->node.tally,
        .reading = atomic_load(&server->node.reads) ? server->reading : NULL,
        .role = atomic_load(&server->pages.state) == PAGES_FOLLOWING ? "serving" : "waiting"};
    struct slice content_type = telemetry_write_following(&telemetry, accept, out);
    pthread_mutex_unlock(&server->pages.lock);
    return content_type;
}

void server_open_pages(struct server *server) {
    server->pages = (struct pages){.write = server_write_metrics,
                                   .write_following = write_following,
                                   .find_out = node_find_out,
                                   .user = server,
                                   .shared = server->config.store_url != NULL,
                                   .open = server->config.metrics_open};
    pthread_mutex_init(&server->pages.lock, NULL);
    server->telemetry.started_ms = clock_now_ms(&system_clock);
    server->console = (struct console){.region = slice_text(server->config.region),
                                       .auth = server->config.auth,
                                       .name_spaces = server->config.name_spaces};
}

void server_publish_pages(struct server *server) {
    server->telemetry = (struct telemetry){
        .endpoint = server->endpoint,
        .workers = server->workers,
        .backups = &server->backups,
        .names = server->operations,
        .program = server->config.program == NULL ? "gramme" : server->config.program,
        .started_ms = server->telemetry.started_ms,
        .relay = server->node.tls == NULL ? NULL : &server->node.tally,
        .role = "leading",
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

static struct endpoint_config pages_config(struct server *server, struct arena *arena) {
    struct endpoint_config config = {
        .host = slice_text(server->config.host),
        .threads = 1,
        .limits = endpoint_limits_default(),
        .allow_hosts = server_names_of(arena, server->config.allow_hosts),
        .random = &system_random,
        .handle_other = pages_handle,
        .thread_start = metrics_thread_start,
        .thread_stop = metrics_thread_stop,
        .user = server,
    };
    config.limits.connections_max = METRICS_CONNECTIONS_MAX;
    return config;
}

struct error *server_start_metrics_endpoint(struct server *server, struct arena *arena) {
    struct endpoint_config config = pages_config(server, arena);
    config.port = server->config.metrics_port;
    config.handle = handle_nothing;
    if (config.port == 0)
        return NULL;
    return endpoint_start(arena, &config, &server->metrics_endpoint);
}
