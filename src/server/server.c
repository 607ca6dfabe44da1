/* server.c - putting a server together, and taking it apart in reverse.
 *
 * Order of stopping: the control socket first, which gives up a backup under way; the port for
 * metrics, whose pages tell of all that follows; then the endpoint, which waits for every request
 * under way, so that workers and the commit thread are idle when they go. */
#include "server/server.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "admin/control.h"
#include "admin/data_directory.h"
#include "audit/audit_log.h"
#include "base/check.h"
#include "base/container.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/secret.h"
#include "base/steady_clock.h"
#include "engine/engine.h"
#include "metrics/meters.h"
#include "pipeline/delays.h"
#include "pipeline/faults.h"
#include "pipeline/inside_call.h"
#include "pipeline/pages.h"
#include "pipeline/pipeline.h"
#include "pipeline/query_route.h"
#include "pipeline/routes.h"
#include "pipeline/service_route.h"
#include "policy/policy.h"
#include "publish/publisher.h"
#include "server/access.h"
#include "server/access_audit.h"
#include "server/certificates.h"
#include "server/services.h"
#include "server/telemetry.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"
#include "throttle/limits.h"

enum {
    STOP_GRACE_MS = 5000,
    EXPR_CACHE_ENTRIES = 1024,
    WORKERS_MAX = 4,
    METRICS_CONNECTIONS_MAX = 100
};

#define MIB ((uint64_t)1 << 20)
#define CACHE_BYTES_MIN (8 * MIB)
#define WRITE_BUFFER_BYTES_MIN (64 * MIB)
#define WRITE_BUFFER_BYTES_MAX (512 * MIB)

struct server {
    struct server_config config;
    struct arena arena; /* lives as long as the server */
    struct worker_task trim_task;
    atomic_flag trims; /* the task is on its way */
    struct data_directory data;
    struct store *store; /* the engine's */
    struct engine *engine;
    struct access *access; /* NULL: signatures are not verified */
    struct control_service control_services[2];
    struct slice first_key[2]; /* id and secret, until they were told; absent: there is none */
    size_t tables_unencrypted; /* when it started: that ask for what they do not get */
    struct audit_log *audit;   /* NULL: there is none */
    struct meters *meters;
    struct pages pages;
    struct telemetry telemetry;
    const char *operations[METER_OPERATIONS_MAX]; /* by number; NULL: there is none */
    struct publisher *publisher;
    struct meter_thread *commit_meters;
    struct slow_log slow;
    struct endpoint *metrics_endpoint; /* NULL: it has no port of its own */
    struct certificates *certificates; /* NULL: plain HTTP */
    struct services *services;
    struct op_context inside; /* of operations that it asks for itself */
    struct workers *workers;
    struct endpoint *endpoint;
    struct control *control;
    struct slice endpoint_name;  /* host:port */
    const struct policy *policy; /* NULL: everything is allowed */
    const struct clock *clock;   /* DynamoDB's time: one of those below */
    struct steady_clock steady;
    struct movable_clock movable;
    struct throttle *throttle; /* NULL: nothing is limited */
    struct faults *faults;     /* NULL: nothing is to go wrong */
    struct delays *delays;     /* with faults */
};

/* ---- per thread ---- */

static struct op_context context_new(struct server *server) {
    return (struct op_context){
        .engine = server->engine,
        .catalog = catalog_view_new(engine_catalog(server->engine)),
        .exprs = expr_cache_new(EXPR_CACHE_ENTRIES),
        .clock = server->clock,
        .random = &system_random,
        .throttle = server->throttle,
        .region = slice_text(server->config.region),
        .account = slice_text(server->config.account),
        .endpoint = server->endpoint_name,
        .ask = pipeline_ask,
    };
}

static void context_free(struct op_context *context) {
    catalog_view_free(context->catalog);
    expr_cache_free(context->exprs);
}

static void publish(void *user) {
    publisher_sample(user);
}

