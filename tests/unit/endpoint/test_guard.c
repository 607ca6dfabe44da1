/* test_guard.c - which Host and which Origin is answered, by tables and through real sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/check.h"
#include "echo_server.h"
#include "raw_client.h"

static struct arena arena;

struct row {
    const char *host; /* NULL: there is none */
    const char *origin;
    const char *refusal; /* NULL: it is answered */
};

#define BY_HOST(name)                                                                       \
    "This server does not answer to the Host of this request; if it should, start it with " \
    "--allow-host " name
#define BY_ORIGIN(name)                                                                  \
    "This server does not answer web pages of this Origin; if it should, start it with " \
    "--allow-origin " name

static struct slice header(const char *text) {
    return text == NULL ? SLICE_NONE : slice_text(text);
}

/* Each row on its own, and again with what the row before left behind. */
static void expect_rows(const struct guard_options *options, const struct row *rows, size_t count) {
    struct guard guard;
    struct guard_seen seen = {0};
    guard_init(&guard, &arena, options);
    for (size_t i = 0; i < 2 * count; i++) {
        const struct row *row = &rows[i % count];
        struct http_request request = {.verb = HTTP_VERB_POST};
        request.known[HTTP_HOST] = header(row->host);
        request.known[HTTP_ORIGIN] = header(row->origin);
        struct slice refusal = SLICE_NONE;
        if (!guard_passes(&guard, &seen, &request))
            refusal = guard_refusal(&guard, &seen, &request, &arena);
        if (row->refusal == NULL && slice_present(refusal))
            fail_msg("row %zu: %.*s", i % count, SLICE_ARGS(refusal));
        if (row->refusal != NULL && !slice_is(refusal, row->refusal))
            fail_msg("row %zu: %.*s, expected %s", i % count, SLICE_ARGS(refusal), row->refusal);
    }
}

static void hosts_of_a_loopback_address(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"localhost", NULL, NULL},
        {"localhost:8000", NULL, NULL},
        {"LocalHost:1", NULL, NULL},
        {"127.0.0.1:8000", NULL, NULL},
        {"127.0.0.1", NULL, NULL},
        {"[::1]", NULL, NULL},
        {"[::1]:8000", NULL, NULL},
        {"127.0.0.2:8000", NULL, NULL},
        {"db.example", NULL, NULL},
        {"[fe80::1]:8000", NULL, NULL},
        {NULL, NULL, NULL},
        {"", NULL, BY_HOST("...")},
        {"evil.example", NULL, BY_HOST("evil.example")},
        {"evil.example:8000", NULL, BY_HOST("evil.example")},
        {"localhost.evil.example", NULL, BY_HOST("localhost.evil.example")},
        {"evil.example.localhost", NULL, BY_HOST("evil.example.localhost")},
        {"localhos", NULL, BY_HOST("localhos")},
        {"localhost:8000:8000", NULL, BY_HOST("...")},
        {"localhost:x", NULL, BY_HOST("...")},
        {"localhost@evil.example", NULL, BY_HOST("...")},
        {"[::1", NULL, BY_HOST("...")},
        {"[::1].evil.example", NULL, BY_HOST("...")},
        {"::1", NULL, BY_HOST("...")},
        {"[::]:8000", NULL, BY_HOST("[::]")},
        {"0.0.0.0:8000", NULL, BY_HOST("0.0.0.0")},
        {"\"};$(x)", NULL, BY_HOST("...")},
        {"127.0.0.1:8000", NULL, NULL},
    };
    static const struct slice more[] = {{(const uint8_t *)"db.example", 10},
                                        {(const uint8_t *)"fe80::1", 7}};
    struct guard_options options = {
        .host = SLICE_LITERAL("127.0.0.2"), .loopback = true, .allow_hosts = {more, 2}};
    expect_rows(&options, rows, sizeof(rows) / sizeof(*rows));
}

static void hosts_of_another_address(void **state) {
    (void)state;
    static const struct row any[] = {
        {"db.example:8000", NULL, NULL}, {"", NULL, NULL}, {"x@y", NULL, NULL}, {NULL, NULL, NULL}};
    static const struct row some[] = {{"db.example:8000", NULL, NULL},
                                      {"localhost", NULL, NULL},
                                      {"10.0.0.1:8000", NULL, NULL},
                                      {"10.0.0.2:8000", NULL, BY_HOST("10.0.0.2")}};
    static const struct slice more[] = {{(const uint8_t *)"db.example", 10}};
    struct guard_options options = {.host = SLICE_LITERAL("10.0.0.1")};
    expect_rows(&options, any, sizeof(any) / sizeof(*any));
    options.allow_hosts = (struct guard_names){more, 1};
    expect_rows(&options, some, sizeof(some) / sizeof(*some));
}

