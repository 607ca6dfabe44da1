/* endpoint.c - the listening side of the server: its threads, what each of them owns, its limits.
 *
 * Threads: started and stopped from one thread; statistics may be read from any. */
#include "endpoint/endpoint.h"

#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "endpoint/connection_state.h"
#include "model/limits.h"

struct endpoint_limits endpoint_limits_default(void) {
    return (struct endpoint_limits){
        .connections_max = 20000,
        .connections_per_peer_max = 5000,
        .header_bytes_max = LIMIT_HEAD_BYTES,
        .body_bytes_max = LIMIT_BODY_BYTES,
        .reply_bytes_max = 128 * 1024 * 1024,
        .memory_bytes_max = 256 * 1024 * 1024,
        .work_bytes_max = 256 * 1024 * 1024,
        .idle_timeout_ms = 300 * 1000,
        .header_timeout_ms = 20 * 1000,
        .request_timeout_ms = 120 * 1000,
        .write_timeout_ms = 30 * 1000,
        .memory_timeout_ms = 30 * 1000,
        .tick_ms = 250,
    };
}

/* HTTP on the port of HTTPS: somebody forgot a letter. */
#define USE_HTTPS "This port speaks TLS: use https://\n"
#define PLAIN_ANSWER                                                                 \
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 35\r\n" \
    "Connection: close\r\n\r\n" USE_HTTPS
static_assert(sizeof(USE_HTTPS) - 1 == 35, "what Content-Length says");

static void *thread_start(void *user, struct net_loop *loop) {
    struct endpoint *endpoint = user;
    unsigned index = net_loop_index(loop);
    struct endpoint_thread *thread = &endpoint->threads[index];
    uint64_t seeds[2];
    random_fill(endpoint->config.random, seeds, sizeof(seeds));
    thread->endpoint = endpoint;
    thread->loop = loop;
    thread->coder = http_coder_new();
    http_request_ids_init(&thread->ids, seeds[0], seeds[1]);
    buffer_init(&thread->packed, endpoint->config.limits.reply_bytes_max);
    if (endpoint->config.thread_start != NULL)
        thread->context = endpoint->config.thread_start(endpoint->config.user, index);
    return thread;
}

static void thread_stop(void *user, void *context) {
    struct endpoint *endpoint = user;
    struct endpoint_thread *thread = context;
    if (endpoint->config.thread_stop != NULL)
        endpoint->config.thread_stop(endpoint->config.user, thread->context);
    http_coder_free(thread->coder);
    buffer_release(&thread->packed);
}

static bool thread_ticked(void *user, void *context) {
    const struct endpoint *endpoint = user;
    struct endpoint_thread *thread = context;
    bool more = endpoint->config.ticked != NULL &&
                endpoint->config.ticked(endpoint->config.user, thread->context);
    return connection_tick_memory(thread) || more;
}

static void thread_sent(void *user, void *context) {
    const struct endpoint *endpoint = user;
    const struct endpoint_thread *thread = context;
    endpoint->config.sent(endpoint->config.user, thread->context);
}

/* What the parts below insist on. */
static struct endpoint_limits sound(struct endpoint_limits limits) {
    if (limits.header_bytes_max > 64 * 1024)
        limits.header_bytes_max = 64 * 1024;
    if (limits.tick_ms == 0)
        limits.tick_ms = 1;
    return limits;
}

static struct endpoint *endpoint_new(const struct endpoint_config *config,
                                     const struct net_sockets *sockets) {
    struct endpoint *endpoint =
        calloc(1, sizeof(*endpoint) + config->threads * sizeof(struct endpoint_thread));
    CHECK(endpoint != NULL);
    arena_init(&endpoint->arena);
    endpoint->config = *config;
    endpoint->config.limits = sound(config->limits);
    endpoint->budgets[MEMORY_INPUT].limit = endpoint->config.limits.memory_bytes_max;
    endpoint->budgets[MEMORY_WORK].limit = endpoint->config.limits.work_bytes_max;
    if (endpoint->config.clock == NULL)
        endpoint->config.clock = &system_clock;
    endpoint->config.host = arena_slice(&endpoint->arena, config->host);
    endpoint->config.port = sockets->port;
    endpoint->sockets = *sockets;
    struct guard_options guard = {.host = config->host,
                                  .loopback = sockets->loopback,
                                  .allow_hosts = config->allow_hosts,
                                  .allow_origins = config->allow_origins};
    guard_init(&endpoint->guard, &endpoint->arena, &guard);
    return endpoint;
}

