/* test_keys.c - where a master key may come from, and the file that it seals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/files.h"
#include "admin/key_file.h"

#define HEX "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define BASE64 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define NO_KEY                                                                               \
    " gives no key: a key is 32 random bytes, as they are, as 64 hexadecimal digits, or in " \
    "base64; openssl rand -hex 32 makes one"

struct fixture {
    struct arena arena;
    char directory[32];
    const char *file; /* in it */
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    arena_init(&fixture->arena);
    snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/test_keys.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    fixture->file = files_join(&fixture->arena, fixture->directory, "key");
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    assert_null(files_remove_tree(&fixture->arena, fixture->directory));
    arena_release(&fixture->arena);
    free(fixture);
    return 0;
}

/* The error's text, or "" when it is the key of HEX. */
static const char *verdict(struct fixture *fixture, const char *source) {
    struct master_key key = {0};
    struct error *error = master_key_read(&fixture->arena, source, &key);
    if (error != NULL)
        return (const char *)arena_printf(&fixture->arena, "%.*s", SLICE_ARGS(error->message)).data;
    for (uint8_t i = 0; i < CIPHER_KEY_BYTES; i++)
        assert_int_equal(keyring_key(key.keyring).data[i], i);
    master_key_release(&key);
    master_key_release(&key);
    return "";
}

static const char *verdict_of_file(struct fixture *fixture, struct slice content) {
    assert_null(files_write(&fixture->arena, fixture->file, content));
    return verdict(fixture, fixture->file);
}

static const char *no_key(struct fixture *fixture) {
    return (const char *)arena_printf(&fixture->arena, "%s" NO_KEY, fixture->file).data;
}

static void forms_of_a_key(void **state) {
    struct fixture *fixture = *state;
    static const char *const good[] = {HEX, HEX "\n", HEX "\r\n", BASE64, BASE64 "\n"};
    static const char *const bad[] = {
        "",
        "\n",
        HEX "0",
        HEX "\n\n",
        " " HEX,
        BASE64 "=",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1g",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", /* bits left over */
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh==", /* 31 bytes */
    };
    uint8_t raw[300];
    for (size_t i = 0; i < sizeof(raw); i++)
        raw[i] = (uint8_t)i;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_string_equal(verdict_of_file(fixture, slice_text(good[i])), "");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_string_equal(verdict_of_file(fixture, slice_text(bad[i])), no_key(fixture));
    for (size_t len = 0; len <= sizeof(raw); len++)
        assert_string_equal(verdict_of_file(fixture, slice_of(raw, len)),
                            len == CIPHER_KEY_BYTES ? "" : no_key(fixture));
    struct master_key key = {0};
    assert_null(files_write(&fixture->arena, fixture->file,
                            SLICE_LITERAL("ABCDEFabcdef00000000000000000000"
                                          "00000000000000000000000000000000")));
    assert_null(master_key_read(&fixture->arena, fixture->file, &key));
    assert_memory_equal(keyring_key(key.keyring).data, "\xAB\xCD\xEF\xab\xcd\xef", 6);
    master_key_release(&key);
}

static void a_file_for_its_owner_alone(void **state) {
    struct fixture *fixture = *state;
    static const unsigned open_to_others[] = {0640, 0604, 0644, 0620, 0602, 0610};
    assert_string_equal(verdict_of_file(fixture, slice_text(HEX)), "");
    for (size_t i = 0; i < sizeof(open_to_others) / sizeof(*open_to_others); i++) {
        assert_int_equal(chmod(fixture->file, open_to_others[i]), 0);
        assert_string_equal(verdict(fixture, fixture->file),
                            (const char *)arena_printf(
                                &fixture->arena,
                                "the key %s may be read by others than its owner: chmod 600 %s",
                                fixture->file, fixture->file)
                                .data);
    }
    assert_int_equal(chmod(fixture->file, 0400), 0);
    assert_string_equal(verdict(fixture, fixture->file), "");
    assert_string_equal(verdict(fixture, "/nowhere/key"),
                        "cannot read the key /nowhere/key: No such file or directory");
}

static void a_credential(void **state) {
    struct fixture *fixture = *state;
    unsetenv("CREDENTIALS_DIRECTORY");
    assert_string_equal(verdict(fixture, "credential:key"),
                        "there is no credential key: CREDENTIALS_DIRECTORY is not set, as systemd "
                        "does for a service with LoadCredential=");
    assert_string_equal(verdict_of_file(fixture, slice_text(HEX)), "");
    assert_int_equal(chmod(fixture->file, 0440), 0);
    setenv("CREDENTIALS_DIRECTORY", fixture->directory, 1);
    assert_string_equal(verdict(fixture, "credential:key"), "");
    assert_string_equal(verdict(fixture, fixture->file), "");
    assert_string_equal(verdict(fixture, "credential:../key"),
                        "'../key' is not the name of a credential");
    assert_string_equal(verdict(fixture, "credential:"), "'' is not the name of a credential");
    setenv("CREDENTIALS_DIRECTORY", "/tmp/test_keys", 1);
    assert_non_null(strstr(verdict(fixture, fixture->file), "may be read by others"));
    unsetenv("CREDENTIALS_DIRECTORY");
}

