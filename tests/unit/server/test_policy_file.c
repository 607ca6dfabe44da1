/* test_policy_file.c - reload of the policy file, and that a failed reload keeps the current
 * policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#include "policy/policy.h"
#include "server/policy_file.h"

#define ALLOW(action) \
    "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":\"" action "\",\"Resource\":\"*\"}}"

static struct arena arena;
static char path[64];
static struct policy_file *file;

static void write_text(const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int set_up(void **state) {
    (void)state;
    strcpy(path, "/tmp/gramme-policy-XXXXXX");
    arena_init(&arena);
    close(mkstemp(path));
    file = NULL;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    policy_file_close(file);
    unlink(path);
    arena_release(&arena);
    return 0;
}

static bool allows(const struct policy *policy, const char *action) {
    struct policy_request request = {.action = slice_text(action), .resource = SLICE_LITERAL("*")};
    return policy_evaluate(policy, &request) == POLICY_ALLOWED;
}

static const struct policy *now(void) {
    return common_policy_now(policy_file_common(file));
}

static void reload_replaces_the_policy(void **state) {
    (void)state;
    write_text(ALLOW("d:A"));
    assert_null(policy_file_open(&arena, path, &file));
    const struct policy *first = now();
    assert_true(allows(first, "d:A"));
    write_text(ALLOW("d:B"));
    assert_true(allows(now(), "d:A"));
    policy_file_reload(file);
    assert_false(allows(now(), "d:A"));
    assert_true(allows(now(), "d:B"));
    assert_true(allows(first, "d:A")); /* a request may still use it */
}

static void unchanged_text_keeps_the_policy(void **state) {
    (void)state;
    write_text(ALLOW("d:A"));
    assert_null(policy_file_open(&arena, path, &file));
    const struct policy *first = now();
    policy_file_reload(file);
    assert_ptr_equal(now(), first);
    write_text(ALLOW("d:A") " ");
    policy_file_reload(file);
    assert_ptr_not_equal(now(), first);
}

static void failed_reload_keeps_the_policy(void **state) {
    (void)state;
    write_text(ALLOW("d:A"));
    assert_null(policy_file_open(&arena, path, &file));
    const struct policy *first = now();
    static const char *const wrong[] = {"", "{", "{}", "{\"Statement\":{\"Effect\":\"Maybe\"}}"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        write_text(wrong[i]);
        policy_file_reload(file);
        assert_ptr_equal(now(), first);
    }
    unlink(path);
    policy_file_reload(file);
    assert_ptr_equal(now(), first);
    write_text(ALLOW("d:B"));
    policy_file_reload(file);
    assert_true(allows(now(), "d:B"));
}

static void unreadable_file_is_an_error(void **state) {
    (void)state;
    write_text("{");
    assert_non_null(policy_file_open(&arena, path, &file));
    assert_null(file);
    struct error *error = policy_file_open(&arena, "/nowhere/policy.json", &file);
    assert_non_null(error);
    assert_non_null(strstr((const char *)error->message.data, "/nowhere/policy.json"));
    assert_null(file);
    assert_null(policy_file_common(NULL));
    assert_null(common_policy_now(NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(reload_replaces_the_policy),
        TEST(unchanged_text_keeps_the_policy),
        TEST(failed_reload_keeps_the_policy),
        TEST(unreadable_file_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
