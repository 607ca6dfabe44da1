/* test_coding.c - bodies packed for zlib to unpack, and unpacked that zlib has packed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/check.h"
#include "http/coding.h"

/* ---- replies ---- */

/* zlib tells one format from the other by its window bits. */
static void expect_unpacked(enum http_coding coding, struct buffer *packed, struct slice body) {
    static uint8_t back[20000];
    z_stream stream = {.next_in = packed->data,
                       .avail_in = (uInt)packed->len,
                       .next_out = back,
                       .avail_out = sizeof(back)};
    assert_int_equal(inflateInit2(&stream, coding == HTTP_CODING_GZIP ? 15 + 16 : 15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    inflateEnd(&stream);
    assert_int_equal(stream.total_out, body.len);
    assert_memory_equal(back, body.data, body.len);
}

static void packed_bodies_come_back(void **state) {
    (void)state;
    struct http_coder *coder = http_coder_new();
    struct buffer out;
    static uint8_t body[20000];
    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = (uint8_t) "{\"name\":\"value\"}"[i % 16];
    for (int round = 0; round < 4; round++) {
        enum http_coding coding = round % 2 == 0 ? HTTP_CODING_GZIP : HTTP_CODING_DEFLATE;
        buffer_init(&out, 1 << 20);
        assert_true(http_coder_pack(coder, coding, slice_of(body, sizeof(body)), &out));
        assert_true(out.len < 1000);
        expect_unpacked(coding, &out, slice_of(body, sizeof(body)));
        buffer_release(&out);
    }
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof(body); i++) {
        random = random * 1664525 + 1013904223;
        body[i] = (uint8_t)(random >> 24);
    }
    buffer_init(&out, 1 << 20);
    assert_false(http_coder_pack(coder, HTTP_CODING_GZIP, slice_of(body, sizeof(body)), &out));
    buffer_release(&out);
    http_coder_free(coder);
    http_coder_free(NULL);
}

/* ---- requests ---- */

/* Appends the text, packed as zlib does it. */
static void zlib_pack(struct buffer *out, enum http_coding coding, struct slice text) {
    uint8_t bytes[4096];
    z_stream stream = {.next_out = bytes, .avail_out = sizeof(bytes)};
    int bits = coding == HTTP_CODING_GZIP ? 15 + 16 : 15;
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text.data;
    stream.avail_in = (uInt)text.len;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    buffer_append(out, bytes, stream.total_out);
}

struct packed {
    struct http_coder *coder;
    enum http_coding coding;
    struct buffer bytes, out;
};

static void packed_init(struct packed *packed, enum http_coding coding, const char *text) {
    *packed = (struct packed){.coder = http_coder_new(), .coding = coding};
    buffer_init(&packed->bytes, 1 << 20);
    buffer_init(&packed->out, 1 << 20);
    zlib_pack(&packed->bytes, coding, slice_text(text));
}

static void packed_release(struct packed *packed) {
    buffer_release(&packed->bytes);
    buffer_release(&packed->out);
    http_coder_free(packed->coder);
}

/* With room for so much; the bytes end where their memory does. */
static enum http_unpacked unpack_first(struct packed *packed, size_t len, size_t room) {
    uint8_t *exact = malloc(len + (len == 0));
    CHECK(exact != NULL && len <= packed->bytes.len);
    memcpy(exact, packed->bytes.data, len);
    buffer_release(&packed->out);
    packed->out.size_max = room;
    assert_true(buffer_reserve(&packed->out, room));
    enum http_unpacked result =
        http_coder_unpack(packed->coder, packed->coding, slice_of(exact, len), &packed->out);
    free(exact);
    return result;
}

static void expect_text(struct packed *packed, size_t room, const char *text) {
    assert_int_equal(unpack_first(packed, packed->bytes.len, room), HTTP_UNPACKED_WHOLE);
    assert_true(slice_is(buffer_slice(&packed->out), text));
}

static void what_zlib_packed_is_unpacked(void **state) {
    (void)state;
    for (enum http_coding coding = HTTP_CODING_GZIP; coding < HTTP_CODING_COUNT; coding++) {
        struct packed packed;
        packed_init(&packed, coding, "{\"TableName\":\"table\"}");
        expect_text(&packed, 100, "{\"TableName\":\"table\"}");
        expect_text(&packed, 21, "{\"TableName\":\"table\"}");
        for (size_t room = 1; room < 21; room++)
            assert_int_equal(unpack_first(&packed, packed.bytes.len, room), HTTP_UNPACKED_NO_ROOM);
        packed_release(&packed);
    }
}

static void what_is_cut_off_is_broken(void **state) {
    (void)state;
    for (enum http_coding coding = HTTP_CODING_GZIP; coding < HTTP_CODING_COUNT; coding++) {
        struct packed packed;
        packed_init(&packed, coding, "{\"TableName\":\"table\"}");
        for (size_t len = 0; len < packed.bytes.len; len++)
            assert_int_equal(unpack_first(&packed, len, 100), HTTP_UNPACKED_BROKEN);
        packed_release(&packed);
    }
}

static void what_is_damaged_or_plain_is_broken(void **state) {
    (void)state;
    for (enum http_coding coding = HTTP_CODING_GZIP; coding < HTTP_CODING_COUNT; coding++) {
        struct packed packed;
        packed_init(&packed, coding, "{\"TableName\":\"table\"}");
        packed.bytes.data[packed.bytes.len - 5] ^= 1; /* of the checksum, in both formats */
        enum http_unpacked result = unpack_first(&packed, packed.bytes.len, 100);
        packed.bytes.data[packed.bytes.len - 1] ^= 1;
        assert_int_equal(coding == HTTP_CODING_GZIP ? result
                                                    : unpack_first(&packed, packed.bytes.len, 100),
                         HTTP_UNPACKED_BROKEN);
        buffer_reset(&packed.bytes);
        buffer_append_text(&packed.bytes, "{\"TableName\":\"table\"}");
        assert_int_equal(unpack_first(&packed, packed.bytes.len, 100), HTTP_UNPACKED_BROKEN);
        packed_release(&packed);
    }
}

static void members_are_joined(void **state) {
    (void)state;
    struct packed packed;
    packed_init(&packed, HTTP_CODING_GZIP, "{\"Table");
    zlib_pack(&packed.bytes, HTTP_CODING_GZIP, SLICE_LITERAL(""));
    zlib_pack(&packed.bytes, HTTP_CODING_GZIP, SLICE_LITERAL("Name\":1}"));
    expect_text(&packed, 15, "{\"TableName\":1}");
    assert_int_equal(unpack_first(&packed, packed.bytes.len, 14), HTTP_UNPACKED_NO_ROOM);
    assert_int_equal(unpack_first(&packed, packed.bytes.len - 1, 100), HTTP_UNPACKED_BROKEN);
    packed_release(&packed);
}

static void junk_behind_the_end_is_ignored(void **state) {
    (void)state;
    static const char *const junk[] = {"junk", "\x1f", "\x1f\x8b", "\x1f\x8b\x07", "{}"};
    for (enum http_coding coding = HTTP_CODING_GZIP; coding < HTTP_CODING_COUNT; coding++) {
        for (size_t i = 0; i < sizeof(junk) / sizeof(*junk); i++) {
            struct packed packed;
            packed_init(&packed, coding, "{\"TableName\":1}");
            buffer_append_text(&packed.bytes, junk[i]);
            expect_text(&packed, 15, "{\"TableName\":1}");
            packed_release(&packed);
        }
    }
    /* What begins like a member has to be one; of zlib streams there is one only. */
    struct packed packed;
    packed_init(&packed, HTTP_CODING_GZIP, "{}");
    buffer_append_text(&packed.bytes, "\x1f\x8b\x08");
    assert_int_equal(unpack_first(&packed, packed.bytes.len, 100), HTTP_UNPACKED_BROKEN);
    packed_release(&packed);
    packed_init(&packed, HTTP_CODING_DEFLATE, "{}");
    zlib_pack(&packed.bytes, HTTP_CODING_DEFLATE, SLICE_LITERAL("{}"));
    expect_text(&packed, 100, "{}");
    packed_release(&packed);
}

static void codings_have_names(void **state) {
    (void)state;
    assert_int_equal(http_coding_named(SLICE_LITERAL("GZip")), HTTP_CODING_GZIP);
    assert_int_equal(http_coding_named(SLICE_LITERAL("deflate")), HTTP_CODING_DEFLATE);
    assert_int_equal(http_coding_named(SLICE_LITERAL("gzip, gzip")), HTTP_CODING_NONE);
    assert_int_equal(http_coding_named(SLICE_LITERAL("")), HTTP_CODING_NONE);
    assert_true(slice_is(http_coding_name(HTTP_CODING_DEFLATE), "deflate"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_bodies_come_back),
        cmocka_unit_test(what_zlib_packed_is_unpacked),
        cmocka_unit_test(what_is_cut_off_is_broken),
        cmocka_unit_test(what_is_damaged_or_plain_is_broken),
        cmocka_unit_test(members_are_joined),
        cmocka_unit_test(junk_behind_the_end_is_ignored),
        cmocka_unit_test(codings_have_names),
    };
    return cmocka_run_group_tests_name("http_coding", tests, NULL, NULL);
}
