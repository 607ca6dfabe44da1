/* node.c - a server as one of several on a store: it listens for the others, hands requests on to
 * the one that leads, and answers them itself when that is this one. */
#include <stdio.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/secret.h"
#include "crypto/tls_server.h"
#include "engine/engine.h"
#include "pipeline/operation.h"
#include "pipeline/query_route.h"
#include "pipeline/routes.h"
#include "pipeline/service_route.h"
#include "server/access.h"
#include "server/reading.h"
#include "server/standby.h"
#include "server/state.h"
#include "server/world.h"
#include "store/postgres/postgres.h"

#define READ_AGAIN_NS (1000 * UINT64_C(1000000))

enum {
    READING_WORKERS = 12,
    ANSWER_MS = 1500,   /* less than those who watch servers wait */
    CONTACT_MS = 10000, /* since when the store may have been silent */
};

/* ---- where it hears the others ---- */

static struct error *listen_for_others(struct server *server, struct arena *arena,
                                       struct slice host, uint16_t port) {
    struct endpoint_config config = server_endpoint_config(server, arena);
    config.host = host;
    config.port = port;
    config.passed_fds = 0;
    config.loopback_only = false; /* only who has the secret is heard */
    config.tls = server->node.tls;
    config.relayed = true;
    config.allow_hosts = config.allow_origins = (struct guard_names){NULL, 0};
    config.turned_away = NULL;
    config.thread_start = server_relayed_thread_start;
    return endpoint_start(arena, &config, &server->node.endpoint);
}

/* What was given, or where it listens. */
static void advertise(struct server *server, struct slice host, struct store *store) {
    char *text = server->node.address;
    const char *given = server->config.advertise;
    bool v6 = host.data[0] != '[' && memchr(host.data, ':', host.len) != NULL;
    snprintf(text, POSTGRES_ADDRESS_CHARS, v6 ? "[%.*s]:%u" : "%.*s:%u", SLICE_ARGS(host),
             endpoint_port(server->node.endpoint));
    if (given != NULL)
        snprintf(text, POSTGRES_ADDRESS_CHARS, "%s", given);
    postgres_store_advertise(store, text);
    log_info("other servers reach this one at %s", text);
}

struct error *server_open_node(struct server *server, struct arena *arena, struct store *store) {
    uint8_t secret[POSTGRES_SECRET_BYTES];
    char own[POSTGRES_ADDRESS_CHARS];
    uint16_t port = 0;
    TRY(postgres_store_secret(store, arena, secret));
    TRY(tls_server_new_by_secret(arena, secret, &server->node.tls));
    secret_wipe(secret, sizeof(secret));
    postgres_store_own_address(store, own);
    struct slice host = slice_text(own);
    if (server->config.node != NULL)
        host = lookup_split(server->config.node, &port);
    TRY(listen_for_others(server, arena, host, port));
    advertise(server, host, store);
    return NULL;
}

void server_close_node(struct server *server) {
    tls_server_free(server->node.tls);
    lookup_end(server->node.lookup);
    sharing_close(server);
    buffer_release(&server->node.counted);
}

/* ---- whom it follows ---- */

static void follow(void *user, void *context) {
    const struct server *server = user;
    struct server_thread *thread = context;
    relay_follow(thread->relay, &server->node.leader);
}

/* While it follows there are no workers to do this. */
void node_memory_freed(void *user) {
    struct server *server = user;
    atomic_store(&server->node.freed, true);
}

void server_give_back_memory(struct server *server) {
    if (atomic_exchange(&server->node.freed, false))
        heap_trim();
}

static void try_to_read(struct server *server, struct arena *arena);

static void look_for_leader(struct server *server, struct arena *arena, struct store *store) {
    struct postgres_leader seen;
    struct server_node *node = &server->node;
    struct arena_mark mark = arena_mark(arena);
    struct error *error = postgres_store_leader(store, arena, &seen);
    arena_rewind(arena, mark);
    if (error != NULL || memcmp(&seen, &node->seen, sizeof(seen)) == 0)
        return;
    node->seen = seen;
    lookup_end(node->lookup);
    node->lookup = seen.address[0] == '\0' ? NULL : lookup_start(seen.address);
    node->told = LOOKUP_UNDER_WAY;
}

/* When it is another, and when its address is found. */
static void follow_leader(struct server *server) {
    struct server_node *node = &server->node;
    enum lookup_state state = lookup_look(node->lookup, &node->leader.address);
    if (state == LOOKUP_UNDER_WAY || state == node->told)
        return;
    node->told = state;
    node->leader.number++;
    node->leader.known = state == LOOKUP_FOUND;
    if (node->leader.known)
        log_info("following the server at %s", node->seen.address);
    else
        log_warning("no server is known to lead %.*s: requests wait", SLICE_ARGS(server->place));
    endpoint_visit(server->endpoint, follow, server);
    pages_tell_leader(&server->pages, node->seen.address);
    atomic_store(&server->pages.state, node->leader.known ? PAGES_FOLLOWING : PAGES_WAITING);
}