static void origins(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"localhost:8000", "https://a.example", NULL},
        {"localhost:8000", "HTTPS://A.example", NULL},
        {"localhost:8000", "http://localhost:8000", NULL},
        {"localhost:8000", "http://127.0.0.1:8000", NULL},
        {"[::1]:8000", "http://[::1]:8000", NULL},
        {"localhost", "http://localhost", NULL},
        {"localhost:8000", "http://localhost:3000", BY_ORIGIN("http://localhost:3000")},
        {"localhost:8000", "http://localhost", BY_ORIGIN("http://localhost")},
        {"localhost:8000", "http://a.example", BY_ORIGIN("http://a.example")},
        {"localhost:8000", "https://a.example:444", BY_ORIGIN("https://a.example:444")},
        {"localhost:8000", "https://a.example.evil", BY_ORIGIN("https://a.example.evil")},
        {"localhost:8000", "https://evil.example:8000", BY_ORIGIN("https://evil.example:8000")},
        {"localhost:8000", "null", BY_ORIGIN("null")},
        {"localhost:8000", "", BY_ORIGIN("...")},
        {"localhost:8000", "*", BY_ORIGIN("...")},
        {"localhost:8000", "://", BY_ORIGIN("://")},
        {"localhost:8000", "\"", BY_ORIGIN("...")},
        {"localhost:8000", NULL, NULL},
        {NULL, "http://localhost:8000", BY_ORIGIN("http://localhost:8000")},
        {"evil.example:8000", "http://evil.example:8000", BY_HOST("evil.example")},
        {"evil.example:8000", "https://a.example", BY_HOST("evil.example")},
    };
    static const struct slice named[] = {{(const uint8_t *)"https://a.example", 17}};
    struct guard_options options = {
        .host = SLICE_LITERAL("127.0.0.1"), .loopback = true, .allow_origins = {named, 1}};
    expect_rows(&options, rows, sizeof(rows) / sizeof(*rows));
}

/* Where any Host will do, a page of that name is the server's own. */
static void origins_of_another_address(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"db.example:8000", "http://db.example:8000", NULL},
        {"db.example:8000", "http://localhost:8000", NULL},
        {"db.example:8000", "http://a.example:8000", BY_ORIGIN("http://a.example:8000")},
        {"db.example:8000", "http://db.example", BY_ORIGIN("http://db.example")},
        {"db.example:8000", "null", BY_ORIGIN("null")},
    };
    struct guard_options options = {.host = SLICE_LITERAL("0.0.0.0")};
    expect_rows(&options, rows, sizeof(rows) / sizeof(*rows));
}

static void what_an_origin_is_told(void **state) {
    (void)state;
    static const struct slice one[] = {{(const uint8_t *)"http://a", 8}};
    static const struct slice all[] = {{(const uint8_t *)"http://a", 8}, {(const uint8_t *)"*", 1}};
    struct guard guard;
    guard_init(&guard, &arena, &(struct guard_options){.allow_origins = {one, 1}});
    assert_true(slice_is(guard_allowed_origin(&guard, SLICE_LITERAL("http://a")), "http://a"));
    assert_false(slice_present(guard_allowed_origin(&guard, SLICE_LITERAL("http://b"))));
    assert_false(slice_present(guard_allowed_origin(&guard, SLICE_NONE)));
    guard_init(&guard, &arena, &(struct guard_options){.allow_origins = {all, 2}});
    assert_true(slice_is(guard_allowed_origin(&guard, SLICE_LITERAL("http://b")), "*"));
    assert_true(slice_is(guard_allowed_origin(&guard, SLICE_LITERAL("null")), "*"));
    assert_false(slice_present(guard_allowed_origin(&guard, SLICE_NONE)));
}

/* The status of a POST that says which Host. */
static int status_for(struct raw_client *client, const char *host) {
    char text[256];
    struct raw_reply reply;
    snprintf(text, sizeof(text),
             "POST / HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
             "Content-Length: 2\r\n\r\n{}",
             host);
    raw_send_text(client, text);
    CHECK(raw_receive(client, &reply));
    int status = reply.status;
    raw_reply_free(&reply);
    return status;
}

/* Which addresses are this machine's alone is found out by listening at them. */
static void the_address_decides(void **state) {
    (void)state;
    static const struct {
        const char *host;
        int status;
    } rows[] = {{"127.0.0.1", 403}, {"localhost", 403}, {"0.0.0.0", 200}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct echo_server server;
        struct endpoint_config config = echo_server_config();
        config.host = slice_text(rows[i].host);
        config.allow_hosts.count = 0;
        echo_server_start(&server, config);
        struct raw_client client;
        raw_connect(&client, server.port);
        assert_int_equal(status_for(&client, "localhost"), 200);
        assert_int_equal(status_for(&client, "evil.example"), rows[i].status);
        assert_int_equal(status_for(&client, "127.0.0.1:1"), 200);
        raw_close(&client);
        echo_server_stop(&server, 1000);
    }
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_of_a_loopback_address),
        cmocka_unit_test(hosts_of_another_address),
        cmocka_unit_test(origins),
        cmocka_unit_test(origins_of_another_address),
        cmocka_unit_test(what_an_origin_is_told),
        cmocka_unit_test(the_address_decides),
    };
    return cmocka_run_group_tests_name("guard", tests, set_up, tear_down);
}
