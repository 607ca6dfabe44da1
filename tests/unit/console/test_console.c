/* test_console.c - files of the console over HTTP: encoding, caching, security headers,
 * unknown paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/check.h"
#include "console/assets.h"
#include "console/console.h"
#include "unit/endpoint/raw_client.h"

static struct {
    struct arena arena;
    struct endpoint *endpoint;
    struct console console;
    struct raw_client client;
    struct raw_reply reply; /* the last reply */
} scene;

static bool handle_own(struct exchange *exchange) {
    return console_handle(exchange, &scene.console);
}

static void handle(struct exchange *exchange) {
    exchange_reply(exchange, 200);
}

static int set_up(void **state) {
    (void)state;
    static const struct slice hosts[] = {{(const uint8_t *)"h", 1}};
    memset(&scene, 0, sizeof(scene));
    arena_init(&scene.arena);
    scene.console = (struct console){.region = SLICE_LITERAL("eu-central-1"), .auth = true};
    struct endpoint_config config = {.host = SLICE_LITERAL("127.0.0.1"),
                                     .threads = 1,
                                     .limits = endpoint_limits_default(),
                                     .allow_hosts = {hosts, 1},
                                     .random = &system_random,
                                     .handle = handle,
                                     .handle_own = handle_own};
    CHECK(endpoint_start(&scene.arena, &config, &scene.endpoint) == NULL);
    raw_connect(&scene.client, endpoint_port(scene.endpoint));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    raw_reply_free(&scene.reply);
    raw_close(&scene.client);
    endpoint_stop(scene.endpoint, 1000);
    arena_release(&scene.arena);
    return 0;
}

/* ---- requests ---- */

/* `headers` end with CRLF each. */
static void ask(const char *method, const char *path, const char *headers) {
    char request[512];
    raw_reply_free(&scene.reply);
    snprintf(request, sizeof(request), "%s %s HTTP/1.1\r\nHost: h\r\n%s\r\n", method, path,
             headers);
    raw_send_text(&scene.client, request);
    if (strcmp(method, "HEAD") == 0)
        assert_true(raw_receive_head(&scene.client, &scene.reply));
    else
        assert_true(raw_receive(&scene.client, &scene.reply));
}

static void ask_file(const char *name, const char *headers) {
    char path[256];
    snprintf(path, sizeof(path), "/_gramme/console/%s", name);
    ask("GET", path, headers);
}

static void expect_header(const char *name, const char *value) {
    assert_string_equal(raw_header(&scene.reply, name), value);
}

/* The headers that protect the pages from other sites. */
static void expect_security_headers(void) {
    const char *policy = raw_header(&scene.reply, "Content-Security-Policy");
    assert_memory_equal(policy, "default-src 'none'; script-src 'self'; ", 39);
    assert_non_null(strstr(policy, "frame-ancestors 'none'"));
    assert_null(strstr(policy, "unsafe"));
    expect_header("X-Content-Type-Options", "nosniff");
    expect_header("X-Frame-Options", "DENY");
    expect_header("Referrer-Policy", "no-referrer");
    expect_header("Cross-Origin-Resource-Policy", "same-origin");
}

/* Unpacks with zlib, which the server does not use. */
static uint8_t *unpack(const struct console_asset *asset) {
    uint8_t *text = malloc(asset->len + 1);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)asset->packed,
                       .avail_in = (uInt)asset->packed_len,
                       .next_out = text,
                       .avail_out = (uInt)asset->len + 1};
    assert_int_equal(inflateInit2(&stream, 31), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, asset->len);
    inflateEnd(&stream);
    return text;
}

/* ---- files ---- */

