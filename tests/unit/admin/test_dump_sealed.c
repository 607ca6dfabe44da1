/* test_dump_sealed.c - sealed streams, byte for byte: what comes out is what went in, or an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "admin/dump_sealed.h"
#include "admin/files.h"
#include "base/container.h"

/* ---- ends in memory ---- */

struct memory_sink {
    struct dump_sink base;
    struct buffer bytes;
};

struct memory_source {
    struct dump_source base;
    struct slice bytes;
    size_t step_max;
};

static struct error *memory_write(struct dump_sink *base, struct arena *arena, struct slice bytes) {
    (void)arena;
    buffer_append_slice(&container_of(base, struct memory_sink, base)->bytes, bytes);
    return NULL;
}

static struct error *memory_read(struct dump_source *base, struct arena *arena, void *bytes,
                                 size_t size, size_t *ret_len) {
    (void)arena;
    struct memory_source *source = container_of(base, struct memory_source, base);
    size_t len = size < source->step_max ? size : source->step_max;
    len = len < source->bytes.len ? len : source->bytes.len;
    memcpy(bytes, source->bytes.data, len);
    source->bytes = slice_skip(source->bytes, len);
    *ret_len = len;
    return NULL;
}

struct fixture {
    struct arena arena;
    char directory[32];
    struct master_key master;
    struct keyring *keyring;
    struct memory_sink sink;
    struct memory_sink copy;
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    arena_init(&fixture->arena);
    snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/test_sealed.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    fixture->master = (struct master_key){keyring_new((uint8_t[CIPHER_KEY_BYTES]){7}), "the key"};
    fixture->keyring = keyring_new_random();
    assert_null(
        key_file_write(&fixture->arena, fixture->directory, &fixture->master, fixture->keyring));
    fixture->sink.base.write = fixture->copy.base.write = memory_write;
    buffer_init(&fixture->sink.bytes, 16 << 20);
    buffer_init(&fixture->copy.bytes, 16 << 20);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    assert_null(files_remove_tree(&fixture->arena, fixture->directory));
    buffer_release(&fixture->sink.bytes);
    buffer_release(&fixture->copy.bytes);
    keyring_free(fixture->keyring);
    master_key_release(&fixture->master);
    arena_release(&fixture->arena);
    free(fixture);
    return 0;
}

/* ---- words ---- */

/* `len` bytes of content, written in steps. */
static struct slice sealed_of(struct fixture *fixture, size_t len, size_t step, bool given_up) {
    struct sealed_sink sink;
    uint8_t *plain = arena_alloc(&fixture->arena, len + 1);
    for (size_t i = 0; i < len; i++)
        plain[i] = (uint8_t)(i / 3);
    buffer_reset(&fixture->sink.bytes);
    assert_null(sealed_sink_open(&fixture->arena, &sink, fixture->directory, fixture->keyring,
                                 &fixture->sink.base));
    for (size_t at = 0; at < len; at += step)
        assert_null(sink.base.write(&sink.base, &fixture->arena,
                                    slice_of(plain + at, len - at < step ? len - at : step)));
    assert_null(sealed_sink_end(&sink, &fixture->arena, given_up));
    sealed_sink_release(&sink);
    return buffer_slice(&fixture->sink.bytes);
}

/* How many bytes of the content came out right; the error's text or "" in *ret_text. */
static size_t read_back(struct fixture *fixture, struct slice sealed, const struct master_key *key,
                        const char **ret_text) {
    struct memory_source from = {{memory_read}, sealed, 70000};
    struct sealed_source source;
    uint8_t bytes[1000];
    size_t total = 0, len = 1;
    struct error *error = sealed_source_open(&fixture->arena, &source, &from.base, key);
    while (error == NULL && len > 0) {
        error = source.base.read(&source.base, &fixture->arena, bytes, sizeof(bytes), &len);
        for (size_t i = 0; error == NULL && i < len; i++)
            assert_int_equal(bytes[i], (uint8_t)((total + i) / 3));
        total += error == NULL ? len : 0;
    }
    sealed_source_release(&source);
    *ret_text = error == NULL ? "" : (const char *)error->message.data;
    return total;
}

