/* echo_server.c - see echo_server.h. One thread besides the endpoint's plays the commit thread. */
#include "echo_server.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/container.h"

static struct exchange *exchange_of(struct net_task *task) {
    return container_of(task, struct exchange, task);
}

static void reply(struct exchange *exchange) {
    if (exchange_lacks_memory(exchange))
        exchange_try_again(exchange);
    else
        exchange_reply(exchange, 200);
}

static void reply_echo(struct exchange *exchange) {
    buffer_append_slice(&exchange->reply, exchange->request.body);
    reply(exchange);
}

static void reply_later(struct net_task *task) {
    reply_echo(exchange_of(task));
}

/* The request's bytes must still be there on the other thread: its sum goes into the arena. */
static void work(struct exchange *exchange) {
    unsigned sum = 0;
    for (size_t i = 0; i < exchange->request.body.len; i++)
        sum += exchange->request.body.data[i];
    arena_printf(&exchange->arena, "%u", sum);
    exchange->task.run = reply_later;
    net_loop_post(exchange->loop, &exchange->task);
}

static void *late_main(void *arg) {
    struct echo_server *server = arg;
    pthread_mutex_lock(&server->mutex);
    while (!server->ended || server->late != NULL) {
        struct net_task *task = server->late;
        if (task == NULL) {
            pthread_cond_wait(&server->changed, &server->mutex);
            continue;
        }
        server->late = NULL;
        pthread_mutex_unlock(&server->mutex);
        usleep(200);
        while (task != NULL) {
            struct net_task *next = task->next;
            work(exchange_of(task));
            task = next;
        }
        pthread_mutex_lock(&server->mutex);
    }
    pthread_mutex_unlock(&server->mutex);
    return NULL;
}

static void put_off(struct echo_server *server, struct exchange *exchange, bool held) {
    pthread_mutex_lock(&server->mutex);
    struct net_task **list = held ? &server->held : &server->late;
    exchange->task.next = *list;
    *list = &exchange->task;
    server->held_count += held;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
}

static void reply_big(struct exchange *exchange) {
    char number[16] = {0};
    struct slice size = http_request_query(&exchange->request, SLICE_LITERAL("big"));
    CHECK(size.len < sizeof(number));
    memcpy(number, size.data, size.len);
    size_t len = strtoul(number, NULL, 10);
    if (buffer_reserve(&exchange->reply, len)) {
        for (size_t i = 0; i < len; i++)
            exchange->reply.data[i] = (uint8_t)('a' + i % 26);
        exchange->reply.len = len;
    }
    reply(exchange);
}

static bool asks(const struct exchange *exchange, const char *what) {
    return slice_present(http_request_query(&exchange->request, slice_text(what)));
}

static void handle(struct exchange *exchange) {
    struct echo_server *server = exchange->thread_context;
    CHECK(exchange->reply.len == 0 && exchange->user == NULL);
    exchange->user = server;
    if (asks(exchange, "late"))
        put_off(server, exchange, false);
    else if (asks(exchange, "held"))
        put_off(server, exchange, true);
    else if (asks(exchange, "big"))
        reply_big(exchange);
    else if (asks(exchange, "close"))
        exchange_reply_with(exchange,
                            &(struct exchange_reply_options){.status = 200, .close = true});
    else
        reply_echo(exchange);
}

static bool handle_other(struct exchange *exchange) {
    buffer_append_text(&exchange->reply, "other");
    exchange_reply_with(exchange, &(struct exchange_reply_options){
                                      .status = 200,
                                      .content_type = SLICE_LITERAL("text/plain"),
                                      .headers = SLICE_LITERAL("X-More: 1\r\nX-Most: 2\r\n")});
    return true;
}

static void *thread_start(void *user, unsigned index) {
    struct echo_server *server = user;
    pthread_mutex_lock(&server->mutex);
    server->threads_started += index < 64;
    pthread_mutex_unlock(&server->mutex);
    return server;
}

static void thread_stop(void *user, void *context) {
    struct echo_server *server = user;
    CHECK(context == server);
    pthread_mutex_lock(&server->mutex);
    server->threads_stopped++;
    pthread_mutex_unlock(&server->mutex);
}

struct endpoint_config echo_server_config(void) {
    static const struct slice hosts[] = {{(const uint8_t *)"h", 1}};
    static const struct slice origins[] = {{(const uint8_t *)"*", 1}};
    struct endpoint_config config = {.host = SLICE_LITERAL("127.0.0.1"),
                                     .threads = 2,
                                     .limits = endpoint_limits_default(),
                                     .allow_hosts = {hosts, 1},
                                     .allow_origins = {origins, 1},
                                     .random = &system_random};
    config.limits.tick_ms = 10;
    return config;
}

void echo_server_start(struct echo_server *server, struct endpoint_config config) {
    memset(server, 0, sizeof(*server));
    arena_init(&server->arena);
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->changed, NULL);
    config.handle = handle;
    config.handle_other = handle_other;
    config.thread_start = thread_start;
    config.thread_stop = thread_stop;
    config.user = server;
    CHECK(pthread_create(&server->thread, NULL, late_main, server) == 0);
    CHECK(endpoint_start(&server->arena, &config, &server->endpoint) == NULL);
    server->port = endpoint_port(server->endpoint);
}

void echo_server_let_go(struct echo_server *server) {
    pthread_mutex_lock(&server->mutex);
    while (server->held != NULL) {
        struct net_task *task = server->held;
        server->held = task->next;
        task->next = server->late;
        server->late = task;
    }
    server->held_count = 0;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
}

unsigned echo_server_held(struct echo_server *server) {
    pthread_mutex_lock(&server->mutex);
    unsigned count = server->held_count;
    pthread_mutex_unlock(&server->mutex);
    return count;
}

void echo_server_wait_held(struct echo_server *server, unsigned count) {
    pthread_mutex_lock(&server->mutex);
    while (server->held_count < count)
        pthread_cond_wait(&server->changed, &server->mutex);
    pthread_mutex_unlock(&server->mutex);
}

void echo_server_wait_connections(struct echo_server *server, unsigned count) {
    for (int i = 0; i < 5000 && endpoint_stats(server->endpoint).connections != count; i++)
        usleep(1000);
    CHECK(endpoint_stats(server->endpoint).connections == count);
}

void echo_server_wait_no_memory(struct echo_server *server) {
    struct endpoint_stats stats;
    for (int i = 0; i < 5000; i++) {
        stats = endpoint_stats(server->endpoint);
        if (stats.memory_bytes == 0 && stats.work_bytes == 0)
            return;
        usleep(1000);
    }
    CHECK(stats.memory_bytes == 0 && stats.work_bytes == 0);
}

void echo_server_stop(struct echo_server *server, uint32_t grace_ms) {
    endpoint_stop(server->endpoint, grace_ms);
    pthread_mutex_lock(&server->mutex);
    server->ended = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->mutex);
    CHECK(pthread_join(server->thread, NULL) == 0);
    CHECK(server->threads_started == server->threads_stopped);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->mutex);
    arena_release(&server->arena);
}
