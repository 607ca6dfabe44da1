/* server.c - putting a server together, and taking it apart in reverse.
 *
 * Order of stopping: the control socket first, which gives up a backup under way; the port for
 * metrics, whose pages tell of all that follows; then the endpoint, which waits for every request
 * under way, so that workers and the commit thread are idle when they go. */
#include "server/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "audit/audit_log.h"
#include "base/check.h"
#include "base/container.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/ticks.h"
#include "pipeline/audit_call.h"
#include "pipeline/delays.h"
#include "pipeline/query_route.h"
#include "pipeline/routes.h"
#include "pipeline/service_route.h"
#include "server/access.h"
#include "server/access_audit.h"
#include "server/certificates.h"
#include "server/policy_file.h"
#include "server/reading.h"
#include "server/state.h"
#include "server/world.h"
#include "server/world_threads.h"
#include "server/worlds.h"

enum { STOP_GRACE_MS = 5000, WORKERS_MAX = 4, WORKERS_OF_FAR_STORE = 12 };

/* ---- parts ---- */

static struct error *open_policy(struct server *server, struct arena *arena) {
    const char *path = server->config.policy;
    return path == NULL ? NULL : policy_file_open(arena, path, &server->policy);
}

static struct error *make_first_key(struct server *server, struct arena *arena) {
    struct access_key key;
    TRY(iam_make_first_key(access_iam(server->access), &system_clock, arena, &key));
    if (slice_present(key.id)) {
        server->first_key[0] = arena_slice(&server->arena, key.id);
        server->first_key[1] = arena_slice(&server->arena, key.secret);
        secret_wipe((uint8_t *)(uintptr_t)key.secret.data, key.secret.len);
    }
    return NULL;
}

static struct error *open_access(struct server *server, struct arena *arena) {
    if (!server->config.auth)
        return NULL;
    struct access_options options = {
        .directory = server->config.data_directory,
        .over = server->data.keyring,
        .shared = server->shared_secrets,
        .engine = server->world->engine,
        .account = slice_text(server->config.account),
    };
    TRY(access_open(arena, &options, &server->access));
    if (server->config.root_key != NULL)
        TRY(access_import_root_key(server->access, arena, server->config.root_key));
    return make_first_key(server, arena);
}

static struct error *open_audit(struct server *server, struct arena *arena) {
    struct audit_log_options options = {.path = server->config.audit};
    return options.path == NULL ? NULL : audit_log_open(arena, &options, &server->audit);
}

static struct error *start_delays(struct server *server, struct arena *arena) {
    if (!server->config.test_faults)
        return NULL;
    return delays_start(arena, &server->delays);
}

static struct error *start_workers(struct server *server, struct arena *arena) {
    unsigned count = server->config.threads;
    if (engine_store_is_far(server->world->engine)) /* they wait more than they work */
        count = WORKERS_OF_FAR_STORE;
    else if (count > WORKERS_MAX)
        count = WORKERS_MAX;
    return workers_start(arena, count, &server->workers);
}

static struct error *open_certificates(struct server *server, struct arena *arena) {
    const struct server_config *config = &server->config;
    struct tls_server_files files = {config->tls_certificate, config->tls_key,
                                     config->tls_client_ca};
    if (files.certificate == NULL)
        return NULL;
    return certificates_open(arena, &files, &server->certificates);
}

struct guard_names server_names_of(struct arena *arena, const char **texts) {
    size_t count = 0;
    while (texts != NULL && texts[count] != NULL)
        count++;
    struct slice *list = ARENA_ARRAY(arena, struct slice, count);
    for (size_t i = 0; i < count; i++)
        list[i] = slice_text(texts[i]);
    return (struct guard_names){list, count};
}

static void trim(struct worker_task *task) {
    struct server *server = container_of(task, struct server, trim_task);
    heap_trim();
    atomic_flag_clear(&server->trims);
}

static void memory_freed(void *user) {
    struct server *server = user;
    if (atomic_flag_test_and_set(&server->trims))
        return;
    server->trim_task.run = trim;
    workers_submit(server->workers, &server->trim_task);
}

/* What requests may take is one figure to people: a half is for what comes, and a half for what is
 * made of it. */
static struct endpoint_limits limits_of(const struct server_config *config) {
    struct endpoint_limits limits = endpoint_limits_default();
    if (config->request_bytes != 0)
        limits.memory_bytes_max = limits.work_bytes_max = config->request_bytes / 2;
    if (config->connections != 0)
        limits.connections_max = config->connections;
    if (config->connections_per_peer != 0)
        limits.connections_per_peer_max = config->connections_per_peer;
    return limits;
}

