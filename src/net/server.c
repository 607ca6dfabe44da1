/* server.c - accepting sockets and spreading them over the loops.
 *
 * Loop 0 polls the listening sockets. A new socket becomes a stream at once and travels to its loop
 * as a task, so handing over never fails and never allocates. When the process has no descriptor
 * left, a spare one is given up for a moment to accept and close: otherwise the waiting client
 * would keep the loop spinning. */
#include "net/server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/container.h"
#include "net/loop_state.h"
#include "net/peers.h"

/* Accepted per round, so that a storm of connections does not starve those that are open. */
enum { ACCEPTS_PER_ROUND = 64 };

/* What the rest of the process may have open besides connections. */
enum { DESCRIPTORS_FOR_OTHERS = 1024 };

struct net_server {
    struct net_server_options options;
    uv_poll_t polls[NET_SOCKETS_MAX];
    struct net_task listen_task;
    struct net_peers *peers;
    int spare_fd;
    unsigned next_loop;
    _Atomic uint64_t accepted;
    _Atomic uint64_t refused;
    struct net_loop loops[]; /* options.threads of them */
};

static void open_stream(struct net_task *task) {
    struct net_stream *stream = container_of(task, struct net_stream, arrival);
    CHECK(uv_tcp_init(&stream->loop->uv, &stream->tcp) == 0);
    stream->tcp.data = stream;
    net_loop_add(stream->loop, stream);
    if (uv_tcp_open(&stream->tcp, stream->fd) != 0) {
        close(stream->fd);
        net_stream_close(stream);
        return;
    }
    const struct net_loop_options *options = &stream->loop->options;
    if (options->tls != NULL) {
        net_stream_tls_open(stream, options->tls);
        net_stream_set_deadline(stream,
                                net_loop_now_ms(stream->loop) + options->handshake_timeout_ms);
    } else {
        stream->events->opened(stream);
    }
    net_stream_resume(stream);
}

/* Round robin among equals. */
static struct net_loop *least_busy_loop(struct net_server *server, uint64_t *ret_total) {
    struct net_loop *best = NULL;
    uint32_t best_count = UINT32_MAX;
    uint64_t total = 0;
    for (unsigned i = 0; i < server->options.threads; i++) {
        struct net_loop *loop = &server->loops[(server->next_loop + i) % server->options.threads];
        uint32_t count = atomic_load_explicit(&loop->stream_count, memory_order_relaxed);
        total += count;
        if (count < best_count) {
            best = loop;
            best_count = count;
        }
    }
    *ret_total = total;
    return best;
}

static void refuse(struct net_server *server, int fd) {
    atomic_fetch_add_explicit(&server->refused, 1, memory_order_relaxed);
    close(fd);
}

static void take_socket(struct net_server *server, int fd, const struct sockaddr *from) {
    static const int on = 1;
    uint64_t total;
    struct net_loop *loop = least_busy_loop(server, &total);
    atomic_fetch_add_explicit(&server->accepted, 1, memory_order_relaxed);
    struct net_peer *peer = NULL;
    bool admitted =
        total < server->options.connections_max && net_peers_enter(server->peers, from, &peer);
    struct net_stream *stream =
        admitted ? server->options.accept(server->options.user, loop) : NULL;
    if (stream == NULL) {
        net_peers_leave(server->peers, peer);
        refuse(server, fd);
        return;
    }
    stream->peer = peer;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    stream->loop = loop;
    stream->fd = fd;
    stream->arrival.run = open_stream;
    server->next_loop = (loop->index + 1) % server->options.threads;
    atomic_fetch_add_explicit(&loop->stream_count, 1, memory_order_relaxed);
    if (loop->index == 0)
        open_stream(&stream->arrival);
    else
        net_loop_post(loop, &stream->arrival);
}

