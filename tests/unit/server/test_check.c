/* test_check.c - options that exclude each other, failed starts, and what a running server
 * reports. The sanitizer finds what a failed start leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>

#include "server/state.h"
#include "server_scene.h"

static struct arena arena;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

static void expect_error(struct error *error, const char *message) {
    assert_non_null(error);
    if (!slice_is(error->message, message))
        fail_msg("%.*s", SLICE_ARGS(error->message));
}

/* ---- options ---- */

static void test_reset_and_name_spaces_exclude_options(void **state) {
    (void)state;
    static const struct {
        struct server_config config;
        const char *message; /* NULL: no error */
    } all[] = {
        {{.auth = true, .data_directory = "d"}, NULL},
        {{.store_url = "postgres://h/d", .auth = true}, NULL},
        {{.test_reset = true}, NULL},
        {{.name_spaces = true}, NULL},
        {{.name_spaces = true, .data_directory = "d"}, NULL},
        {{.test_reset = true, .data_directory = "d"},
         "--test-reset is for servers that keep nothing: it wants --memory"},
        {{.test_reset = true, .name_spaces = true, .data_directory = "d"},
         "--test-reset is for servers that keep nothing: it wants --memory"},
        {{.test_reset = true, .store_url = "postgres://h/d"},
         "--test-reset and --store exclude each other"},
        {{.name_spaces = true, .store_url = "postgres://h/d"},
         "--name-spaces and --store exclude each other"},
        {{.test_reset = true, .auth = true}, "--test-reset and --auth exclude each other"},
        {{.name_spaces = true, .auth = true}, "--name-spaces and --auth exclude each other"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct error *error = server_check(&arena, &all[i].config);
        if (all[i].message != NULL)
            expect_error(error, all[i].message);
        else
            assert_null(error);
    }
}

/* Several servers write to a store with 4 groups of keys; these options need a single writer. */
static void several_writers_exclude_options(void **state) {
    (void)state;
    static const struct {
        struct server_config config;
        bool shares;
    } all[] = {
        {{.auth = true, .durability = SERVER_RELAXED}, true},
        {{.throttle = true}, false},
        {{.transaction_conflicts = true}, false},
        {{.test_faults = true}, false},
        {{.test_clock = true}, false},
        {{.audit = "-"}, false},
    };
    static struct server server = {.place = {(const uint8_t *)"postgres://h/d", 14}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct store several = {.groups = 4}, alone = {.groups = 1};
        server.config = all[i].config;
        assert_int_equal(server_may_share(&server.config), all[i].shares);
        assert_null(sharing_check(&server, &arena, &alone));
        struct error *error = sharing_check(&server, &arena, &several);
        if (all[i].shares)
            assert_null(error);
        else
            expect_error(error,
                         "postgres://h/d has 4 groups of keys, which several servers write: "
                         "--throttle, --audit, --transaction-conflicts and options for tests "
                         "cannot be had there");
    }
}

/* ---- starts ---- */

static unsigned count_descriptors(void) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* The starts fail at different steps. */
static void failed_start_releases_everything(void **state) {
    (void)state;
    struct server_config reset = server_scene_config(), policy = reset, certificate = reset,
                         audit = reset, key = reset, others = reset, host = reset;
    reset.test_reset = reset.auth = true;
    policy.policy = "/nowhere/policy.json";
    certificate.tls_certificate = certificate.tls_key = "/nowhere/server.pem";
    audit.audit = "/nowhere/audit.log";
    key.auth = true;
    key.root_key = "/nowhere/credentials";
    others.host = "0.0.0.0";
    others.loopback_only = true;
    host.host = "192.0.2.1"; /* reserved for documentation */
    const struct server_config *const all[] = {&reset, &policy, &certificate, &audit,
                                               &key,   &others, &host};
    unsigned before = count_descriptors();
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct server *server = NULL;
        struct error *error = server_start(&arena, all[i], &server);
        assert_non_null(error);
        assert_true(error->message.len > 0);
        assert_null(server);
        assert_int_equal(count_descriptors(), before);
    }
    server_stop(NULL);
}

static void port_in_use_is_refused(void **state) {
    (void)state;
    struct server_config config = server_scene_config();
    struct server *first, *second = NULL;
    assert_null(server_start(&arena, &config, &first));
    config.port = server_port(first);
    struct slice message = arena_printf(
        &arena, "cannot listen on 127.0.0.1 port %u: Address already in use", config.port);
    expect_error(server_start(&arena, &config, &second), (const char *)message.data);
    server_stop(first);
    assert_null(server_start(&arena, &config, &second));
    assert_int_equal(server_port(second), config.port);
    server_stop(second);
}

/* ---- a running server ---- */

static void server_reports_its_address(void **state) {
    (void)state;
    struct server_config config = server_scene_config();
    struct server *server;
    assert_null(server_start(&arena, &config, &server));
    struct slice address = arena_printf(&arena, "127.0.0.1:%u", server_port(server));
    assert_string_equal(server_address(server, 0), (const char *)address.data);
    assert_null(server_address(server, 1));
    assert_false(slice_present(server_place(server)));
    assert_int_equal(server_look_ms(server), 0);
    assert_true(server_look(server));
    server_stop(server);
}

static void first_key_is_returned_once(void **state) {
    (void)state;
    char id[64] = "", secret[64] = "";
    struct server_config config = server_scene_config();
    struct server *server;
    config.auth = true;
    assert_null(server_start(&arena, &config, &server));
    assert_false(server_take_first_key(server, id, secret, 40)); /* it does not fit */
    assert_string_equal(secret, "");
    assert_true(server_take_first_key(server, id, secret, sizeof(id)));
    assert_memory_equal(id, "AKIA", 4);
    assert_int_equal(strlen(id), 20);
    assert_int_equal(strlen(secret), 40);
    assert_false(server_take_first_key(server, id, secret, sizeof(id)));
    server_stop(server);
    config.auth = false;
    assert_null(server_start(&arena, &config, &server));
    assert_false(server_take_first_key(server, id, secret, sizeof(id)));
    server_stop(server);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_reset_and_name_spaces_exclude_options),
        TEST(several_writers_exclude_options),
        TEST(failed_start_releases_everything),
        TEST(port_in_use_is_refused),
        TEST(server_reports_its_address),
        TEST(first_key_is_returned_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
