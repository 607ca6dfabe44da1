/* test_iam.c - users, roles and keys by their commands, and what they make of a caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "crypto/keyring.h"
#include "iam/command.h"
#include "iam/names.h"
#include "json/tree.h"
#include "support/engine_fixture.h"
#include "support/shared_store.h"

#define ALLOW                                                                                     \
    "{\\\"Statement\\\":{\\\"Effect\\\":\\\"Allow\\\",\\\"Action\\\":\\\"*\\\",\\\"Resource\\\":" \
    "\\\"*\\\"}}"

/* A store that outlives the engine, and two openings of what is in it. */
struct scene {
    struct engine_fixture f;
    struct store *again;
    struct keyring *keyring;
    struct seal *seal;
    struct iam *iam;
    struct iam_view *view;
    struct buffer output;
};

static void open_iam(struct scene *scene) {
    struct iam_options options = {
        .engine = scene->f.engine,
        .seal = scene->seal,
        .account = SLICE_LITERAL("000000000000"),
        .random = &system_random,
    };
    assert_null(iam_open(&scene->f.arena, &options, &scene->iam));
    scene->view = iam_view_new(scene->iam);
}

static int set_up(void **state) {
    static struct scene scene;
    struct store *shared = shared_store_new(fixture_store());
    scene.again = shared_store_again(shared);
    assert_null(fixture_open(&scene.f, shared));
    scene.keyring = keyring_new_random();
    assert_null(keyring_seal(&scene.f.arena, scene.keyring, "test", &scene.seal));
    buffer_init(&scene.output, 1 << 16);
    open_iam(&scene);
    *state = &scene;
    return 0;
}

static void close_iam(struct scene *scene) {
    iam_view_free(scene->view);
    iam_close(scene->iam);
}

static int tear_down(void **state) {
    struct scene *scene = *state;
    close_iam(scene);
    seal_free(scene->seal);
    keyring_free(scene->keyring);
    buffer_release(&scene->output);
    fixture_close(&scene->f);
    if (scene->again != NULL)
        store_close(scene->again);
    return 0;
}

/* The answer, or the error's text. */
static const char *run(struct scene *scene, const char *command) {
    buffer_reset(&scene->output);
    struct error *error = iam_run_command(scene->iam, &system_clock, &scene->f.arena,
                                          slice_text(command), &scene->output);
    struct slice text = error == NULL ? buffer_slice(&scene->output) : error->message;
    return (const char *)arena_printf(&scene->f.arena, "%.*s", SLICE_ARGS(text)).data;
}

static struct slice member(struct scene *scene, const char *answer, const char *name) {
    const struct json_value *object = json_tree_read(&scene->f.arena, slice_text(answer), NULL);
    assert_non_null(object);
    struct slice text = json_find_text(object, name);
    if (!slice_present(text))
        fail_msg("no %s in %s", name, answer);
    return text;
}

static struct error *find(struct scene *scene, struct slice id, struct iam_credentials *found) {
    return iam_find_credentials(scene->view, &scene->f.arena, id, SLICE_NONE, 0, found);
}

static struct slice new_key(struct scene *scene, const char *command) {
    return member(scene, run(scene, command), "id");
}

static void a_key_is_its_users(void **state) {
    struct scene *scene = *state;
    struct iam_credentials found;
    run(scene, "{\"command\":\"create-user\",\"name\":\"alice\",\"policies\":{\"all\":\"" ALLOW
               "\"},\"boundary\":\"" ALLOW "\",\"tags\":{\"team\":\"red\"}}");
    const char *made = run(scene, "{\"command\":\"create-key\",\"user\":\"alice\"}");
    struct slice id = member(scene, made, "id"), secret = member(scene, made, "secret");
    assert_null(find(scene, id, &found));
    assert_true(slice_equal(found.secret, secret));
    assert_int_equal(found.caller.kind, CALLER_USER);
    assert_true(slice_is(found.caller.name, "alice"));
    assert_true(slice_is(found.caller.arn, "arn:aws:iam::000000000000:user/alice"));
    assert_int_equal(found.caller.policy_count, 1);
    assert_non_null(found.caller.boundary);
    assert_int_equal(found.caller.tag_count, 1);
    assert_true(slice_is(found.caller.tags[0].value, "red"));
}