static const char *copy_verdict(struct fixture *fixture, struct slice sealed) {
    struct memory_source from = {{memory_read}, sealed, 5000};
    uint64_t bytes = 0;
    buffer_reset(&fixture->copy.bytes);
    struct error *error = sealed_copy(&fixture->arena, &from.base, &fixture->copy.base, &bytes);
    if (error == NULL)
        assert_true(bytes == sealed.len && slice_equal(buffer_slice(&fixture->copy.bytes), sealed));
    return error == NULL ? "" : (const char *)error->message.data;
}

/* ---- cases ---- */

static void what_comes_out_is_what_went_in(void **state) {
    struct fixture *fixture = *state;
    static const size_t sizes[] = {0,
                                   1,
                                   15,
                                   16,
                                   SEALED_FRAME_MAX - 1,
                                   SEALED_FRAME_MAX,
                                   SEALED_FRAME_MAX + 1,
                                   3 * SEALED_FRAME_MAX + 12345};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        const char *text;
        struct slice sealed = sealed_of(fixture, sizes[i], i % 2 == 0 ? 777 : 5 << 20, false);
        assert_int_equal(read_back(fixture, sealed, &fixture->master, &text), sizes[i]);
        assert_string_equal(text, "");
        assert_string_equal(copy_verdict(fixture, sealed), "");
    }
}

static void two_of_the_same_differ(void **state) {
    struct fixture *fixture = *state;
    struct slice first = sealed_of(fixture, 100, 100, false);
    uint8_t *copy = arena_copy(&fixture->arena, first.data, first.len);
    struct slice second = sealed_of(fixture, 100, 100, false);
    assert_int_equal(first.len, second.len);
    size_t same = 0;
    for (size_t i = SEALED_PREAMBLE_BYTES; i < second.len; i++)
        same += copy[i] == second.data[i];
    assert_true(same < 30);
}

static void any_change_is_found(void **state) {
    struct fixture *fixture = *state;
    const char *text;
    struct slice sealed = sealed_of(fixture, 40, 40, false);
    uint8_t *bytes = arena_copy(&fixture->arena, sealed.data, sealed.len);
    for (size_t i = 0; i < sealed.len; i++) {
        bytes[i] ^= 1;
        struct sealed_source source;
        struct memory_source from = {{memory_read}, slice_of(bytes, sealed.len), 5000};
        uint8_t out[1000];
        size_t len = 0;
        struct error *error =
            sealed_source_open(&fixture->arena, &source, &from.base, &fixture->master);
        if (error == NULL)
            error = source.base.read(&source.base, &fixture->arena, out, sizeof(out), &len);
        /* Without its magic it is no sealed stream, and whoever reads it sees no dump either. */
        assert_true(i < 12 ? error == NULL : error != NULL);
        sealed_source_release(&source);
        bytes[i] ^= 1;
    }
    for (size_t len = 0; len < sealed.len; len++) {
        size_t got =
            read_back(fixture, slice_of(bytes, len < 16 ? 16 : len), &fixture->master, &text);
        assert_int_equal(got, 0);
        assert_string_equal(text, "the backup is cut off: it ends before its last frame");
        if (len >= 16)
            assert_string_equal(copy_verdict(fixture, slice_of(bytes, len)), text);
    }
}

