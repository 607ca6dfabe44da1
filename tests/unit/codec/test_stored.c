/* test_stored.c - items that were damaged after they were encoded: every byte of one is changed,
 * and each time either nobody reads outside of it, or it is refused. The sanitizer sees who reads
 * outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/item.h"
#include "model/value_json.h"
#include "support/read_item.h"

static int setup(void **state) {
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int teardown(void **state) {
    arena_release(*state);
    return 0;
}

static const char everything[] =
    "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"-1.5\"},\"b\":{\"B\":\"AAEC\"},\"t\":{\"BOOL\":true},"
    "\"n\":{\"NULL\":true},\"l\":{\"L\":[{\"N\":\"1e100\"},{\"S\":\"x\"}]},\"m\":{\"M\":{\"in\":"
    "{\"NS\":[\"1\",\"2\"]}}},\"ss\":{\"SS\":[\"y\",\"zz\"]},\"long\":{\"S\":"
    "\"0123456789012345678901"
    "2345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345"
    "67890123456789\"}}";

static struct slice stored(struct arena *arena, const char *json) {
    struct value item = read_item(arena, json);
    return item_encode(arena, item, item_size(item));
}

/* In memory of its own size. */
static void read_damaged(const struct slice bytes) {
    struct arena arena;
    struct stored_item item;
    arena_init(&arena);
    uint8_t *apart = test_malloc(bytes.len);
    memcpy(apart, bytes.data, bytes.len);
    if (item_decode_unread(&arena, slice_of(apart, bytes.len), &item) == NULL) {
        struct buffer text;
        struct json_writer json;
        buffer_init(&text, 1 << 20);
        json_writer_init(&json, &text);
        (void)value_map_find(item.item, SLICE_LITERAL("zz"));
        bool written = item_write_json(&json, item.item);
        bool sound = stored_item_is_sound(&item);
        assert_true(written || !sound);
        if (sound)
            (void)item_size(item.item);
        buffer_release(&text);
    }
    test_free(apart);
    arena_release(&arena);
}

/* Without a checksum, as items once were. */
static struct slice unsummed(struct arena *arena, struct slice stored) {
    size_t len = stored.len - (SUMMED_HEADER - UNSUMMED_HEADER);
    uint8_t *bytes = arena_copy(arena, stored.data + stored.len - len, len);
    bytes[0] = UNSUMMED_VERSION;
    return slice_of(bytes, len);
}

static void every_byte_of_an_item_may_be_wrong(void **state) {
    struct slice whole = unsummed(*state, stored(*state, everything));
    uint8_t *bytes = arena_copy(*state, whole.data, whole.len);
    for (size_t at = 0; at < whole.len; at++) {
        for (int byte = 0; byte < 256; byte++) {
            bytes[at] = (uint8_t)byte;
            read_damaged(slice_of(bytes, whole.len));
        }
        bytes[at] = whole.data[at];
        read_damaged(slice_of(bytes, at));
    }
}

static void a_checksum_finds_every_byte(void **state) {
    struct arena *arena = *state;
    struct slice whole = stored(arena, everything);
    uint8_t *bytes = arena_copy(arena, whole.data, whole.len);
    struct stored_item item;
    for (size_t at = 0; at < whole.len; at++) {
        for (int byte = 0; byte < 256; byte++) {
            struct arena_mark mark = arena_mark(arena);
            bytes[at] = (uint8_t)byte;
            bool same = byte == whole.data[at];
            assert_true((item_decode_unread(arena, slice_of(bytes, whole.len), &item) == NULL) ==
                        same);
            arena_rewind(arena, mark);
        }
        bytes[at] = whole.data[at];
        assert_non_null(item_decode_unread(arena, slice_of(bytes, at), &item));
    }
}

/* An N of 252 bytes once wrote over the stack of who printed it. */
static void a_long_number_is_refused(void **state) {
    struct arena *arena = *state;
    uint8_t bytes[ITEM_HEADER + CONTAINER_HEADER + 2 + 254] = {0};
    struct stored_item item;
    uint8_t *map = bytes + ITEM_HEADER, *entry = map + CONTAINER_HEADER;
    memset(entry, 0x11, sizeof(bytes) - (size_t)(entry - bytes));
    map[0] = VALUE_M;
    store_u32(map + 1, 2 + 254);
    store_u32(map + 5, 1);
    memcpy(entry, "\1n\2\xfc", 4);
    struct slice sealed = item_seal(bytes, sizeof(bytes), 254);
    assert_non_null(item_decode(arena, sealed, &item));
    read_damaged(sealed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_byte_of_an_item_may_be_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(a_checksum_finds_every_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_number_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