/* What the command is told by no error: the key may stand in it. */
static void a_command(void **state) {
    struct fixture *fixture = *state;
    assert_string_equal(verdict(fixture, "command:echo " HEX), "");
    assert_string_equal(verdict(fixture, "command:printf %s " BASE64), "");
    assert_string_equal(verdict(fixture, "command:echo " HEX "; exit 3"),
                        "the command that prints the key failed with status 3");
    assert_string_equal(verdict(fixture, "command:kill -9 $$"),
                        "the command that prints the key was ended by signal 9");
    assert_string_equal(verdict(fixture, "command:echo " HEX "00"),
                        "the command that prints the key" NO_KEY);
    assert_string_equal(verdict(fixture, "command:yes || true"),
                        "the command that prints the key" NO_KEY);
}

/* ---- the file ---- */

static struct master_key key_of(uint8_t first) {
    return (struct master_key){keyring_new((uint8_t[CIPHER_KEY_BYTES]){first}), "the key"};
}

static struct slice opening(struct fixture *fixture, const struct master_key *master,
                            const struct keyring *expected) {
    struct keyring *found = NULL;
    struct error *error = key_file_open(&fixture->arena, fixture->directory, master, &found);
    if (error != NULL)
        return error->message;
    assert_true(slice_equal(keyring_key(found), keyring_key(expected)));
    keyring_free(found);
    return SLICE_LITERAL("");
}

static void another_master_key_for_the_same_data(void **state) {
    struct fixture *fixture = *state;
    struct master_key first = key_of(1), second = key_of(2);
    struct keyring *keyring = keyring_new_random();
    assert_null(key_file_write(&fixture->arena, fixture->directory, &first, keyring));
    assert_true(slice_is(opening(fixture, &first, keyring), ""));
    assert_null(key_file_write(&fixture->arena, fixture->directory, &second, keyring));
    assert_true(slice_is(opening(fixture, &second, keyring), ""));
    struct slice refusal = opening(fixture, &first, keyring);
    const char *expected = (const char *)arena_printf(&fixture->arena,
                                                      "%s is encrypted with another key than the "
                                                      "key: it needs the key with the id ",
                                                      fixture->directory)
                               .data;
    assert_true(slice_starts_with(refusal, slice_text(expected)));
    keyring_free(keyring);
    master_key_release(&first);
    master_key_release(&second);
}

static void a_damaged_key_does_not_open(void **state) {
    struct fixture *fixture = *state;
    struct master_key master = key_of(1);
    struct keyring *keyring = keyring_new_random();
    uint8_t block[KEY_BLOCK_BYTES];
    const char *path = files_join(&fixture->arena, fixture->directory, "KEY");
    assert_null(key_file_write(&fixture->arena, fixture->directory, &master, keyring));
    assert_null(key_file_read(&fixture->arena, fixture->directory, block));
    for (size_t i = 0; i < KEY_BLOCK_BYTES; i++) {
        block[i] ^= 1;
        assert_null(files_write(&fixture->arena, path, slice_of(block, sizeof(block))));
        assert_true(opening(fixture, &master, keyring).len > 0);
        block[i] ^= 1;
        if (i % 10 == 0) {
            assert_null(files_write(&fixture->arena, path, slice_of(block, i)));
            assert_true(opening(fixture, &master, keyring).len > 0);
        }
    }
    assert_null(files_write(&fixture->arena, path, slice_of(block, sizeof(block))));
    assert_true(slice_is(opening(fixture, &master, keyring), ""));
    assert_null(key_file_remove(&fixture->arena, fixture->directory));
    assert_null(key_file_remove(&fixture->arena, fixture->directory));
    assert_non_null(memmem(opening(fixture, &master, keyring).data, 40, "is damaged", 10));
    keyring_free(keyring);
    master_key_release(&master);
}

/* A file of format 1, made by another program from its description: it is opened for all time. */
static void the_first_format_is_known(void **state) {
    struct fixture *fixture = *state;
    struct master_key master = {keyring_new((const uint8_t *)"0123456789abcdef0123456789abcdef"),
                                "the key"};
    struct keyring *found = NULL;
    static const uint8_t block[] = {
        0x67, 0x72, 0x61, 0x6d, 0x6d, 0x65, 0x20, 0x6b, 0x65, 0x79, 0x73, 0x0a, 0x01, 0x00,
        0x00, 0x00, 0x8e, 0x47, 0xc3, 0xa0, 0x07, 0xae, 0x02, 0xfc, 0x00, 0x01, 0x02, 0x03,
        0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x6f, 0x9e, 0x7b, 0xb1, 0xc4, 0x76,
        0x84, 0x21, 0x6f, 0x1c, 0xcd, 0x74, 0x3e, 0x10, 0x57, 0x04, 0x35, 0x15, 0x7f, 0x1c,
        0x9d, 0x93, 0x99, 0x0c, 0x01, 0x2b, 0x14, 0x07, 0x43, 0xff, 0xc0, 0x02, 0xf5, 0x85,
        0x4b, 0x77, 0x42, 0xd7, 0x9e, 0x85, 0x55, 0xef, 0xc5, 0xa2, 0xed, 0xd3, 0x84, 0x8d};
    assert_null(key_block_open(&fixture->arena, &master, block, "it", &found));
    assert_memory_equal(keyring_key(found).data, "the key of the directory, of old", 32);
    keyring_free(found);
    master_key_release(&master);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forms_of_a_key, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_for_its_owner_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_credential, setup, teardown),
        cmocka_unit_test_setup_teardown(a_command, setup, teardown),
        cmocka_unit_test_setup_teardown(another_master_key_for_the_same_data, setup, teardown),
        cmocka_unit_test_setup_teardown(a_damaged_key_does_not_open, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_format_is_known, setup, teardown),
    };
    return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
