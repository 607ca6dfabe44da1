/* test_session.c - tokens of sessions: whole, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "crypto/keyring.h"
#include "iam/names.h"
#include "iam/session.h"

struct scene {
    struct arena arena;
    struct keyring *keyring;
    struct seal *seal;
};

static int set_up(void **state) {
    static struct scene scene;
    arena_init(&scene.arena);
    scene.keyring = keyring_new_random();
    assert_null(keyring_seal(&scene.arena, scene.keyring, "test", &scene.seal));
    *state = &scene;
    return 0;
}

static int tear_down(void **state) {
    struct scene *scene = *state;
    seal_free(scene->seal);
    keyring_free(scene->keyring);
    arena_release(&scene->arena);
    return 0;
}

static struct session sample(struct scene *scene) {
    struct session session = {
        .of = SESSION_OF_ROLE,
        .principal = SLICE_LITERAL("reader"),
        .principal_id = SLICE_LITERAL("AROA1"),
        .name = SLICE_LITERAL("alice"),
        .policy = SLICE_LITERAL("{}"),
        .issued_ms = 1794744000000,
        .ends_ms = 1794747600000,
    };
    session_make_key(&scene->arena, &system_random, &session);
    return session;
}

static void a_token_is_its_session(void **state) {
    struct scene *scene = *state;
    struct session session = sample(scene), opened;
    struct slice token = session_seal(&scene->arena, scene->seal, &session);
    assert_true(session_open(&scene->arena, scene->seal, token, &opened));
    assert_int_equal(opened.of, SESSION_OF_ROLE);
    assert_true(slice_equal(opened.key_id, session.key_id));
    assert_true(slice_equal(opened.secret, session.secret));
    assert_true(slice_is(opened.principal, "reader"));
    assert_true(slice_is(opened.principal_id, "AROA1"));
    assert_true(slice_is(opened.name, "alice"));
    assert_true(slice_is(opened.policy, "{}"));
    assert_int_equal(opened.issued_ms, session.issued_ms);
    assert_int_equal(opened.ends_ms, session.ends_ms);
}

static void keys_look_like_keys(void **state) {
    struct scene *scene = *state;
    struct session one = sample(scene), other = sample(scene);
    assert_int_equal(one.key_id.len, KEY_ID_CHARS);
    assert_true(slice_starts_with(one.key_id, SLICE_LITERAL("ASIA")));
    assert_int_equal(one.secret.len, SECRET_CHARS);
    assert_false(slice_equal(one.key_id, other.key_id));
    assert_false(slice_equal(one.secret, other.secret));
}

static void any_change_breaks_it(void **state) {
    struct scene *scene = *state;
    struct session session = sample(scene), opened;
    struct slice token = session_seal(&scene->arena, scene->seal, &session);
    for (size_t i = 0; i < token.len; i++) {
        uint8_t *changed = arena_copy(&scene->arena, token.data, token.len);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        assert_false(
            session_open(&scene->arena, scene->seal, slice_of(changed, token.len), &opened));
        assert_false(session_open(&scene->arena, scene->seal, slice_of(token.data, i), &opened));
    }
}

static void another_server_knows_nothing_of_it(void **state) {
    struct scene *scene = *state;
    struct session session = sample(scene), opened;
    struct slice token = session_seal(&scene->arena, scene->seal, &session);
    struct keyring *keyring = keyring_new_random();
    struct seal *seal;
    assert_null(keyring_seal(&scene->arena, keyring, "test", &seal));
    assert_false(session_open(&scene->arena, seal, token, &opened));
    seal_free(seal);
    keyring_free(keyring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_token_is_its_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keys_look_like_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_change_breaks_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_server_knows_nothing_of_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
