/* delay_relay.c - a network that is farther away: delay_relay MICROSECONDS SOCKET
 *
 * Listens at a port of 127.0.0.1, which it prints, and carries bytes between whoever connects and
 * that Unix socket. Each direction takes so long, however much is on its way: what was read goes on
 * when its time has come. One thread; connections are never given back. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 256, CHUNK_BYTES = 65536, QUEUE_BYTES_MAX = 64 << 20 };

struct chunk {
    struct chunk *next;
    uint64_t due_ns;
    size_t len, sent;
    char bytes[];
};

/* From one socket to the other. */
struct way {
    int from, to;
    struct chunk *first, **end;
    size_t queued;
    bool blocked; /* the other socket takes no more for now */
};

static struct way ways[2 * CONNECTIONS_MAX];
static size_t way_count;
static uint64_t delay_ns;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void way_init(struct way *way, int from, int to) {
    *way = (struct way){.from = from, .to = to};
    way->end = &way->first;
}

static void add_connection(int listener, const char *path) {
    struct sockaddr_un server = {.sun_family = AF_UNIX};
    int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK), one = 1;
    if (client < 0 || way_count + 2 > 2 * CONNECTIONS_MAX)
        fail("accept");
    snprintf(server.sun_path, sizeof(server.sun_path), "%s", path);
    int far = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (connect(far, (struct sockaddr *)&server, sizeof(server)) != 0)
        fail(path);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    way_init(&ways[way_count++], client, far);
    way_init(&ways[way_count++], far, client);
}

/* An end, or a failure, goes to the other side at once: what was on its way is lost. */
static void way_end(struct way *way) {
    shutdown(way->to, SHUT_RDWR);
    way->from = -1;
}

static void way_read(struct way *way) {
    struct chunk *chunk = malloc(sizeof(*chunk) + CHUNK_BYTES);
    if (chunk == NULL)
        fail("malloc");
    ssize_t got = read(way->from, chunk->bytes, CHUNK_BYTES);
    if (got <= 0) {
        free(chunk);
        if (got == 0 || errno != EAGAIN)
            way_end(way);
        return;
    }
    *chunk = (struct chunk){.due_ns = now_ns() + delay_ns, .len = (size_t)got};
    *way->end = chunk;
    way->end = &chunk->next;
    way->queued += chunk->len;
}

static void way_write(struct way *way, uint64_t now) {
    struct chunk *chunk;
    way->blocked = false;
    while ((chunk = way->first) != NULL && chunk->due_ns <= now && !way->blocked) {
        ssize_t sent =
            send(way->to, chunk->bytes + chunk->sent, chunk->len - chunk->sent, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            sent = (ssize_t)(chunk->len - chunk->sent); /* nobody is there any more */
        way->blocked = sent < 0;
        chunk->sent += sent < 0 ? 0 : (size_t)sent;
        if (chunk->sent < chunk->len)
            continue;
        way->first = chunk->next;
        if (way->first == NULL)
            way->end = &way->first;
        way->queued -= chunk->len;
        free(chunk);
    }
}

/* What to wait for, and until when. */
static uint64_t watch(struct pollfd *sockets) {
    uint64_t due_ns = UINT64_MAX;
    for (size_t i = 0; i < way_count; i++) {
        const struct way *way = &ways[i];
        bool full = way->queued >= QUEUE_BYTES_MAX;
        sockets[i] = (struct pollfd){full ? -1 : way->from, POLLIN, 0};
        if (way->blocked)
            sockets[way_count + i] = (struct pollfd){way->to, POLLOUT, 0};
        else
            sockets[way_count + i] = (struct pollfd){-1, 0, 0};
        if (way->first != NULL && !way->blocked && way->first->due_ns < due_ns)
            due_ns = way->first->due_ns;
    }
    return due_ns;
}

static void turn(int listener, const char *path) {
    static struct pollfd sockets[4 * CONNECTIONS_MAX + 1];
    uint64_t due_ns = watch(sockets), now = now_ns();
    size_t count = 2 * way_count;
    uint64_t wait_ns = due_ns <= now ? 0 : due_ns - now;
    struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
    sockets[count] = (struct pollfd){listener, POLLIN, 0};
    if (ppoll(sockets, count + 1, due_ns == UINT64_MAX ? NULL : &wait, NULL) < 0 && errno != EINTR)
        fail("ppoll");
    for (size_t i = 0; i < count / 2; i++)
        if (sockets[i].revents != 0)
            way_read(&ways[i]);
    now = now_ns();
    for (size_t i = 0; i < count / 2; i++)
        way_write(&ways[i], now);
    if (sockets[count].revents != 0)
        add_connection(listener, path);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: delay_relay MICROSECONDS SOCKET\n");
        return 2;
    }
    delay_ns = strtoull(argv[1], NULL, 10) * 1000;
    prctl(PR_SET_TIMERSLACK, 1UL);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, len) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) != 0)
        fail("listen");
    printf("listening on port %u\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;)
        turn(listener, argv[2]);
}