static void answer_as_node(struct endpoint_config *config) {
    config->handle = node_handle;
    config->handle_form = node_handle_form;
    config->handle_service = node_handle_service;
    config->handle_own = node_handle_own;
    config->ticked = server_io_thread_ticked;
    config->memory_freed = node_memory_freed;
}

static void answer_in_worlds(struct endpoint_config *config) {
    config->handle = world_threads_handle;
    config->handle_form = world_threads_handle_form;
    config->handle_service = world_threads_handle_service;
    config->handle_own = world_threads_handle_own;
    config->ticked = server_io_thread_ticked;
}

struct endpoint_config server_endpoint_config(struct server *server, struct arena *arena) {
    struct endpoint_config config = {
        .host = slice_text(server->config.host),
        .port = server->config.port,
        .passed_fds = server->config.passed_fds,
        .leniencies = server->config.leniencies,
        .loopback_only = server->config.loopback_only,
        .threads = server->config.threads,
        .limits = limits_of(&server->config),
        .tls = server->certificates == NULL ? NULL : certificates_tls(server->certificates),
        .allow_hosts = server_names_of(arena, server->config.allow_hosts),
        .allow_origins = server_names_of(arena, server->config.allow_origins),
        /* The Date header tells the real time: SDKs correct the dates they sign with by it. */
        .clock = &system_clock,
        .random = &system_random,
        .handle = pipeline_handle,
        .handle_form = query_handle,
        .handle_service = service_route_handle,
        .handle_own = routes_handle,
        .handle_other = pages_handle,
        .turned_away = audit_turned_away,
        .thread_start = server_io_thread_start,
        .thread_stop = server_io_thread_stop,
        .sent = server_io_thread_sent,
        .memory_freed = memory_freed,
        .user = server,
    };
    if (server->node.tls != NULL)
        answer_as_node(&config);
    else if (worlds_are_many(server))
        answer_in_worlds(&config);
    return config;
}

struct error *server_start_endpoint(struct server *server, struct arena *arena) {
    struct endpoint_config config = server_endpoint_config(server, arena);
    return endpoint_start(arena, &config, &server->endpoint);
}

static struct error *run_access_command(void *user, struct arena *arena, struct slice input,
                                        struct buffer *output) {
    const struct server *server = user;
    struct error *error = access_run(server->access, arena, input, output);
    if (server->audit != NULL && server->access != NULL)
        access_audit(server->audit, arena, input, output, error);
    return error;
}

/* On a thread of its client. */
static struct error *run_metrics_command(void *user, struct arena *arena, struct slice input,
                                         struct buffer *output) {
    const struct server *server = user;
    (void)input;
    if (atomic_load(&server->pages.state) == PAGES_STARTING)
        return error_local(arena, "the server is starting");
    server_write_metrics(user, SLICE_NONE, output);
    return NULL;
}

/* A file system that has no sockets keeps nobody from serving; then only a stopped server's
 * directory can be backed up. */
static void start_control(struct server *server, struct arena *arena) {
    const char *program = server->config.program;
    if (server->config.data_directory == NULL)
        return;
    struct control_options options = {
        .directory = server->config.data_directory,
        .store = server->world->store,
        .keyring = server->data.keyring,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .program = program == NULL ? "gramme" : program,
        .clock = &system_clock,
        .services = server->control_services,
        .tally = &server->backups,
        .service_count = 2,
    };
    server->control_services[0] =
        (struct control_service){ACCESS_SERVICE, run_access_command, server};
    server->control_services[1] =
        (struct control_service){SERVER_METRICS_SERVICE, run_metrics_command, server};
    struct error *error = control_start(arena, &options, &server->control);
    if (error != NULL)
        log_error("no backup while the server runs: %.*s", SLICE_ARGS(error->message));
}

/* What somebody wants to keep is nothing that a request may take away at once, and who has to sign
 * is known by keys that would go with it. */
struct error *server_check(struct arena *arena, const struct server_config *config) {
    const char *option = config->test_reset ? "--test-reset" : "--name-spaces";
    if (!config->test_reset && !config->name_spaces)
        return NULL;
    if (config->test_reset && config->data_directory != NULL)
        return error_local(arena, "%s is for servers that keep nothing: it wants --memory", option);
    if (config->store_url != NULL)
        return error_local(arena, "%s and --store exclude each other", option);
    return config->auth ? error_local(arena, "%s and --auth exclude each other", option) : NULL;
}