static void frames_cannot_be_lost_or_swapped(void **state) {
    struct fixture *fixture = *state;
    const char *text;
    enum { FRAME = 8 + SEALED_FRAME_MAX + 16 };
    struct slice sealed = sealed_of(fixture, 3 * SEALED_FRAME_MAX + 5, 9999, false);
    uint8_t *bytes = arena_copy(&fixture->arena, sealed.data, sealed.len), *frames = bytes + 160;
    uint8_t *other = arena_alloc(&fixture->arena, FRAME);
    memcpy(other, frames + FRAME, FRAME);
    memcpy(frames + FRAME, frames + 2 * FRAME, FRAME);
    memcpy(frames + 2 * FRAME, other, FRAME);
    read_back(fixture, slice_of(bytes, sealed.len), &fixture->master, &text);
    assert_string_equal(text, "the backup is damaged: a frame does not open with its key");
    memcpy(bytes, sealed.data, sealed.len);
    memmove(frames + FRAME, frames + 2 * FRAME, sealed.len - 160 - 2 * FRAME);
    read_back(fixture, slice_of(bytes, sealed.len - FRAME), &fixture->master, &text);
    assert_string_equal(text, "the backup is damaged: a frame does not open with its key");
}

static void what_is_refused_says_why(void **state) {
    struct fixture *fixture = *state;
    const char *text;
    struct master_key other = {keyring_new_random(), "another"};
    struct slice sealed = sealed_of(fixture, 100, 100, false);
    read_back(fixture, sealed, NULL, &text);
    assert_string_equal(text, "the backup is encrypted: give its key with --encrypt-with");
    read_back(fixture, sealed, &other, &text);
    assert_non_null(strstr(text, "the backup is encrypted with another key than another: "));
    uint8_t *bytes = arena_copy(&fixture->arena, sealed.data, sealed.len);
    bytes[12] = 2;
    read_back(fixture, slice_of(bytes, sealed.len), &fixture->master, &text);
    assert_non_null(strstr(text, "use a newer gramme"));
    bytes[12] = 1;
    buffer_append_byte(&fixture->sink.bytes, 0);
    read_back(fixture, buffer_slice(&fixture->sink.bytes), &fixture->master, &text);
    assert_string_equal(text, "the backup is damaged: there are bytes after its last frame");
    bytes[160 + 7] = 1; /* a length of 16 MB */
    read_back(fixture, slice_of(bytes, sealed.len), &fixture->master, &text);
    assert_string_equal(text, "the backup is damaged: a frame is longer than a frame can be");
    uint8_t plain[200] = "gramme dump\n";
    assert_string_equal(copy_verdict(fixture, slice_of(plain, sizeof(plain))),
                        "the backup is damaged: it is not encrypted");
    master_key_release(&other);
}

static void one_that_was_given_up_is_never_whole(void **state) {
    struct fixture *fixture = *state;
    struct slice sealed = sealed_of(fixture, 100, 100, true);
    assert_int_equal(sealed.len, 0); /* nothing was sent: an error can still be told */
    sealed = sealed_of(fixture, SEALED_FRAME_MAX + 100, 1000, true);
    assert_true(sealed.len > SEALED_FRAME_MAX);
    assert_string_equal(copy_verdict(fixture, sealed),
                        "the backup was given up while it was made: the server's log tells why");
}

static void what_is_not_sealed_is_passed_on(void **state) {
    struct fixture *fixture = *state;
    const char *text;
    uint8_t plain[100];
    for (size_t i = 0; i < sizeof(plain); i++)
        plain[i] = (uint8_t)(i / 3);
    for (size_t len = 0; len <= sizeof(plain); len++) {
        assert_int_equal(read_back(fixture, slice_of(plain, len), NULL, &text), len);
        assert_string_equal(text, "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_comes_out_is_what_went_in, setup, teardown),
        cmocka_unit_test_setup_teardown(two_of_the_same_differ, setup, teardown),
        cmocka_unit_test_setup_teardown(any_change_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(frames_cannot_be_lost_or_swapped, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_refused_says_why, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_was_given_up_is_never_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_sealed_is_passed_on, setup, teardown),
    };
    return cmocka_run_group_tests_name("sealed dumps", tests, NULL, NULL);
}