static void endpoint_free(struct endpoint *endpoint) {
    arena_release(&endpoint->arena);
    free(endpoint);
}

static struct error *open_sockets(struct arena *arena, const struct endpoint_config *config,
                                  struct net_sockets *ret_sockets) {
    if (config->passed_fds > 0)
        TRY(net_sockets_adopt(arena, PASSED_FD, config->passed_fds, ret_sockets));
    else
        TRY(net_sockets_open(arena, config->host, config->port, ret_sockets));
    if (!config->loopback_only || ret_sockets->loopback)
        return NULL;
    net_sockets_close(ret_sockets);
    return error_local(arena,
                       "whoever reaches %s could read and write everything: verify "
                       "signatures with --auth, or say --no-auth",
                       ret_sockets->addresses[0]);
}

struct error *endpoint_start(struct arena *arena, const struct endpoint_config *config,
                             struct endpoint **ret_endpoint) {
    CHECK(config->threads > 0 && config->handle != NULL);
    struct net_sockets sockets;
    TRY(open_sockets(arena, config, &sockets));
    struct endpoint *endpoint = endpoint_new(config, &sockets);
    struct net_server_options options = {
        .sockets = sockets,
        .threads = config->threads,
        .connections_max = endpoint->config.limits.connections_max,
        .connections_per_peer_max = endpoint->config.limits.connections_per_peer_max,
        .tick_ms = endpoint->config.limits.tick_ms,
        .write_timeout_ms = endpoint->config.limits.write_timeout_ms,
        .tls = config->tls,
        .handshake_timeout_ms = endpoint->config.limits.header_timeout_ms,
        .plain_answer = SLICE_LITERAL(PLAIN_ANSWER),
        .accept = connection_accept,
        .thread_start = thread_start,
        .thread_stop = thread_stop,
        .ticked = thread_ticked,
        .sent = config->sent == NULL ? NULL : thread_sent,
        .user = endpoint,
    };
    struct error *error = net_server_start(arena, &options, &endpoint->net);
    if (error != NULL) {
        endpoint_free(endpoint);
        return error;
    }
    *ret_endpoint = endpoint;
    return NULL;
}

uint16_t endpoint_port(const struct endpoint *endpoint) {
    return endpoint->config.port;
}

const char *endpoint_address(const struct endpoint *endpoint, unsigned index) {
    return index < endpoint->sockets.count ? endpoint->sockets.addresses[index] : NULL;
}

struct endpoint_stats endpoint_stats(const struct endpoint *endpoint) {
    struct net_server_stats net = net_server_stats(endpoint->net);
    struct endpoint_stats stats = {.connections = net.connections,
                                   .connections_accepted = net.accepted,
                                   .connections_refused = net.refused,
                                   .memory_bytes = budget_used(&endpoint->budgets[MEMORY_INPUT]),
                                   .memory_bytes_max = endpoint->config.limits.memory_bytes_max,
                                   .work_bytes = budget_used(&endpoint->budgets[MEMORY_WORK]),
                                   .work_bytes_max = endpoint->config.limits.work_bytes_max};
    for (unsigned i = 0; i < endpoint->config.threads; i++)
        stats.requests +=
            atomic_load_explicit(&endpoint->threads[i].requests, memory_order_relaxed);
    return stats;
}

struct visit {
    struct net_task task;
    struct endpoint_thread *thread;
    void (*call)(void *user, void *thread_context);
    void *user;
    sem_t *done;
};

static void visit_now(struct net_task *task) {
    struct visit *visit = container_of(task, struct visit, task);
    visit->call(visit->user, visit->thread->context);
    sem_post(visit->done);
}

void endpoint_visit(struct endpoint *endpoint, void (*call)(void *user, void *thread_context),
                    void *user) {
    sem_t done;
    unsigned count = endpoint->config.threads;
    struct visit *visits = calloc(count, sizeof(*visits));
    CHECK(visits != NULL && sem_init(&done, 0, 0) == 0);
    for (unsigned i = 0; i < count; i++) {
        visits[i] = (struct visit){{NULL, visit_now}, &endpoint->threads[i], call, user, &done};
        net_loop_post(net_server_loop(endpoint->net, i), &visits[i].task);
    }
    for (unsigned i = 0; i < count; i++)
        while (sem_wait(&done) != 0)
            ;
    sem_destroy(&done);
    free(visits);
}

void endpoint_stop(struct endpoint *endpoint, uint32_t grace_ms) {
    net_server_stop(endpoint->net, grace_ms);
    endpoint_free(endpoint);
}