static void every_file_is_served_packed_and_plain(void **state) {
    (void)state;
    unsigned count = 0;
    for (const struct console_asset *asset = console_assets; asset->name != NULL; asset++) {
        uint8_t *text = unpack(asset);
        ask_file(asset->name, "");
        assert_int_equal(scene.reply.status, 200);
        expect_header("Content-Encoding", "");
        assert_int_equal(scene.reply.body_len, asset->len);
        assert_memory_equal(scene.reply.body, text, asset->len);
        free(text);
        ask_file(asset->name, "Accept-Encoding: gzip, br\r\n");
        expect_header("Content-Encoding", "gzip");
        expect_header("Content-Type", asset->type);
        expect_header("ETag", asset->tag);
        expect_header("Cache-Control", "no-cache");
        expect_security_headers();
        assert_int_equal(scene.reply.body_len, asset->packed_len);
        assert_memory_equal(scene.reply.body, asset->packed, asset->packed_len);
        count++;
    }
    assert_true(count > 1);
}

static void root_path_serves_index(void **state) {
    (void)state;
    ask_file("index.html", "");
    char *page = strdup(scene.reply.body);
    ask("GET", "/_gramme/", "");
    assert_string_equal(scene.reply.body, page);
    assert_non_null(strstr(raw_header(&scene.reply, "Content-Type"), "text/html"));
    expect_security_headers();
    free(page);
}

static void matching_etag_returns_304(void **state) {
    (void)state;
    char header[256];
    for (const struct console_asset *asset = console_assets; asset->name != NULL; asset++) {
        snprintf(header, sizeof(header), "If-None-Match: %s\r\n", asset->tag);
        ask_file(asset->name, header);
        assert_int_equal(scene.reply.status, 304);
        assert_int_equal(scene.reply.body_len, 0);
        expect_header("ETag", asset->tag);
        ask_file(asset->name, "If-None-Match: \"another\"\r\n");
        assert_int_equal(scene.reply.status, 200);
    }
}

static void head_has_no_body(void **state) {
    (void)state;
    ask("HEAD", "/_gramme/", "");
    assert_int_equal(scene.reply.status, 200);
    assert_string_not_equal(raw_header(&scene.reply, "ETag"), "");
    ask_file("server.json", ""); /* the next bytes are the next reply */
    assert_int_equal(scene.reply.status, 200);
}

static void unknown_paths_return_404(void **state) {
    (void)state;
    static const char *const paths[] = {
        "/_gramme/index.html",
        "/_gramme/console/",
        "/_gramme/console/index.htm",
        "/_gramme/console/index.html/",
        "/_gramme/console/../index.html",
        "/_gramme/console//index.html",
        "/_gramme/console/Index.html",
        "/_gramme/console/%69ndex.html",
    };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        ask("GET", paths[i], "");
        assert_int_equal(scene.reply.status, 404);
    }
}

static void only_get_and_head_are_handled(void **state) {
    (void)state;
    static const char *const methods[] = {"POST", "PUT", "DELETE"};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        ask(methods[i], "/_gramme/", "Content-Type: application/json\r\nContent-Length: 0\r\n");
        assert_true(scene.reply.status >= 400);
        expect_header("ETag", "");
    }
}

/* ---- server.json ---- */

static void server_json_describes_the_server(void **state) {
    (void)state;
    ask_file("server.json", "Accept-Encoding: gzip\r\n");
    assert_string_equal(scene.reply.body,
                        "{\"region\":\"eu-central-1\",\"auth\":true,\"nameSpaces\":false}");
    expect_header("Content-Type", "application/json");
    expect_header("Cache-Control", "no-store");
    expect_security_headers();
    scene.console =
        (struct console){.region = SLICE_LITERAL("a\"b"), .auth = false, .name_spaces = true};
    ask_file("server.json", "");
    assert_string_equal(scene.reply.body,
                        "{\"region\":\"a\\\"b\",\"auth\":false,\"nameSpaces\":true}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_file_is_served_packed_and_plain),
        TEST(root_path_serves_index),
        TEST(matching_etag_returns_304),
        TEST(head_has_no_body),
        TEST(unknown_paths_return_404),
        TEST(only_get_and_head_are_handled),
        TEST(server_json_describes_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
