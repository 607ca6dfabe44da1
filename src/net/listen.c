/* listen.c - getaddrinfo, bind, listen, or what another process did of that; every failure becomes
 * an error that names the address. */
#include "net/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

enum { BACKLOG = 4096, HOST_BYTES_MAX = 255, FREE_PORT_TRIES = 16 };

/* What a socket buffers beyond what the peer has room for: without this the kernel would hold
 * megabytes for each client that does not read. Accepted sockets inherit it. */
enum { UNSENT_BYTES_MAX = 256 * 1024 };

static struct slice without_brackets(struct slice host) {
    if (host.len >= 2 && host.data[0] == '[' && host.data[host.len - 1] == ']')
        return slice_part(host, 1, host.len - 2);
    return host;
}

static struct error *resolve(struct arena *arena, struct slice host, uint16_t port,
                             struct addrinfo **ret_addresses) {
    char name[HOST_BYTES_MAX + 1], service[8];
    if (host.len == 0 || host.len > HOST_BYTES_MAX || memchr(host.data, 0, host.len) != NULL)
        return error_local(arena, "cannot listen: '%.*s' is not a host", SLICE_ARGS(host));
    memcpy(name, host.data, host.len);
    name[host.len] = '\0';
    snprintf(service, sizeof(service), "%u", port);
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    bool local = slice_equal_ignoring_case(host, SLICE_LITERAL("localhost"));
    int outcome = getaddrinfo(local ? NULL : name, service, &hints, ret_addresses);
    if (outcome != 0)
        return error_local(arena, "cannot listen on %s: %s", name, gai_strerror(outcome));
    return NULL;
}

static void set_port(struct sockaddr *address, uint16_t port) {
    if (address->sa_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
}

static bool is_loopback(const struct sockaddr *address) {
    const struct sockaddr_in *v4 = (const void *)address;
    const struct sockaddr_in6 *v6 = (const void *)address;
    return address->sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr)
                                          : ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* A listening socket, with the address that it has. */
static void take(struct net_sockets *sockets, int fd) {
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    const struct sockaddr *plain = (const struct sockaddr *)&address;
    char host[64], port[8];
    CHECK(getsockname(fd, (struct sockaddr *)&address, &len) == 0);
    CHECK(getnameinfo(plain, len, host, sizeof(host), port, sizeof(port),
                      NI_NUMERICHOST | NI_NUMERICSERV) == 0);
    snprintf(sockets->addresses[sockets->count], NET_ADDRESS_BYTES,
             plain->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    if (sockets->count == 0)
        sockets->port = (uint16_t)atoi(port);
    sockets->loopback = sockets->loopback && is_loopback(plain);
    sockets->fds[sockets->count++] = fd;
}

static void limit_unsent(int fd) {
    static const int unsent_max = UNSENT_BYTES_MAX;
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_max, sizeof(unsent_max));
}

/* Returns 0, or an errno. "::" also takes IPv4. */
static int open_one(const struct addrinfo *info, int *ret_fd) {
    static const int on = 1, off = 0;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    limit_unsent(fd);
    if (info->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, info->ai_addr, info->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
        int failure = errno;
        close(fd);
        return failure;
    }
    *ret_fd = fd;
    return 0;
}

/* An address that this machine lacks (::1 of localhost without IPv6) does not count while another
 * works. */
static bool is_skippable(int failure) {
    return failure == EADDRNOTAVAIL || failure == EAFNOSUPPORT;
}

/* Those of IPv4 first. Returns 0, or an errno. */
static int open_all(const struct addrinfo *addresses, struct net_sockets *sockets) {
    static const int families[] = {AF_INET, AF_INET6};
    int failure = 0, fd = -1;
    for (unsigned i = 0; i < 2; i++)
        for (const struct addrinfo *info = addresses; info != NULL; info = info->ai_next) {
            if (info->ai_family != families[i] || sockets->count == NET_SOCKETS_MAX)
                continue;
            set_port(info->ai_addr, sockets->port);
            int outcome = open_one(info, &fd);
            if (outcome == 0)
                take(sockets, fd);
            else if (!is_skippable(outcome))
                return outcome;
            else
                failure = outcome;
        }
    return sockets->count == 0 ? failure : 0;
}

/* The free port of the first address need not be free at the second. */
struct error *net_sockets_open(struct arena *arena, struct slice host, uint16_t port,
                               struct net_sockets *ret_sockets) {
    struct addrinfo *addresses = NULL;
    TRY(resolve(arena, without_brackets(host), port, &addresses));
    int failure = EADDRINUSE;
    for (int tries = 0; failure == EADDRINUSE && tries < (port == 0 ? FREE_PORT_TRIES : 1);
         tries++) {
        *ret_sockets = (struct net_sockets){.port = port, .loopback = true};
        failure = open_all(addresses, ret_sockets);
        if (failure != 0)
            net_sockets_close(ret_sockets);
    }
    freeaddrinfo(addresses);
    if (failure == 0)
        return NULL;
    return error_local(arena, "cannot listen on %.*s port %u: %s", SLICE_ARGS(host), port,
                       strerror(failure));
}

static bool is_listening_tcp(int fd) {
    int listens = 0, domain = 0;
    socklen_t len = sizeof(int);
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens != 0 &&
           getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

struct error *net_sockets_adopt(struct arena *arena, int first, unsigned count,
                                struct net_sockets *ret_sockets) {
    struct net_sockets sockets = {.loopback = true};
    if (count > NET_SOCKETS_MAX)
        return error_local(arena, "cannot listen at %u sockets that were passed, only at %d", count,
                           NET_SOCKETS_MAX);
    for (int given = first; given < first + (int)count; given++) {
        int fd = is_listening_tcp(given) ? fcntl(given, F_DUPFD_CLOEXEC, 0) : -1;
        if (fd < 0) {
            net_sockets_close(&sockets);
            return error_local(arena,
                               "cannot listen at file descriptor %d, which was passed: it is no "
                               "listening TCP socket",
                               given);
        }
        fcntl(given, F_SETFD, FD_CLOEXEC);
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        limit_unsent(fd);
        take(&sockets, fd);
    }
    *ret_sockets = sockets;
    return NULL;
}

void net_sockets_close(struct net_sockets *sockets) {
    for (unsigned i = 0; i < sockets->count; i++)
        close(sockets->fds[i]);
    sockets->count = 0;
}