void server_leave_members(struct server *server) {
    if (server->node.joined)
        postgres_store_leave(reading_store(server->reading));
}

void server_follow(struct server *server, struct arena *arena, struct store *store) {
    struct server_node *node = &server->node;
    server_give_back_memory(server);
    try_to_read(server, arena);
    look_for_leader(server, arena, store);
    follow_leader(server);
    if (node->joined) {
        node->lost = !postgres_store_stays(reading_store(server->reading));
        sharing_look(server, arena, reading_store(server->reading));
    }
    server_tell_counts_in_time(server);
}

/* ---- reading ---- */

/* What only the leader knows, limits for one, is not asked for here. */
bool server_may_share(const struct server_config *config) {
    return !config->throttle && !config->transaction_conflicts && !config->test_faults &&
           !config->test_clock && config->audit == NULL;
}

static void read_here(void *user, void *context) {
    server_thread_read(user, context);
}

/* Where several write, this one does too, if there is room for it. */
static struct error *join(struct server *server, struct arena *arena,
                          struct engine_options *options) {
    const struct server_config *config = &server->config;
    if (options->store->groups == 1)
        return NULL;
    postgres_store_advertise(options->store, server->node.address);
    TRY(postgres_store_join(options->store, arena, &options->joins));
    options->follows = !options->joins;
    options->durability = config->durability == SERVER_RELAXED ? STORE_RELAXED : STORE_DURABLE;
    options->sync_interval_ms = SERVER_RELAXED_SYNC_MS;
    options->ttl_delay_ms = (int64_t)config->ttl_delay_ms;
    return NULL;
}

static struct error *open_reading(struct server *server, struct arena *arena) {
    struct postgres_store_options options = {
        .url = server->config.store_url, .groups = POSTGRES_ANY_GROUPS, .keeps = true};
    struct access_options access = {.shared = server->shared_secrets,
                                    .account = slice_text(server->config.account)};
    struct standby_options standby = {server->config.read_store_url, server->config.read_lag_ms};
    struct reading_options reading = {.engine = {.clock = server->world->clock,
                                                 .random = &system_random,
                                                 .leniencies = server->config.leniencies,
                                                 .follows = true},
                                      .access = server->config.auth ? &access : NULL,
                                      .standby = standby.url == NULL ? NULL : &standby};
    TRY(postgres_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT,
                            &reading.engine.store));
    struct error *error = join(server, arena, &reading.engine);
    if (error != NULL) {
        store_close(reading.engine.store);
        return error;
    }
    TRY(reading_open(arena, &reading, &server->reading));
    server->node.joined = reading.engine.joins;
    return NULL;
}

static struct op_context reading_context(void *user) {
    struct server *server = user;
    return world_context(server->world, reading_engine(server->reading));
}

static struct error *start_reading(struct server *server, struct arena *arena) {
    TRY(reading_start(arena, server->reading, READING_WORKERS));
    contexts_init(&server->reading_contexts, reading_context, world_context_end, server);
    endpoint_visit(server->endpoint, read_here, server);
    if (server->node.joined) /* what others hand on is written here */
        endpoint_visit(server->node.endpoint, read_here, server);
    atomic_store(&server->node.reads, true);
    log_info("%s items, and handing on the rest",
             server->node.joined ? "reading and writing" : "reading");
    return NULL;
}

/* A leader that has just been started may not have made the database yet. */
static void try_to_read(struct server *server, struct arena *arena) {
    struct server_node *node = &server->node;
    if (server->reading != NULL || !server_may_share(&server->config) ||
        monotonic_ns() < node->read_at_ns)
        return;
    struct arena_mark mark = arena_mark(arena);
    node->read_at_ns = monotonic_ns() + READ_AGAIN_NS;
    struct error *error = open_reading(server, arena);
    if (error == NULL)
        error = start_reading(server, arena);
    if (error != NULL)
        log_repeated_error("reads are handed on: %.*s", SLICE_ARGS(error->message));
    arena_rewind(arena, mark);
}

/* ---- serving ---- */

static void serve(void *user, void *context) {
    server_thread_serve(user, context);
}

void server_serve(struct server *server) {
    atomic_store(&server->node.serves, true);
    pages_tell_leader(&server->pages, server->node.address);
    if (server->node.endpoint != NULL)
        endpoint_visit(server->node.endpoint, serve, server);
    if (server->endpoint != NULL)
        endpoint_visit(server->endpoint, serve, server);
}

static void end_following(void *user, void *context) {
    (void)user;
    struct server_thread *thread = context;
    sharing_thread_end(thread);
    if (thread->relay != NULL)
        relay_end(thread->relay);
}

