/* test_peers.c - one address cannot have all connections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <pthread.h>

#include "net/peers.h"

static struct net_peers *peers;

static bool enters(const char *text, struct net_peer **ret_peer) {
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
        return net_peers_enter(peers, (const struct sockaddr *)&four, ret_peer);
    assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
    return net_peers_enter(peers, (const struct sockaddr *)&six, ret_peer);
}

static void each_address_has_its_own(void **state) {
    (void)state;
    struct net_peer *a[3], *b;
    peers = net_peers_new(2);
    assert_true(enters("10.0.0.1", &a[0]));
    assert_true(enters("::ffff:10.0.0.1", &a[1])); /* the same */
    assert_false(enters("10.0.0.1", &a[2]));
    assert_null(a[2]);
    assert_true(enters("10.0.0.2", &b));
    assert_non_null(b);
    net_peers_leave(peers, a[0]);
    assert_true(enters("10.0.0.1", &a[2]));
    net_peers_leave(peers, a[1]);
    net_peers_leave(peers, a[2]);
    net_peers_leave(peers, b);
    net_peers_leave(peers, NULL);
    net_peers_free(peers);
}

static void a_network_of_ipv6_is_one(void **state) {
    (void)state;
    struct net_peer *a, *b, *c;
    peers = net_peers_new(1);
    assert_true(enters("2001:db8:1:2::1", &a));
    assert_false(enters("2001:db8:1:2:3:4:5:6", &b));
    assert_true(enters("2001:db8:1:3::1", &c));
    net_peers_leave(peers, a);
    net_peers_leave(peers, c);
    net_peers_free(peers);
}

static void this_machine_is_not_counted(void **state) {
    (void)state;
    static const char *const addresses[] = {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"};
    struct net_peer *peer;
    peers = net_peers_new(1);
    for (int i = 0; i < 100; i++) {
        assert_true(enters(addresses[i % 4], &peer));
        assert_null(peer);
    }
    net_peers_free(peers);
}

/* Many addresses: what left is forgotten, which net_peers_free() looks after. */
static void many(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static struct net_peer *all[COUNT];
    char text[32];
    peers = net_peers_new(1);
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof(text), "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        assert_true(enters(text, &all[i]));
        assert_false(enters(text, &(struct net_peer *){NULL}));
    }
    for (int i = 0; i < COUNT; i++)
        net_peers_leave(peers, all[i]);
    net_peers_free(peers);
}

static void limit_of_0_admits_only_loopback(void **state) {
    (void)state;
    struct net_peer *peer;
    peers = net_peers_new(0);
    assert_false(enters("10.0.0.1", &peer));
    assert_null(peer);
    assert_true(enters("127.0.0.1", &peer));
    net_peers_free(peers);
}

enum { LIMIT = 2, ROUNDS = 2000 };

static _Atomic int inside;

static void *come_and_go(void *user) {
    bool *well = user;
    for (int i = 0; i < ROUNDS; i++) {
        struct net_peer *peer;
        if (!enters("10.0.0.1", &peer))
            continue;
        *well = *well && atomic_fetch_add(&inside, 1) < LIMIT;
        atomic_fetch_sub(&inside, 1);
        net_peers_leave(peers, peer);
    }
    return NULL;
}

static void limit_holds_under_concurrency(void **state) {
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    bool well[THREADS];
    struct net_peer *all[LIMIT];
    peers = net_peers_new(LIMIT);
    for (int i = 0; i < THREADS; i++) {
        well[i] = true;
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &well[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(well[i]);
    }
    for (int i = 0; i < LIMIT; i++) /* all connections were given back */
        assert_true(enters("10.0.0.1", &all[i]));
    for (int i = 0; i < LIMIT; i++)
        net_peers_leave(peers, all[i]);
    net_peers_free(peers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_address_has_its_own),
        cmocka_unit_test(a_network_of_ipv6_is_one),
        cmocka_unit_test(this_machine_is_not_counted),
        cmocka_unit_test(many),
        cmocka_unit_test(limit_of_0_admits_only_loopback),
        cmocka_unit_test(limit_holds_under_concurrency),
    };
    return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
