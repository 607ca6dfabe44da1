/* postgres_wire.c - a proxy of Unix sockets: a thread that listens, and one for each connection.
 *
 * When the bytes of one way are used up, the connection that would carry the next one is closed in
 * both ways, with what was sent delivered; then the wire is whole again. */
#include "postgres_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/check.h"

struct pair {
    struct wire *wire;
    int sockets[2]; /* the client's, the server's */
};

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CHECK(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path));
    return address;
}

/* How many of so many bytes may go that way. */
static size_t allowed(struct wire *wire, enum wire_way way, size_t size) {
    long left = atomic_load(&wire->left[way]);
    if (left < 0 || (size_t)left >= size) {
        if (left >= 0)
            atomic_fetch_sub(&wire->left[way], (long)size);
        return size;
    }
    atomic_store(&wire->left[way], -1);
    atomic_fetch_add(&wire->cuts, 1);
    return (size_t)left;
}

static bool send_all(int socket, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* False: it is cut, or at its end. */
static bool carry(struct pair *pair, enum wire_way way) {
    char bytes[4096];
    ssize_t got = recv(pair->sockets[way], bytes, sizeof(bytes), 0);
    if (got <= 0)
        return false;
    size_t may = allowed(pair->wire, way, (size_t)got);
    return send_all(pair->sockets[1 - way], bytes, may) && may == (size_t)got;
}

static void *pair_main(void *argument) {
    struct pair *pair = argument;
    for (bool whole = true; whole && !atomic_load(&pair->wire->stop);) {
        struct pollfd ready[2] = {{pair->sockets[0], POLLIN, 0}, {pair->sockets[1], POLLIN, 0}};
        poll(ready, 2, 50);
        for (int way = 0; way < 2 && whole; way++)
            if (ready[way].revents != 0)
                whole = carry(pair, (enum wire_way)way);
    }
    close(pair->sockets[0]);
    close(pair->sockets[1]);
    atomic_fetch_sub(&pair->wire->open, 1);
    free(pair);
    return NULL;
}

static void connect_pair(struct wire *wire, int client) {
    struct pair *pair = calloc(1, sizeof(*pair));
    CHECK(pair != NULL);
    struct sockaddr_un server = address_of(wire->server);
    *pair = (struct pair){wire, {client, socket(AF_UNIX, SOCK_STREAM, 0)}};
    CHECK(connect(pair->sockets[1], (struct sockaddr *)&server, sizeof(server)) == 0);
    pthread_t thread;
    atomic_fetch_add(&wire->open, 1);
    CHECK(pthread_create(&thread, NULL, pair_main, pair) == 0);
    pthread_detach(thread);
}

static void *wire_main(void *argument) {
    struct wire *wire = argument;
    while (!atomic_load(&wire->stop)) {
        struct pollfd ready = {wire->listener, POLLIN, 0};
        if (poll(&ready, 1, 50) > 0)
            connect_pair(wire, accept(wire->listener, NULL, NULL));
    }
    return NULL;
}

void wire_start(struct wire *wire, const char *server) {
    *wire = (struct wire){.server = server};
    snprintf(wire->directory, sizeof(wire->directory), "/tmp/gramme-wire-XXXXXX");
    CHECK(mkdtemp(wire->directory) != NULL);
    char path[100];
    snprintf(path, sizeof(path), "%s/.s.PGSQL.5432", wire->directory);
    struct sockaddr_un address = address_of(path);
    wire->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(wire->listener, (struct sockaddr *)&address, sizeof(address)) == 0);
    CHECK(listen(wire->listener, 16) == 0);
    atomic_store(&wire->left[0], -1);
    atomic_store(&wire->left[1], -1);
    CHECK(pthread_create(&wire->thread, NULL, wire_main, wire) == 0);
}

void wire_cut_after(struct wire *wire, enum wire_way way, long bytes) {
    atomic_store(&wire->left[way], bytes);
}

void wire_stop(struct wire *wire) {
    char path[100];
    atomic_store(&wire->stop, true);
    pthread_join(wire->thread, NULL);
    while (atomic_load(&wire->open) > 0)
        poll(NULL, 0, 5);
    close(wire->listener);
    snprintf(path, sizeof(path), "%s/.s.PGSQL.5432", wire->directory);
    unlink(path);
    rmdir(wire->directory);
}