static void refuse_with_spare(struct net_server *server, int listener) {
    close(server->spare_fd);
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        refuse(server, fd);
    server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_acceptable(uv_poll_t *poll, int status, int events) {
    (void)events;
    struct net_server *server = poll->data;
    uv_os_fd_t listener;
    if (status < 0 || uv_fileno((uv_handle_t *)poll, &listener) != 0)
        return;
    for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
        struct sockaddr_storage from = {.ss_family = AF_UNSPEC};
        socklen_t len = sizeof(from);
        int fd = accept4(listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            take_socket(server, fd, (const struct sockaddr *)&from);
        else if (errno == EMFILE || errno == ENFILE)
            refuse_with_spare(server, listener);
        else if (errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

static void listen_now(struct net_task *task) {
    struct net_server *server = container_of(task, struct net_server, listen_task);
    for (unsigned i = 0; i < server->options.sockets.count; i++) {
        CHECK(uv_poll_init(&server->loops[0].uv, &server->polls[i],
                           server->options.sockets.fds[i]) == 0);
        server->polls[i].data = server;
        CHECK(uv_poll_start(&server->polls[i], UV_READABLE, on_acceptable) == 0);
    }
}

/* On loop 0. The other loops are told from here, after the last socket they were handed. */
static void stop_listening(struct net_loop *loop) {
    struct net_server *server = container_of(loop, struct net_server, loops[0]);
    for (unsigned i = 0; i < server->options.sockets.count; i++)
        uv_close((uv_handle_t *)&server->polls[i], NULL);
    net_sockets_close(&server->options.sockets);
    for (unsigned i = 1; i < server->options.threads; i++)
        net_loop_stop(&server->loops[i], loop->stop_grace_ms);
}

static void server_free(struct net_server *server) {
    net_sockets_close(&server->options.sockets);
    close(server->spare_fd);
    net_peers_free(server->peers);
    free(server);
}

static struct net_server *server_new(const struct net_server_options *options) {
    struct net_server *server =
        calloc(1, sizeof(*server) + options->threads * sizeof(struct net_loop));
    CHECK(server != NULL);
    server->options = *options;
    server->peers = net_peers_new(options->connections_per_peer_max);
    server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return server;
}

/* How many of the threads started. */
static unsigned start_loops(struct net_server *server) {
    const struct net_server_options *options = &server->options;
    struct net_loop_options loop_options = {.tick_ms = options->tick_ms,
                                            .write_timeout_ms = options->write_timeout_ms,
                                            .tls = options->tls,
                                            .handshake_timeout_ms = options->handshake_timeout_ms,
                                            .plain_answer = options->plain_answer,
                                            .peers = server->peers,
                                            .thread_start = options->thread_start,
                                            .thread_stop = options->thread_stop,
                                            .ticked = options->ticked,
                                            .sent = options->sent,
                                            .user = options->user};
    for (unsigned i = 0; i < options->threads; i++) {
        net_loop_init(&server->loops[i], i, &loop_options);
        if (!net_loop_start(&server->loops[i]))
            return i;
    }
    return options->threads;
}

/* As far as the system lets us; what is missing then shows as refused connections. */
static void raise_descriptor_limit(uint32_t connections_max) {
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections_max + DESCRIPTORS_FOR_OTHERS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct error *net_server_start(struct arena *arena, const struct net_server_options *options,
                               struct net_server **ret_server) {
    CHECK(options->threads > 0 && options->tick_ms > 0);
    raise_descriptor_limit(options->connections_max);
    struct net_server *server = server_new(options);
    unsigned started = start_loops(server);
    if (started < options->threads) {
        for (unsigned i = 0; i < started; i++) {
            net_loop_stop(&server->loops[i], 0);
            net_loop_join(&server->loops[i]);
        }
        server_free(server);
        return error_local(arena, "cannot start %u I/O threads", options->threads);
    }
    server->loops[0].stopped = stop_listening;
    server->listen_task.run = listen_now;
    net_loop_post(&server->loops[0], &server->listen_task);
    *ret_server = server;
    return NULL;
}

struct net_loop *net_server_loop(struct net_server *server, unsigned index) {
    CHECK(index < server->options.threads);
    return &server->loops[index];
}

struct net_server_stats net_server_stats(const struct net_server *server) {
    struct net_server_stats stats = {
        .accepted = atomic_load_explicit(&server->accepted, memory_order_relaxed),
        .refused = atomic_load_explicit(&server->refused, memory_order_relaxed)};
    for (unsigned i = 0; i < server->options.threads; i++)
        stats.connections +=
            atomic_load_explicit(&server->loops[i].stream_count, memory_order_relaxed);
    return stats;
}

void net_server_stop(struct net_server *server, uint32_t grace_ms) {
    net_loop_stop(&server->loops[0], grace_ms);
    for (unsigned i = 0; i < server->options.threads; i++)
        net_loop_join(&server->loops[i]);
    server_free(server);
}