static void the_owner_has_a_key_too(void **state) {
    struct scene *scene = *state;
    struct iam_credentials found;
    struct access_key key, again;
    assert_null(iam_make_first_key(scene->iam, &system_clock, &scene->f.arena, &key));
    assert_true(slice_present(key.id));
    assert_null(iam_make_first_key(scene->iam, &system_clock, &scene->f.arena, &again));
    assert_false(slice_present(again.id));
    assert_null(find(scene, key.id, &found));
    assert_int_equal(found.caller.kind, CALLER_ROOT);
    assert_true(slice_is(found.caller.arn, "arn:aws:iam::000000000000:root"));
}

static void expect_unknown(struct scene *scene, struct slice id) {
    struct iam_credentials found;
    struct error *error = find(scene, id, &found);
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_UNRECOGNIZED_CLIENT);
    assert_true(slice_is(error->message, "The security token included in the request is invalid."));
}

static const char *run_on_key(struct scene *scene, const char *command, struct slice id) {
    return run(scene,
               (const char *)arena_printf(&scene->f.arena, "{\"command\":\"%s\",\"id\":\"%.*s\"}",
                                          command, SLICE_ARGS(id))
                   .data);
}

static void a_change_is_seen_at_once(void **state) {
    struct scene *scene = *state;
    struct iam_credentials found;
    run(scene, "{\"command\":\"create-user\",\"name\":\"bob\"}");
    struct slice id = new_key(scene, "{\"command\":\"create-key\",\"user\":\"bob\"}");
    assert_null(find(scene, id, &found));
    run_on_key(scene, "disable-key", id);
    expect_unknown(scene, id);
    run_on_key(scene, "enable-key", id);
    assert_null(find(scene, id, &found));
    run_on_key(scene, "delete-key", id);
    expect_unknown(scene, id);
    id = new_key(scene, "{\"command\":\"create-key\",\"user\":\"bob\"}");
    run(scene, "{\"command\":\"delete-user\",\"name\":\"bob\"}");
    expect_unknown(scene, id);
    assert_string_equal(run(scene, "{\"command\":\"list-keys\"}"), "[]");
    expect_unknown(scene, SLICE_LITERAL("AKIANOBODY"));
}

static void two_keys_rotate(void **state) {
    struct scene *scene = *state;
    struct iam_credentials found;
    struct slice first = new_key(scene, "{\"command\":\"create-key\"}");
    struct slice second = member(scene, run_on_key(scene, "rotate-key", first), "id");
    assert_null(find(scene, first, &found));
    assert_null(find(scene, second, &found));
    assert_string_equal(run(scene, "{\"command\":\"create-key\"}"),
                        "root has 2 keys already, and no more are allowed: delete one first");
    run_on_key(scene, "disable-key", first);
    run_on_key(scene, "rotate-key", second);
    expect_unknown(scene, first);
    assert_null(find(scene, second, &found));
}

static void they_are_there_after_a_restart(void **state) {
    struct scene *scene = *state;
    struct iam_credentials found;
    run(scene, "{\"command\":\"create-user\",\"name\":\"carol\"}");
    struct slice id = new_key(scene, "{\"command\":\"create-key\",\"user\":\"carol\"}");
    uint8_t kept[KEY_ID_CHARS];
    memcpy(kept, id.data, sizeof(kept));
    close_iam(scene);
    fixture_close(&scene->f);
    assert_null(fixture_open(&scene->f, scene->again));
    scene->again = NULL;
    open_iam(scene);
    assert_null(find(scene, slice_of(kept, sizeof(kept)), &found));
    assert_true(slice_is(found.caller.name, "carol"));
}

static void a_secret_that_was_sealed_elsewhere_opens_nothing(void **state) {
    struct scene *scene = *state;
    struct slice id = new_key(scene, "{\"command\":\"create-key\"}");
    close_iam(scene);
    seal_free(scene->seal);
    keyring_free(scene->keyring);
    scene->keyring = keyring_new_random();
    assert_null(keyring_seal(&scene->f.arena, scene->keyring, "test", &scene->seal));
    open_iam(scene);
    expect_unknown(scene, id);
}

/* In the catalog, and so in a backup, there is no secret to be found. */
static void no_secret_is_stored_readable(void **state) {
    struct scene *scene = *state;
    const char *made = run(scene, "{\"command\":\"create-key\"}");
    struct slice secret = member(scene, made, "secret");
    struct record *records;
    size_t count;
    assert_null(engine_read_records(scene->f.engine, &scene->f.arena, SLICE_LITERAL("key"),
                                    &records, &count));
    assert_int_equal(count, 1);
    assert_null(memmem(records[0].value.data, records[0].value.len, secret.data, secret.len));
}

