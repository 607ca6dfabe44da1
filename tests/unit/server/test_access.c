/* test_access.c - access keys of a server: which key seals their secrets, and import of the root
 * key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <ftw.h>
#include <unistd.h>

#include "crypto/keyring.h"
#include "server/access.h"
#include "support/engine_fixture.h"

static struct {
    struct engine_fixture f;
    struct access *access;
    struct buffer output;
    char directory[64];
} scene;

static int set_up(void **state) {
    (void)state;
    memset(&scene, 0, sizeof(scene));
    strcpy(scene.directory, "/tmp/gramme-access-XXXXXX");
    assert_non_null(mkdtemp(scene.directory));
    assert_null(fixture_open(&scene.f, fixture_store()));
    buffer_init(&scene.output, 1 << 16);
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status;
    (void)kind;
    (void)at;
    return remove(path);
}

static int tear_down(void **state) {
    (void)state;
    access_close(scene.access);
    access_close(NULL);
    buffer_release(&scene.output);
    fixture_close(&scene.f);
    return nftw(scene.directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void open_again(struct access_options options) {
    access_close(scene.access);
    scene.access = NULL;
    options.engine = scene.f.engine;
    options.account = SLICE_LITERAL("000000000000");
    assert_null(access_open(&scene.f.arena, &options, &scene.access));
}

static struct error *run(const char *command) {
    buffer_reset(&scene.output);
    return access_run(scene.access, &scene.f.arena, slice_text(command), &scene.output);
}

static struct access_key first_key(void) {
    struct access_key key;
    assert_null(iam_make_first_key(access_iam(scene.access), &system_clock, &scene.f.arena, &key));
    return key;
}

/* Whether requests can be signed with this key. */
static bool opens(struct slice id) {
    struct iam_view *view = iam_view_new(access_iam(scene.access));
    struct iam_credentials found;
    struct error *error = iam_find_credentials(view, &scene.f.arena, id, SLICE_NONE, 0, &found);
    iam_view_free(view);
    return error == NULL;
}

/* ---- sealing ---- */

static void commands_require_auth(void **state) {
    (void)state;
    struct error *error = access_run(NULL, &scene.f.arena,
                                     SLICE_LITERAL("{\"command\":\"list-users\"}"), &scene.output);
    assert_non_null(error);
    assert_true(slice_is(error->message,
                         "it does not verify signatures: start it with --auth, or stop it first"));
}

static void in_memory_secrets_do_not_survive_a_restart(void **state) {
    (void)state;
    open_again((struct access_options){.directory = NULL});
    struct access_key key = first_key();
    assert_true(opens(key.id));
    open_again((struct access_options){.directory = NULL});
    assert_false(opens(key.id));
    assert_true(opens(first_key().id)); /* there is no usable key, so one is made */
}

static void secrets_of_a_directory_survive_a_restart(void **state) {
    (void)state;
    open_again((struct access_options){.directory = scene.directory});
    struct access_key key = first_key();
    open_again((struct access_options){.directory = scene.directory});
    assert_true(opens(key.id));
    assert_false(slice_present(first_key().id));
}

static void secrets_of_a_shared_store_need_its_key(void **state) {
    (void)state;
    struct keyring *keyring = keyring_new_random(), *other = keyring_new_random();
    open_again((struct access_options){.shared = keyring});
    struct access_key key = first_key();
    open_again((struct access_options){.shared = keyring});
    assert_true(opens(key.id));
    open_again((struct access_options){.shared = other});
    assert_false(opens(key.id));
    keyring_free(keyring);
    keyring_free(other);
}

/* ---- root key ---- */

static struct error *import(const char *text) {
    struct slice path = arena_printf(&scene.f.arena, "%s/credentials", scene.directory);
    FILE *out = fopen((const char *)path.data, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return access_import_root_key(scene.access, &scene.f.arena, (const char *)path.data);
}

#define KEY(id, secret) "aws_access_key_id = " id "\naws_secret_access_key = " secret "\n"

static void root_key_is_imported(void **state) {
    (void)state;
    const struct slice id = SLICE_LITERAL("AKIAEXAMPLE000000001");
    open_again((struct access_options){.directory = NULL});
    assert_null(import("[default]\n" KEY("AKIAEXAMPLE000000001", "secretsecretsecret00")));
    assert_true(opens(id));
    assert_false(slice_present(first_key().id));
    assert_null(import("[default]\n" KEY("AKIAEXAMPLE000000001", "secretsecretsecret00")));
    assert_null(import("[only]\n" KEY("AKIAEXAMPLE000000002", "secretsecretsecret00")));
    assert_true(opens(id));
}

static void invalid_credentials_file_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "[default]\naws_access_key_id = AKIAEXAMPLE000000001\n",
        "[one]\n" KEY("AKIAEXAMPLE000000001", "s") "[two]\n" KEY("AKIAEXAMPLE000000002", "s"),
        "[default]\n" KEY("short", "secretsecretsecret00"),
    };
    open_again((struct access_options){.directory = NULL});
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_non_null(import(wrong[i]));
    assert_non_null(access_import_root_key(scene.access, &scene.f.arena, "/nowhere/credentials"));
    assert_null(run("{\"command\":\"list-keys\"}"));
    assert_true(slice_is(buffer_slice(&scene.output), "[]"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(commands_require_auth),
        TEST(in_memory_secrets_do_not_survive_a_restart),
        TEST(secrets_of_a_directory_survive_a_restart),
        TEST(secrets_of_a_shared_store_need_its_key),
        TEST(root_key_is_imported),
        TEST(invalid_credentials_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