static void *io_thread_start(void *user, unsigned index) {
    (void)index;
    struct server *server = user;
    struct pipeline_thread *thread = calloc(1, sizeof(*thread));
    CHECK(thread != NULL);
    thread->ops = context_new(server);
    thread->workers = server->workers;
    thread->policy = server->policy;
    if (server->access != NULL)
        thread->authenticator = authenticator_new(access_iam(server->access),
                                                  server->config.skew_minutes, server->clock);
    if (server->audit != NULL)
        thread->auditor = auditor_new(server->audit);
    thread->pages = &server->pages;
    thread->slow = server->config.slow_ms == 0 ? NULL : &server->slow;
    thread->publishing = (struct publishing){publish, server->publisher};
    thread->meter.thread = meters_join(server->meters);
    thread->services = services_list(server->services);
    thread->faults = server->faults;
    thread->delays = server->delays;
    thread->test_clock = server->config.test_clock ? &server->movable : NULL;
    return thread;
}

static void io_thread_stop(void *user, void *context) {
    (void)user;
    struct pipeline_thread *thread = context;
    context_free(&thread->ops);
    authenticator_free(thread->authenticator);
    auditor_free(thread->auditor);
    free(thread);
}

static void io_thread_sent(void *user, void *context) {
    (void)user;
    struct pipeline_thread *thread = context;
    call_meter_sent(&thread->meter);
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

/* It lives as long as the server, and what is wrong with it longer. */
static struct error *load_policy(struct server *server, struct arena *arena) {
    if (server->config.policy == NULL)
        return NULL;
    struct error *error = policy_load(&server->arena, server->config.policy, &server->policy);
    return error == NULL ? NULL : error_local(arena, "%.*s", SLICE_ARGS(error->message));
}

static uint64_t between(uint64_t low, uint64_t n, uint64_t high) {
    return n < low ? low : n > high ? high : n;
}

/* A database has the machine to itself, or nearly. What is not needed is not taken. */
static void size_memory(const struct server_config *config, struct rocksdb_store_options *options) {
    uint64_t memory = machine_memory_bytes();
    uint64_t cache = config->cache_bytes != 0 ? config->cache_bytes : memory / 4;
    options->block_cache_bytes = (size_t)between(CACHE_BYTES_MIN, cache, SIZE_MAX);
    options->write_buffer_bytes =
        (size_t)between(WRITE_BUFFER_BYTES_MIN, memory / 64, WRITE_BUFFER_BYTES_MAX);
}

static struct error *open_directory(struct server *server, struct arena *arena) {
    const struct server_config *config = &server->config;
    struct master_key key = {0};
    if (config->encrypt_with == NULL)
        return data_directory_open(arena, config->data_directory, NULL, &server->data);
    TRY(master_key_read(arena, config->encrypt_with, &key));
    struct error *error = data_directory_open(arena, config->data_directory, &key, &server->data);
    master_key_release(&key);
    return error;
}

static struct error *open_store(struct server *server, struct arena *arena,
                                struct store **ret_store) {
    if (server->config.data_directory == NULL)
        return memory_store_open(arena, engine_keyspaces, KEYSPACE_COUNT, ret_store);
    TRY(open_directory(server, arena));
    struct rocksdb_store_options options = {.directory = server->data.store_path,
                                            .create = true,
                                            .keyring = server->data.keyring,
                                            .settled_later = true};
    size_memory(&server->config, &options);
    TRY(rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, ret_store));
    struct error *error = data_directory_settle(arena, &server->data);
    if (error != NULL)
        store_close(*ret_store);
    return error;
}

static struct error *start_engine(struct server *server, struct arena *arena) {
    struct engine_options options = {
        .durability = server->config.durability == SERVER_RELAXED ? STORE_RELAXED : STORE_DURABLE,
        .sync_interval_ms = SERVER_RELAXED_SYNC_MS,
        .clock = server->clock,
        .random = &system_random,
        .ttl_delay_ms = (int64_t)server->config.ttl_delay_ms,
        .transaction_conflicts = server->config.transaction_conflicts,
        .throttle = server->throttle,
        .plain_files = server->config.data_directory != NULL && server->config.encrypt_with == NULL,
        .meters = server->commit_meters,
    };
    TRY(open_store(server, arena, &options.store));
    server->store = options.store;
    TRY(engine_open(arena, &options, &server->engine));
    if (server->config.data_directory != NULL)
        rocksdb_store_settle(server->store);
    return NULL;
}