void server_end_following(struct server *server) {
    if (server->node.tls != NULL && server->endpoint != NULL)
        endpoint_visit(server->endpoint, end_following, server);
}

/* ---- handlers ---- */

/* The server that handed this on looks for the leader anew. */
static void misdirected(struct exchange *exchange) {
    exchange_reply_with(exchange, &(struct exchange_reply_options){.status = 421, .close = true});
}

/* A call before this one may have been the reader's. */
static struct server_thread *thread_of(struct exchange *exchange) {
    const struct pipeline_thread *pipeline = exchange->thread_context;
    exchange->thread_context = pipeline->owner;
    return pipeline->owner;
}

static void hand_on(struct exchange *exchange, exchange_handler *here, bool again) {
    struct server_thread *thread = thread_of(exchange);
    if (thread->relay == NULL)
        misdirected(exchange);
    else
        relay_hand_on(thread->relay, exchange,
                      &(struct relay_request){.here = here, .again = again});
}

static bool serves(struct exchange *exchange) {
    const struct server_thread *thread = thread_of(exchange);
    return __builtin_expect(thread->serves, 1);
}

/* Whether it is answered here, though another server leads. A read that another server handed on
 * was meant for who leads. */
static bool answers(const struct server_thread *thread, const struct exchange *exchange) {
    return (thread->relay != NULL && operation_reads_items(exchange)) ||
           (thread->reader->ops.defers && operation_is_shared(exchange));
}

static bool reads(struct exchange *exchange) {
    const struct server_thread *thread = exchange->thread_context;
    if (thread->reader == NULL || !answers(thread, exchange) ||
        !reading_is_ready(thread->reader->confirming->user))
        return false;
    exchange->thread_context = thread->reader;
    return true;
}

void node_handle(struct exchange *exchange) {
    if (serves(exchange) || reads(exchange))
        pipeline_handle(exchange);
    else
        hand_on(exchange, pipeline_handle, operation_may_repeat(exchange));
}

void node_handle_form(struct exchange *exchange) {
    if (serves(exchange))
        query_handle(exchange);
    else
        hand_on(exchange, query_handle, false);
}

static void not_found(struct exchange *exchange) {
    buffer_append_text(&exchange->reply, "<UnknownOperationException/>\n");
    exchange_reply_with(exchange, &(struct exchange_reply_options){.status = 404});
}

static void service_here(struct exchange *exchange) {
    if (!service_route_handle(exchange))
        not_found(exchange);
}

bool node_handle_service(struct exchange *exchange) {
    if (serves(exchange))
        return service_route_handle(exchange);
    hand_on(exchange, service_here, false);
    return true;
}

static void own_here(struct exchange *exchange) {
    if (!routes_handle(exchange))
        not_found(exchange);
}

/* The console's pages are the same everywhere. */
bool node_handle_own(struct exchange *exchange) {
    const struct server_thread *thread = exchange->thread_context;
    if (serves(exchange))
        return routes_handle(exchange);
    if (thread->pipeline.console != NULL && console_handle(exchange, thread->pipeline.console))
        return true;
    if (!routes_know(exchange->request.path))
        return false;
    hand_on(exchange, own_here, false);
    return true;
}

/* ---- whether it can serve ---- */

static bool hears_of_store(struct server *server) {
    pthread_mutex_lock(&server->pages.lock);
    int64_t contact_ms =
        server->node.store == NULL ? 0 : postgres_store_contact_ms(server->node.store);
    pthread_mutex_unlock(&server->pages.lock);
    return clock_now_ms(&system_clock) - contact_ms < CONTACT_MS;
}

static void told_of_leader(struct exchange *exchange, int status) {
    const struct server_thread *thread = thread_of(exchange);
    struct server *server = thread->pipeline.pages->user;
    bool store = hears_of_store(server);
    if (status == 200)
        pages_reply_ready(exchange, true, NULL);
    else if (store && thread->reader != NULL && reading_is_ready(server->reading))
        pages_reply_ready(exchange, true, "no leader answers: items are read, the rest waits");
    else
        pages_reply_ready(exchange, false,
                          store ? "no leader answers" : "neither a leader nor the store answers");
}

static void ready_here(struct exchange *exchange) {
    pages_reply_ready(exchange, true, NULL);
}

/* Who was asked by another server is one that should lead, and does not. */
bool node_find_out(void *user, struct exchange *exchange) {
    (void)user;
    const struct pipeline_thread *pipeline = exchange->thread_context;
    if (pipeline->owner == NULL)
        return false;
    struct server_thread *thread = thread_of(exchange);
    if (thread->relay == NULL)
        misdirected(exchange);
    else
        relay_hand_on(thread->relay, exchange,
                      &(struct relay_request){
                          .here = ready_here, .told = told_of_leader, .told_ms = ANSWER_MS});
    return true;
}
