/* test_metrics.c - the metrics page of a server, and that of a follower. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "endpoint/endpoint.h"
#include "relay/relay.h"
#include "server/state.h"
#include "server_scene.h"

static struct arena arena;
static struct buffer out;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    buffer_init(&out, 1024 * 1024);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    buffer_release(&out);
    arena_release(&arena);
    return 0;
}

/* Takes the page out of the buffer. */
static const char *page(void) {
    assert_false(out.overflow);
    struct slice text = arena_printf(&arena, "\n%.*s", SLICE_ARGS(buffer_slice(&out)));
    buffer_reset(&out);
    return (const char *)text.data;
}

static void expect_line(const char *text, const char *line) {
    struct slice wanted = arena_printf(&arena, "\n%s\n", line);
    if (strstr(text, (const char *)wanted.data) == NULL)
        fail_msg("without %s:%s", line, text);
}

/* Scrapers refuse a page that declares a family twice. */
static void expect_families_once(const char *text) {
    const char start[] = "\n# TYPE ";
    for (const char *at = text; (at = strstr(at, start)) != NULL; at++) {
        size_t len = strcspn(at + sizeof(start) - 1, " ") + sizeof(start);
        struct slice line = arena_printf(&arena, "%.*s", (int)len, at);
        if (strstr(at + 1, (const char *)line.data) != NULL)
            fail_msg("twice: %s", (const char *)line.data);
    }
}

/* ---- a server with a store of its own ---- */

static void page_has_every_family_once(void **state) {
    (void)state;
    struct server_config config = server_scene_config();
    struct server *server;
    config.program = "gramme 1.2.3";
    assert_null(server_start(&arena, &config, &server));
    struct slice type = server_write_metrics(server, SLICE_NONE, &out);
    assert_true(slice_is(type, "text/plain; version=0.0.4; charset=utf-8"));
    const char *text = page();
    expect_line(text, "gramme_build_info{version=\"1.2.3\",store=\"memory\"} 1");
    expect_line(text, "gramme_tables 0");
    expect_line(text, "gramme_connections 0");
    expect_line(text, "gramme_backups_total{outcome=\"done\"} 0");
    expect_families_once(text);
    assert_null(strstr(text, "name_space"));
    assert_null(strstr(text, "gramme_role"));
    assert_null(strstr(text, "# EOF"));
    type = server_write_metrics(server, SLICE_LITERAL("application/openmetrics-text"), &out);
    assert_true(slice_starts_with(type, SLICE_LITERAL("application/openmetrics-text")));
    text = page();
    expect_families_once(text);
    assert_string_equal(text + strlen(text) - 6, "# EOF\n");
    server_stop(server);
}

static void program_name_defaults_to_gramme(void **state) {
    (void)state;
    struct server_config config = server_scene_config();
    struct server *server;
    assert_null(server_start(&arena, &config, &server));
    server_write_metrics(server, SLICE_NONE, &out);
    expect_line(page(), "gramme_build_info{version=\"gramme\",store=\"memory\"} 1");
    server_stop(server);
}

/* ---- a follower ---- */

static void nothing(struct exchange *exchange) {
    exchange_reply(exchange, 200);
}

static void follower_reports_role_and_forwarding(void **state) {
    (void)state;
    struct relay_tally tally = {.sent = 7, .answered = 5, .repeated = 1, .waited = 2};
    struct endpoint_config config = {.host = SLICE_LITERAL("127.0.0.1"),
                                     .threads = 1,
                                     .limits = endpoint_limits_default(),
                                     .random = &system_random,
                                     .handle = nothing};
    struct telemetry telemetry = {.relay = &tally, .role = "waiting"};
    assert_null(endpoint_start(&arena, &config, &telemetry.endpoint));
    atomic_store(&tally.waiting, 3);
    telemetry_write_following(&telemetry, SLICE_NONE, &out);
    const char *text = page();
    expect_line(text, "gramme_role{role=\"waiting\"} 1");
    expect_line(text, "gramme_role{role=\"leading\"} 0");
    expect_line(text, "gramme_relay_requests_total 7");
    expect_line(text, "gramme_relay_answered_total 5");
    expect_line(text, "gramme_relay_in_doubt_total 0");
    expect_line(text, "gramme_relay_waiting 3");
    expect_families_once(text);
    assert_null(strstr(text, "gramme_store_"));
    assert_null(strstr(text, "gramme_follower_reads"));
    assert_null(strstr(text, "gramme_tables"));
    telemetry.role = "serving";
    telemetry_write_following(&telemetry, SLICE_NONE, &out);
    text = page();
    expect_line(text, "gramme_role{role=\"serving\"} 1");
    expect_line(text, "gramme_role{role=\"waiting\"} 0");
    endpoint_stop(telemetry.endpoint, 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(page_has_every_family_once),
        TEST(program_name_defaults_to_gramme),
        TEST(follower_reports_role_and_forwarding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