/* Tables that ask for encryption, on a disk where nothing is encrypted. */
static void count_unencrypted(struct server *server) {
    struct table *const *tables;
    struct slice first = SLICE_NONE;
    if (server->config.data_directory == NULL || server->config.encrypt_with != NULL)
        return;
    struct catalog_view *view = catalog_view_new(engine_catalog(server->engine));
    size_t count = catalog_tables(view, &tables);
    for (size_t i = count; i-- > 0;)
        if (tables[i]->definition.sse_kms) {
            server->tables_unencrypted++;
            first = tables[i]->definition.name;
        }
    if (server->tables_unencrypted > 0)
        log_warning("%zu tables ask for encryption, %.*s first, and this server has no key: their "
                    "items are on disk in plain text; see --encrypt-with",
                    server->tables_unencrypted, SLICE_ARGS(first));
    catalog_view_free(view);
}

/* A clock that was moved in the last run must not go back in this one: it starts at the time of
 * the last change when that is ahead. */
static void catch_up(struct server *server) {
    struct clock_move move = {.now_ms = engine_time_at_open_ms(server->engine)};
    if (server->config.test_clock)
        movable_clock_move(&server->movable, &move);
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
        .engine = server->engine,
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

static struct error *start_faults(struct server *server, struct arena *arena) {
    if (!server->config.test_faults)
        return NULL;
    server->faults = faults_new();
    return delays_start(arena, &server->delays);
}

static struct slice update_request(struct arena *arena, const struct scaling_change *change) {
    if (!slice_present(change->index))
        return arena_printf(arena,
                            "{\"TableName\":\"%.*s\",\"ProvisionedThroughput\":{"
                            "\"ReadCapacityUnits\":%lld,\"WriteCapacityUnits\":%lld}}",
                            SLICE_ARGS(change->table), (long long)change->read,
                            (long long)change->write);
    return arena_printf(arena,
                        "{\"TableName\":\"%.*s\",\"GlobalSecondaryIndexUpdates\":[{\"Update\":{"
                        "\"IndexName\":\"%.*s\",\"ProvisionedThroughput\":{"
                        "\"ReadCapacityUnits\":%lld,\"WriteCapacityUnits\":%lld}}}]}",
                        SLICE_ARGS(change->table), SLICE_ARGS(change->index),
                        (long long)change->read, (long long)change->write);
}

/* On the thread of auto scaling, which alone has this context. Names have nothing to escape: they
 * are those of tables that are there. */
static struct error *change_capacity(void *user, struct arena *arena,
                                     const struct scaling_change *change) {
    struct server *server = user;
    return inside_call(&server->inside, arena, "UpdateTable", update_request(arena, change));
}

static struct error *open_services(struct server *server, struct arena *arena) {
    struct services_options options = {.engine = server->engine,
                                       .clock = server->clock,
                                       .region = server->config.region,
                                       .account = server->config.account,
                                       .actions = server->config.alarm_actions,
                                       .hand = {change_capacity, server}};
    server->inside = context_new(server);
    TRY(services_open(arena, &options, &server->services));
    server->movable.user = server->services;
    server->movable.moved = services_time_moved;
    return NULL;
}

static void name_operations(struct server *server) {
    const struct op_listing *list;
    size_t count = op_list(&list);
    CHECK(count < METER_NO_OPERATION);
    for (size_t i = 0; i < count; i++)
        server->operations[i] = list[i].name;
}

static struct error *start_publisher(struct server *server, struct arena *arena) {
    struct publisher_options options = {
        .meters = server->meters,
        .series = services_series(server->services),
        .engine = server->engine,
        .clock = server->clock,
        .names = server->operations,
    };
    return publisher_start(arena, &options, &server->publisher);
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

static struct error *open_certificates(struct server *server, struct arena *arena) {
    const struct server_config *config = &server->config;
    struct tls_server_files files = {config->tls_certificate, config->tls_key,
                                     config->tls_client_ca};
    if (files.certificate == NULL)
        return NULL;
    return certificates_open(arena, &files, &server->certificates);
}

static struct guard_names names_of(struct arena *arena, const char **texts) {
    size_t count = 0;
    while (texts != NULL && texts[count] != NULL)
        count++;
    struct slice *list = ARENA_ARRAY(arena, struct slice, count);
    for (size_t i = 0; i < count; i++)
        list[i] = slice_text(texts[i]);
    return (struct guard_names){list, count};
}

static void trim(struct worker_task *task, void *context) {
    (void)context;
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

static struct error *start_endpoint(struct server *server, struct arena *arena) {
    struct endpoint_config config = {
        .host = slice_text(server->config.host),
        .port = server->config.port,
        .threads = server->config.threads,
        .limits = limits_of(&server->config),
        .tls = server->certificates == NULL ? NULL : certificates_tls(server->certificates),
        .allow_hosts = names_of(arena, server->config.allow_hosts),
        .allow_origins = names_of(arena, server->config.allow_origins),
        /* The Date header tells the real time: SDKs correct the dates they sign with by it. */
        .clock = &system_clock,
        .random = &system_random,
        .handle = pipeline_handle,
        .handle_form = query_handle,
        .handle_service = service_route_handle,
        .handle_own = routes_handle,
        .handle_other = pages_handle,
        .turned_away = pipeline_turned_away,
        .thread_start = io_thread_start,
        .thread_stop = io_thread_stop,
        .sent = io_thread_sent,
        .memory_freed = memory_freed,
        .user = server,
    };
    return endpoint_start(arena, &config, &server->endpoint);
}

/* ---- pages for who watches ---- */

static struct slice write_metrics(void *user, struct op_context *context, struct slice accept,
                                  struct buffer *out) {
    const struct server *server = user;
    return telemetry_write(&server->telemetry, context->catalog, accept, out);
}

static void open_pages(struct server *server) {
    server->pages =
        (struct pages){.write = write_metrics, .user = server, .open = server->config.metrics_open};
    server->telemetry.started_ms = clock_now_ms(&system_clock);
}

/* From here on they tell that requests are served. */
static void publish_pages(struct server *server) {
    server->telemetry = (struct telemetry){
        .meters = server->meters,
        .engine = server->engine,
        .store = server->store,
        .endpoint = server->endpoint,
        .workers = server->workers,
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

/* With a thread of its own, so that it answers when all others have too much to do, and before the
 * store is open, which may take a while. It has no authenticator: who can reach it may read. */
static struct error *start_metrics_endpoint(struct server *server, struct arena *arena) {
    struct endpoint_config config = {
        .host = slice_text(server->config.host),
        .port = server->config.metrics_port,
        .threads = 1,
        .limits = endpoint_limits_default(),
        .allow_hosts = names_of(arena, server->config.allow_hosts),
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

static struct error *run_access_command(void *user, struct arena *arena, struct slice input,
                                        struct buffer *output) {
    const struct server *server = user;
    struct error *error = access_run(server->access, arena, input, output);
    if (server->audit != NULL && server->access != NULL)
        access_audit(server->audit, arena, input, output, error);
    return error;
}

/* On a thread of its client, with a view of its own. */
static struct error *run_metrics_command(void *user, struct arena *arena, struct slice input,
                                         struct buffer *output) {
    const struct server *server = user;
    (void)input;
    if (atomic_load(&server->pages.state) == PAGES_STARTING)
        return error_local(arena, "the server is starting");
    struct catalog_view *view = catalog_view_new(engine_catalog(server->engine));
    telemetry_write(&server->telemetry, view, SLICE_NONE, output);
    catalog_view_free(view);
    return NULL;
}

/* A file system that has no sockets keeps nobody from serving; then only a stopped server's
 * directory can be backed up. */
static void start_control(struct server *server, struct arena *arena) {
    const char *program = server->config.program;
    struct control_options options = {
        .directory = server->config.data_directory,
        .store = server->store,
        .keyring = server->data.keyring,
        .keyspaces = engine_keyspaces,
        .keyspace_count = KEYSPACE_COUNT,
        .program = program == NULL ? "gramme" : program,
        .clock = &system_clock,
        .services = server->control_services,
        .service_count = 2,
    };
    if (server->config.data_directory == NULL)
        return;
    server->control_services[0] =
        (struct control_service){ACCESS_SERVICE, run_access_command, server};
    server->control_services[1] =
        (struct control_service){SERVER_METRICS_SERVICE, run_metrics_command, server};
    struct error *error = control_start(arena, &options, &server->control);
    if (error != NULL)
        log_error("no backup while the server runs: %.*s", SLICE_ARGS(error->message));
}

static struct error *start_all(struct server *server, struct arena *arena) {
    server->endpoint_name =
        arena_printf(&server->arena, "%s:%u", server->config.host, server->config.port);
    TRY(load_policy(server, arena));
    open_pages(server);
    TRY(start_metrics_endpoint(server, arena));
    TRY(open_certificates(server, arena));
    TRY(start_engine(server, arena));
    count_unencrypted(server);
    catch_up(server);
    TRY(open_access(server, arena));
    TRY(open_audit(server, arena));
    TRY(open_services(server, arena));
    TRY(start_publisher(server, arena));
    TRY(start_workers(server, arena));
    TRY(start_faults(server, arena));
    TRY(start_endpoint(server, arena));
    start_control(server, arena);
    publish_pages(server);
    return NULL;
}

struct error *server_start(struct arena *arena, const struct server_config *config,
                           struct server **ret_server) {
    struct server *server = calloc(1, sizeof(*server));
    CHECK(server != NULL);
    heap_init();
    server->config = *config;
    arena_init(&server->arena);
    movable_clock_init(&server->movable);
    server->meters = meters_new();
    name_operations(server);
    server->commit_meters = meters_join(server->meters);
    server->slow.least_ns = (uint64_t)config->slow_ms * 1000000;
    server->slow.last_sync_ns = &meter_commit(server->commit_meters)->last_sync_ns;
    steady_clock_init(&server->steady, (int64_t)config->clock_hold_ms);
    server->clock = config->test_clock ? &server->movable.clock : &server->steady.clock;
    if (config->throttle)
        server->throttle = throttle_new(server->clock, config->burst_seconds);
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

/* What is read again goes on a line of its own here. */
void server_reload(struct server *server) {
    if (server->audit != NULL)
        audit_log_reopen(server->audit);
    log_info("read again what may change while the server runs");
    if (server->certificates != NULL)
        certificates_reload(server->certificates);
}

bool server_has_files(const struct server *server) {
    return server->certificates != NULL;
}

void server_look(struct server *server) {
    certificates_look(server->certificates);
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
    atomic_store(&server->pages.state, PAGES_STOPPING);
    control_stop(server->control);
    if (server->metrics_endpoint != NULL)
        endpoint_stop(server->metrics_endpoint, STOP_GRACE_MS);
    delays_hurry(server->delays);
    if (server->endpoint != NULL)
        endpoint_stop(server->endpoint, STOP_GRACE_MS);
    workers_stop(server->workers);
    delays_stop(server->delays);
    faults_free(server->faults);
    audit_log_close(server->audit);
    if (server->config.test_clock && server->engine != NULL)
        engine_time_moved(server->engine); /* it keeps the time, for the next run */
    publisher_stop(server->publisher);
    services_close(server->services);
    if (server->inside.catalog != NULL)
        context_free(&server->inside);
    access_close(server->access);
    engine_close(server->engine);
    throttle_free(server->throttle);
    data_directory_release(&server->data);
    certificates_close(server->certificates);
    meters_free(server->meters);
    arena_release(&server->arena);
    free(server);
}
