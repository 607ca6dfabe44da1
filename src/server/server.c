/* server.c - putting a server together, and taking it apart in reverse.
 *
 * Order of stopping: the endpoint first, which waits for every request under way, so that workers
 * and the commit thread are idle when they go. */
#include "server/server.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "engine/catalog.h"
#include "server/data_directory.h"
#include "server/pipeline.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"

enum { STOP_GRACE_MS = 5000, EXPR_CACHE_ENTRIES = 1024, WORKERS_MAX = 4 };

struct server {
    struct server_config config;
    struct arena arena; /* lives as long as the server */
    struct engine *engine;
    struct workers *workers;
    struct endpoint *endpoint;
    struct slice endpoint_name; /* host:port */
};

/* ---- per thread ---- */

static struct op_context context_new(struct server *server) {
    return (struct op_context){
        .engine = server->engine,
        .catalog = catalog_view_new(server->engine),
        .exprs = expr_cache_new(EXPR_CACHE_ENTRIES),
        .clock = &system_clock,
        .region = slice_text(server->config.region),
        .account = SLICE_LITERAL(SERVER_ACCOUNT),
        .endpoint = server->endpoint_name,
    };
}

static void context_free(struct op_context *context) {
    catalog_view_free(context->catalog);
    expr_cache_free(context->exprs);
}

static void *io_thread_start(void *user, unsigned index) {
    (void)index;
    struct server *server = user;
    struct pipeline_thread *thread = calloc(1, sizeof(*thread));
    CHECK(thread != NULL);
    thread->ops = context_new(server);
    thread->workers = server->workers;
    return thread;
}

static void io_thread_stop(void *user, void *context) {
    (void)user;
    struct pipeline_thread *thread = context;
    context_free(&thread->ops);
    free(thread);
}

static void *worker_start(void *user) {
    struct op_context *context = calloc(1, sizeof(*context));
    CHECK(context != NULL);
    *context = context_new(user);
    return context;
}

static void worker_stop(void *user, void *context) {
    (void)user;
    context_free(context);
    free(context);
}

/* ---- parts ---- */

static struct error *open_store(struct server *server, struct arena *arena,
                                struct store **ret_store) {
    if (server->config.data_directory == NULL)
        return memory_store_open(arena, engine_keyspaces, KEYSPACE_COUNT, ret_store);
    const char *path;
    TRY(data_directory_open(arena, server->config.data_directory, &path));
    struct rocksdb_store_options options = {.directory = path, .create = true};
    return rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, ret_store);
}

static struct error *start_engine(struct server *server, struct arena *arena) {
    struct engine_options options = {
        .durability = server->config.durability == SERVER_RELAXED ? STORE_RELAXED : STORE_DURABLE,
        .sync_interval_ms = SERVER_RELAXED_SYNC_MS,
        .clock = &system_clock,
        .region = slice_text(server->config.region),
        .account = SLICE_LITERAL(SERVER_ACCOUNT),
        .transaction_conflicts = server->config.transaction_conflicts,
    };
    TRY(open_store(server, arena, &options.store));
    return engine_open(arena, &options, &server->engine);
}

static struct error *start_workers(struct server *server, struct arena *arena) {
    unsigned count = server->config.threads;
    struct workers_options options = {
        .count = count > WORKERS_MAX ? WORKERS_MAX : count,
        .thread_start = worker_start,
        .thread_stop = worker_stop,
        .user = server,
    };
    return workers_start(arena, &options, &server->workers);
}

static struct error *start_endpoint(struct server *server, struct arena *arena) {
    struct endpoint_config config = {
        .host = slice_text(server->config.host),
        .port = server->config.port,
        .threads = server->config.threads,
        .limits = server_limits_default(),
        .region = slice_text(server->config.region),
        .clock = &system_clock,
        .handle = pipeline_handle,
        .thread_start = io_thread_start,
        .thread_stop = io_thread_stop,
        .user = server,
    };
    return endpoint_start(arena, &config, &server->endpoint);
}

static struct error *start_all(struct server *server, struct arena *arena) {
    server->endpoint_name =
        arena_printf(&server->arena, "%s:%u", server->config.host, server->config.port);
    TRY(start_engine(server, arena));
    TRY(start_workers(server, arena));
    return start_endpoint(server, arena);
}

struct error *server_start(struct arena *arena, const struct server_config *config,
                           struct server **ret_server) {
    struct server *server = calloc(1, sizeof(*server));
    CHECK(server != NULL);
    server->config = *config;
    arena_init(&server->arena);
    if (server->config.threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        server->config.threads = cores < 1 ? 1 : (unsigned)cores;
    }
    struct error *error = start_all(server, arena);
    if (error != NULL) {
        server_stop(server);
        return error;
    }
    *ret_server = server;
    return NULL;
}

uint16_t server_port(const struct server *server) {
    return endpoint_port(server->endpoint);
}

void server_stop(struct server *server) {
    if (server == NULL)
        return;
    if (server->endpoint != NULL)
        endpoint_stop(server->endpoint, STOP_GRACE_MS);
    workers_stop(server->workers);
    engine_close(server->engine);
    arena_release(&server->arena);
    free(server);
}
