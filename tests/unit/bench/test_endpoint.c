/* test_endpoint.c - URLs of endpoints, right and wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/endpoint.h"

static void urls_are_taken_apart(void **state) {
    (void)state;
    static const struct {
        const char *url, *host, *port, *header;
        bool tls, loopback;
    } cases[] = {
        {"http://127.0.0.1:8000", "127.0.0.1", "8000", "127.0.0.1:8000", false, true},
        {"http://localhost:8000/", "localhost", "8000", "localhost:8000", false, true},
        {"http://[::1]:80", "::1", "80", "[::1]:80", false, true},
        {"http://db", "db", "80", "db", false, false},
        {"https://dynamodb.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com", "443",
         "dynamodb.eu-west-1.amazonaws.com", true, false},
        {"https://db.example:8443/", "db.example", "8443", "db.example:8443", true, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        struct endpoint endpoint;
        arena_init(&arena);
        assert_null(endpoint_parse(&arena, cases[i].url, &endpoint));
        assert_string_equal(endpoint.host, cases[i].host);
        assert_string_equal(endpoint.port, cases[i].port);
        assert_string_equal(endpoint.host_header, cases[i].header);
        assert_int_equal(endpoint.tls, cases[i].tls);
        assert_int_equal(endpoint_is_loopback(&endpoint), cases[i].loopback);
        arena_release(&arena);
    }
}

static void other_texts_are_refused(void **state) {
    (void)state;
    static const char *const urls[] = {"",
                                       "127.0.0.1:8000",
                                       "ftp://x",
                                       "http://",
                                       "http:///",
                                       "http://:80",
                                       "http://a:",
                                       "http://a:x",
                                       "http://a:80/db",
                                       "http://a/db",
                                       "http://a b",
                                       "http://[::1",
                                       "http://[::1]80",
                                       "http://u@a",
                                       "http://a:123456",
                                       "http://a\r\nX: y"};
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        struct arena arena;
        struct endpoint endpoint;
        arena_init(&arena);
        struct error *error = endpoint_parse(&arena, urls[i], &endpoint);
        assert_non_null(error);
        assert_non_null(memmem(error->message.data, error->message.len, "is no endpoint", 14));
        arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_taken_apart),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
