/* test_lookup.c - addresses of servers: numbers at once, names some time, and what is no name. */
#include "server/lookup.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_split(const char *address, const char *host, uint16_t port) {
    uint16_t found = 1;
    assert_true(slice_is(lookup_split(address, &found), host));
    assert_int_equal(found, port);
}

static void an_address_has_a_host_and_a_port(void **state) {
    (void)state;
    expect_split("10.0.0.5:7000", "10.0.0.5", 7000);
    expect_split("[::1]:7000", "[::1]", 7000);
    expect_split("db.example", "db.example", 0);
}

static void numbers_are_found_at_once(void **state) {
    (void)state;
    struct sockaddr_storage address;
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
    struct lookup *lookup = lookup_start("127.0.0.7:7000");
    assert_int_equal(lookup_look(lookup, &address), LOOKUP_FOUND);
    assert_int_equal(address.ss_family, AF_INET);
    assert_int_equal(ntohl(v4->sin_addr.s_addr), 0x7f000007);
    assert_int_equal(ntohs(v4->sin_port), 7000);
    lookup_end(lookup);
    lookup = lookup_start("[::1]:7001");
    assert_int_equal(lookup_look(lookup, &address), LOOKUP_FOUND);
    assert_int_equal(address.ss_family, AF_INET6);
    assert_memory_equal(&v6->sin6_addr, &in6addr_loopback, sizeof(in6addr_loopback));
    lookup_end(lookup);
}

static enum lookup_state wait_for(const struct lookup *lookup, struct sockaddr_storage *address) {
    enum lookup_state state = LOOKUP_UNDER_WAY;
    for (int tries = 0; state == LOOKUP_UNDER_WAY && tries < 3000; tries++, usleep(10000))
        state = lookup_look(lookup, address);
    return state;
}

static void names_are_found(void **state) {
    (void)state;
    struct sockaddr_storage address;
    struct lookup *lookup = lookup_start("localhost:7000");
    assert_int_equal(wait_for(lookup, &address), LOOKUP_FOUND);
    assert_true(address.ss_family == AF_INET || address.ss_family == AF_INET6);
    lookup_end(lookup);
}

/* Whoever started the lookup may end it between two tries. */
static void what_is_no_name_is_not_found(void **state) {
    (void)state;
    char name[270];
    struct sockaddr_storage address;
    memset(name, 'a', sizeof(name));
    memcpy(name + sizeof(name) - 6, ":7000", 6);
    struct lookup *lookup = lookup_start(name);
    assert_int_equal(wait_for(lookup, &address), LOOKUP_FAILED);
    lookup_end(lookup);
    assert_int_equal(lookup_look(NULL, &address), LOOKUP_FAILED);
    lookup_end(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_a_host_and_a_port),
        cmocka_unit_test(numbers_are_found_at_once),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(what_is_no_name_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