static void wrong_commands_are_told(void **state) {
    struct scene *scene = *state;
    static const char *const cases[][2] = {
        {"nonsense", "'command' is missing"},
        {"{\"command\":\"dance\"}", "this version of gramme knows no command 'dance'"},
        {"{\"command\":\"create-user\"}", "'name' is missing"},
        {"{\"command\":\"create-user\",\"name\":\"a b\"}",
         "'a b' is no name for a user: it has 1 to 64 letters, digits and +=,.@_-, and is not "
         "root"},
        {"{\"command\":\"create-user\",\"name\":\"root\"}",
         "'root' is no name for a user: it has 1 to 64 letters, digits and +=,.@_-, and is not "
         "root"},
        {"{\"command\":\"show-user\",\"name\":\"x\"}", "there is no user 'x'"},
        {"{\"command\":\"create-role\",\"name\":\"r\"}",
         "a role needs a trust policy: who may take it"},
        {"{\"command\":\"create-user\",\"name\":\"u\",\"policies\":{\"p\":\"{\"}}",
         "policy p: line 1 is not valid JSON"},
        {"{\"command\":\"create-key\",\"user\":\"x\"}", "there is no user 'x'"},
        {"{\"command\":\"delete-key\",\"id\":\"x\"}", "there is no key x"},
        {"{\"command\":\"import-key\",\"id\":\"short\",\"secret\":\"s\"}",
         "an access key id has 16 to 128 letters, digits and underscores"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(run(scene, cases[i][0]), cases[i][1]);
    assert_string_equal(run(scene, "{\"command\":\"list-users\"}"), "[]");
}

static void a_key_can_be_brought(void **state) {
    struct scene *scene = *state;
    struct iam_credentials found;
    static const char import[] = "{\"command\":\"import-key\",\"id\":\"AKIAIOSFODNN7EXAMPLE\","
                                 "\"secret\":\"wJalrXUtnFEMI\"}";
    run(scene, import);
    assert_null(find(scene, SLICE_LITERAL("AKIAIOSFODNN7EXAMPLE"), &found));
    assert_true(slice_is(found.secret, "wJalrXUtnFEMI"));
    assert_non_null(strstr(run(scene, import), "\"id\":\"AKIAIOSFODNN7EXAMPLE\""));
    assert_string_equal(run(scene, "{\"command\":\"import-key\",\"id\":\"AKIAIOSFODNN7EXAMPLE\","
                                   "\"secret\":\"other\"}"),
                        "there is a key AKIAIOSFODNN7EXAMPLE already: delete it first");
}

static void what_is_changed_stays_otherwise(void **state) {
    struct scene *scene = *state;
    run(scene, "{\"command\":\"create-user\",\"name\":\"u\",\"policies\":{\"a\":\"" ALLOW
               "\",\"b\":\"" ALLOW "\"},\"tags\":{\"x\":\"1\",\"y\":\"2\"}}");
    const char *now = run(scene, "{\"command\":\"update-user\",\"name\":\"u\",\"policies\":{\"a\":"
                                 "null},\"tags\":{\"y\":\"3\"},\"boundary\":\"" ALLOW "\"}");
    assert_null(strstr(now, "\"a\":"));
    assert_non_null(strstr(now, "\"b\":"));
    assert_non_null(strstr(now, "\"tags\":{\"x\":\"1\",\"y\":\"3\"}"));
    assert_non_null(strstr(now, "\"boundary\":"));
    now = run(scene, "{\"command\":\"update-user\",\"name\":\"u\",\"boundary\":null}");
    assert_null(strstr(now, "\"boundary\":"));
    assert_string_equal(
        run(scene, "{\"command\":\"update-user\",\"name\":\"u\",\"policies\":{\"a\":null}}"),
        "there is no policy 'a'");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_its_users),
        TEST(the_owner_has_a_key_too),
        TEST(a_change_is_seen_at_once),
        TEST(two_keys_rotate),
        TEST(they_are_there_after_a_restart),
        TEST(a_secret_that_was_sealed_elsewhere_opens_nothing),
        TEST(no_secret_is_stored_readable),
        TEST(wrong_commands_are_told),
        TEST(a_key_can_be_brought),
        TEST(what_is_changed_stays_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
