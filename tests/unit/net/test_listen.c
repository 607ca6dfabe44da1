/* test_listen.c - listening sockets: names and addresses, ports, passed descriptors, and the
 * errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/listen.h"

static struct arena arena;
static struct net_sockets sockets;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    sockets = (struct net_sockets){.count = 0};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    net_sockets_close(&sockets);
    arena_release(&arena);
    return 0;
}

static struct error *try_open(const char *host, uint16_t port) {
    return net_sockets_open(&arena, slice_text(host), port, &sockets);
}

static void expect_error(struct error *error, const char *message) {
    assert_non_null(error);
    if (!slice_is(error->message, message))
        fail_msg("%.*s", SLICE_ARGS(error->message));
}

static bool has_ipv6(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
    if (fd >= 0)
        close(fd);
    return has;
}

static void port_0_takes_a_free_port(void **state) {
    (void)state;
    char address[NET_ADDRESS_BYTES];
    assert_null(try_open("127.0.0.1", 0));
    assert_int_equal(sockets.count, 1);
    assert_true(sockets.port > 0);
    assert_true(sockets.loopback);
    snprintf(address, sizeof(address), "127.0.0.1:%u", sockets.port);
    assert_string_equal(sockets.addresses[0], address);
    int flags = fcntl(sockets.fds[0], F_GETFL);
    assert_true(flags & O_NONBLOCK);
    assert_true(fcntl(sockets.fds[0], F_GETFD) & FD_CLOEXEC);
}

/* IPv4 comes first, and both families share the port. */
static void localhost_listens_on_both_families(void **state) {
    (void)state;
    assert_null(try_open("LocalHost", 0));
    assert_int_equal(sockets.count, has_ipv6() ? 2 : 1);
    assert_true(sockets.loopback);
    char address[NET_ADDRESS_BYTES];
    snprintf(address, sizeof(address), "127.0.0.1:%u", sockets.port);
    assert_string_equal(sockets.addresses[0], address);
    if (sockets.count == 2) {
        snprintf(address, sizeof(address), "[::1]:%u", sockets.port);
        assert_string_equal(sockets.addresses[1], address);
    }
}

static void brackets_around_ipv6_are_accepted(void **state) {
    (void)state;
    if (has_ipv6()) {
        assert_null(try_open("[::1]", 0));
        assert_memory_equal(sockets.addresses[0], "[::1]:", 6);
        assert_true(sockets.loopback);
    } else {
        assert_non_null(try_open("[::1]", 0));
    }
}

static void wildcard_address_is_not_loopback(void **state) {
    (void)state;
    assert_null(try_open("0.0.0.0", 0));
    assert_false(sockets.loopback);
}

static void invalid_host_is_refused(void **state) {
    (void)state;
    char longer[257];
    memset(longer, 'a', 256);
    longer[256] = '\0';
    expect_error(try_open("", 0), "cannot listen: '' is not a host");
    expect_error(try_open("[]", 0), "cannot listen: '' is not a host");
    struct error *error = try_open(longer, 0);
    assert_non_null(error);
    assert_true(slice_ends_with(error->message, SLICE_LITERAL("' is not a host")));
    assert_non_null(net_sockets_open(&arena, slice_of("127.0.0.1\0x", 11), 0, &sockets));
    assert_int_equal(sockets.count, 0);
}

static void port_in_use_is_refused(void **state) {
    (void)state;
    struct net_sockets second;
    char message[128];
    assert_null(try_open("127.0.0.1", 0));
    struct error *error =
        net_sockets_open(&arena, SLICE_LITERAL("127.0.0.1"), sockets.port, &second);
    snprintf(message, sizeof(message), "cannot listen on 127.0.0.1 port %u: Address already in use",
             sockets.port);
    expect_error(error, message);
    assert_int_equal(second.count, 0);
    uint16_t port = sockets.port;
    net_sockets_close(&sockets);
    assert_null(try_open("127.0.0.1", port));
    assert_int_equal(sockets.port, port);
}