static struct error *start_all(struct server *server, struct arena *arena) {
    TRY(server_check(arena, &server->config));
    server->endpoint_name =
        arena_printf(&server->arena, "%s:%u", server->config.host, server->config.port);
    TRY(open_policy(server, arena));
    server_open_pages(server);
    TRY(server_start_metrics_endpoint(server, arena));
    TRY(open_certificates(server, arena));
    TRY(server_start_engine(server, arena));
    worlds_open(server);
    server_count_unencrypted(server);
    TRY(open_access(server, arena));
    TRY(open_audit(server, arena));
    TRY(world_start(server->world, arena));
    TRY(start_workers(server, arena));
    TRY(start_delays(server, arena));
    server_serve(server);
    if (server->endpoint == NULL)
        TRY(server_start_endpoint(server, arena));
    start_control(server, arena);
    server_publish_pages(server);
    return NULL;
}

struct error *server_start(struct arena *arena, const struct server_config *config,
                           struct server **ret_server) {
    struct server *server = calloc(1, sizeof(*server));
    CHECK(server != NULL);
    heap_init();
    ticks_start();
    server->config = *config;
    arena_init(&server->arena);
    pthread_mutex_init(&server->worlds_lock, NULL);
    pthread_mutex_init(&server->snapshots_lock, NULL);
    server_name_operations(server);
    server->world = world_new(server, NULL);
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

const char *server_address(const struct server *server, unsigned index) {
    return endpoint_address(server->endpoint, index);
}

/* What is read again goes here, and each tells of itself. */
void server_reload(struct server *server) {
    if (server->audit != NULL)
        audit_log_reopen(server->audit);
    if (server->policy != NULL)
        policy_file_reload(server->policy);
    if (server->certificates != NULL)
        certificates_reload(server->certificates);
    if (server->config.audit == NULL && server->policy == NULL && server->certificates == NULL)
        log_info("nothing is read again: there is no policy, no certificate and no audit log");
    log_info("options are as they were: they take a restart, those in a file too");
}

unsigned server_look_ms(const struct server *server) {
    if (server->config.store_url != NULL)
        return STORE_LEADS_MS;
    return server->certificates != NULL ? CERTIFICATES_LOOK_MS : 0;
}

bool server_look(struct server *server) {
    server_give_back_memory(server);
    if (server->certificates != NULL)
        certificates_look(server->certificates);
    if (server->config.store_url == NULL)
        return true;
    struct arena CLEANUP(arena_release) scratch;
    arena_init(&scratch);
    sharing_look(server, &scratch, server->world->store);
    server_hear_counts(server);
    store_maintain(server->world->store);
    return store_leads(server->world->store);
}

struct slice server_place(const struct server *server) {
    return server->place;
}

bool server_take_first_key(struct server *server, char *ret_id, char *ret_secret, size_t size) {
    struct slice *key = server->first_key;
    if (!slice_present(key[0]) || key[0].len >= size || key[1].len >= size)
        return false;
    snprintf(ret_id, size, "%.*s", SLICE_ARGS(key[0]));
    snprintf(ret_secret, size, "%.*s", SLICE_ARGS(key[1]));
    secret_wipe((uint8_t *)(uintptr_t)key[1].data, key[1].len);
    key[0] = SLICE_NONE;
    return true;
}

size_t server_tables_unencrypted(const struct server *server) {
    return server->tables_unencrypted;
}

void server_stop(struct server *server) {
    if (server == NULL)
        return;
    atomic_store(&server->pages.stopping, true);
    control_stop(server->control);
    if (server->metrics_endpoint != NULL)
        endpoint_stop(server->metrics_endpoint, STOP_GRACE_MS);
    delays_hurry(server->delays);
    server_end_following(server);
    if (server->node.endpoint != NULL)
        endpoint_stop(server->node.endpoint, STOP_GRACE_MS);
    if (server->endpoint != NULL)
        endpoint_stop(server->endpoint, STOP_GRACE_MS);
    if (server->reading_contexts.make != NULL)
        contexts_release(&server->reading_contexts);
    server_tell_counts(server);
    reading_close(server->reading);
    workers_stop(server->workers);
    delays_stop(server->delays);
    audit_log_close(server->audit);
    access_close(server->access);
    worlds_close(server);
    policy_file_close(server->policy);
    data_directory_release(&server->data);
    keyring_free(server->shared_secrets);
    keyring_free(server->unverified_secrets);
    certificates_close(server->certificates);
    server_close_node(server);
    arena_release(&server->arena);
    free(server);
}