/* 192.0.2.0/24 is reserved for documentation. */
static void foreign_address_is_refused(void **state) {
    (void)state;
    expect_error(try_open("192.0.2.1", 7),
                 "cannot listen on 192.0.2.1 port 7: Cannot assign requested address");
}

/* ---- passed sockets ---- */

enum { FIRST = 200 }; /* the first passed descriptor */

static int pass(int fd, unsigned index) {
    assert_int_equal(dup2(fd, FIRST + (int)index), FIRST + (int)index);
    return FIRST + (int)index;
}

static struct error *adopt(unsigned count) {
    return net_sockets_adopt(&arena, FIRST, count, &sockets);
}

#define NO_LISTENER \
    "cannot listen at file descriptor %d, which was passed: it is no listening TCP socket"

static void expect_no_listener(unsigned count, int which) {
    char message[128];
    snprintf(message, sizeof(message), NO_LISTENER, which);
    expect_error(adopt(count), message);
    assert_int_equal(sockets.count, 0);
}

static void passed_sockets_are_adopted_and_stay_open(void **state) {
    (void)state;
    struct net_sockets given[2];
    for (unsigned i = 0; i < 2; i++) {
        assert_null(net_sockets_open(&arena, SLICE_LITERAL("127.0.0.1"), 0, &given[i]));
        pass(given[i].fds[0], i);
    }
    fcntl(FIRST, F_SETFL, fcntl(FIRST, F_GETFL) & ~O_NONBLOCK);
    for (int again = 0; again < 2; again++) {
        assert_null(adopt(2));
        assert_int_equal(sockets.count, 2);
        assert_int_equal(sockets.port, given[0].port);
        assert_string_equal(sockets.addresses[1], given[1].addresses[0]);
        assert_true(sockets.loopback);
        assert_true(fcntl(sockets.fds[0], F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(sockets.fds[0], F_GETFD) & FD_CLOEXEC);
        assert_true(fcntl(FIRST, F_GETFD) & FD_CLOEXEC);
        net_sockets_close(&sockets);
    }
    for (unsigned i = 0; i < 2; i++) {
        net_sockets_close(&given[i]);
        close(FIRST + (int)i);
    }
}

static void descriptor_that_does_not_listen_is_refused(void **state) {
    (void)state;
    struct net_sockets given;
    assert_null(net_sockets_open(&arena, SLICE_LITERAL("127.0.0.1"), 0, &given));
    int fds[] = {
        open("/dev/null", O_RDONLY | O_CLOEXEC),
        socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
        socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
    };
    struct sockaddr_un local = {.sun_family = AF_UNIX}; /* the kernel chooses a name */
    assert_int_equal(bind(fds[3], (struct sockaddr *)&local, sizeof(local.sun_family)), 0);
    assert_int_equal(listen(fds[3], 1), 0);
    pass(given.fds[0], 0);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        expect_no_listener(2, pass(fds[i], 1));
        close(fds[i]);
    }
    close(FIRST + 1);
    expect_no_listener(2, FIRST + 1);
    assert_null(adopt(1));
    close(FIRST);
    net_sockets_close(&given);
}

static void passed_sockets_are_limited_to_4(void **state) {
    (void)state;
    expect_error(adopt(NET_SOCKETS_MAX + 1),
                 "cannot listen at 5 sockets that were passed, only at 4");
    assert_null(adopt(0));
    assert_int_equal(sockets.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(port_0_takes_a_free_port),
        TEST(localhost_listens_on_both_families),
        TEST(brackets_around_ipv6_are_accepted),
        TEST(wildcard_address_is_not_loopback),
        TEST(invalid_host_is_refused),
        TEST(port_in_use_is_refused),
        TEST(foreign_address_is_refused),
        TEST(passed_sockets_are_adopted_and_stay_open),
        TEST(descriptor_that_does_not_listen_is_refused),
        TEST(passed_sockets_are_limited_to_4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
