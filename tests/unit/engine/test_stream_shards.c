/* test_stream_shards.c - which shards a stream has, what they are called and hold: pure functions
 * of a definition, the last number and the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "codec/key.h"
#include "engine/hold.h"
#include "engine/stream_shard.h"

#define START INT64_C(1700000000000)
#define HOUR INT64_C(3600000)

static const struct stream_definition stream = {
    .id = 7, .view = STREAM_NEW_IMAGE, .shards = 3, .created_ms = START};

static struct stream_extent extent_at(const struct stream_definition *of, int64_t last_ms,
                                      int64_t now_ms) {
    return stream_extent_of(of, sequence_at(last_ms), now_ms - 24 * HOUR);
}

static void assert_extent(struct stream_extent extent, uint32_t first, uint32_t count) {
    assert_int_equal(extent.first, first);
    assert_int_equal(extent.count, count);
}

static void a_new_stream_has_one_generation(void **state) {
    (void)state;
    struct stream_extent extent = extent_at(&stream, START, START);
    struct stream_shard shard = {0, 2};
    assert_extent(extent, 0, 1);
    assert_true(shard_first(&extent, shard) == sequence_at(START));
    assert_true(shard_last(&extent, shard) == UINT64_MAX);
}

/* A generation is closed by the last number, not by the clock. */
static void generations_follow_the_numbers(void **state) {
    (void)state;
    uint64_t end = sequence_at(START + 4 * HOUR);
    assert_extent(stream_extent_of(&stream, end - 2, 0), 0, 1);
    assert_extent(stream_extent_of(&stream, end - 1, 0), 0, 2);
    assert_extent(stream_extent_of(&stream, end, 0), 0, 2);
    struct stream_extent extent = stream_extent_of(&stream, end - 1, 0);
    assert_true(shard_last(&extent, (struct stream_shard){0, 0}) == end - 1);
    assert_true(shard_first(&extent, (struct stream_shard){1, 0}) == end);
    assert_true(shard_last(&extent, (struct stream_shard){1, 0}) == UINT64_MAX);
    /* The clock went on, or back; nothing was written. */
    assert_extent(extent_at(&stream, START, START + 9 * HOUR), 0, 1);
    assert_extent(extent_at(&stream, START + 9 * HOUR, START - 9 * HOUR), 0, 3);
}

static void only_what_may_have_records_is_shown(void **state) {
    (void)state;
    int64_t now = START + 100 * HOUR; /* in generation 25 */
    assert_extent(extent_at(&stream, now, now), 19, 26);
    assert_extent(extent_at(&stream, now - 1, now - 1), 18, 25);
    /* Of one that is idle, the newest is always there. */
    assert_extent(extent_at(&stream, START, now), 0, 1);
    assert_extent(extent_at(&stream, START + 5 * HOUR, now), 1, 2);
}

static void an_ended_stream_is_closed(void **state) {
    (void)state;
    struct stream_definition ended = stream;
    ended.ended = (int64_t)sequence_at(START + 6 * HOUR) + 5;
    struct stream_extent extent = extent_at(&ended, START + 50 * HOUR, START + 7 * HOUR);
    assert_extent(extent, 0, 2);
    assert_true(shard_last(&extent, (struct stream_shard){0, 1}) ==
                sequence_at(START + 4 * HOUR) - 1);
    assert_true(shard_last(&extent, (struct stream_shard){1, 1}) == (uint64_t)ended.ended);
    assert_false(stream_is_gone(&ended, START + 6 * HOUR - 1));
    assert_true(stream_is_gone(&ended, START + 6 * HOUR));
    assert_false(stream_is_gone(&stream, INT64_MAX));
}

static void ids_name_shards(void **state) {
    (void)state;
    struct stream_extent extent = extent_at(&stream, START + 5 * HOUR, START + 5 * HOUR);
    char id[SHARD_ID_CHARS + 1], before[SHARD_ID_CHARS + 1] = "";
    uint8_t numbers[STREAM_SHARDS_MAX];
    shard_order(&stream, numbers);
    for (uint32_t g = 0; g < 2; g++) {
        for (size_t i = 0; i < 3; i++) {
            struct stream_shard found;
            shard_id_print(&stream, (struct stream_shard){g, numbers[i]}, id);
            assert_int_equal(strlen(id), SHARD_ID_CHARS);
            assert_memory_equal(
                id, g == 0 ? "shardId-00000001700000000000-" : "shardId-00000001700014400000-", 29);
            assert_true(strcmp(before, id) < 0);
            strcpy(before, id);
            assert_true(shard_id_find(&extent, slice_text(id), &found));
            assert_int_equal(found.generation, g);
            assert_int_equal(found.number, numbers[i]);
        }
    }
    struct stream_shard none;
    id[SHARD_ID_CHARS - 1] ^= 1;
    assert_false(shard_id_find(&extent, slice_text(id), &none));
    shard_id_print(&stream, (struct stream_shard){2, 0}, id);
    assert_false(shard_id_find(&extent, slice_text(id), &none)); /* to come */
    shard_id_print(&stream, (struct stream_shard){0, 0}, id);
    extent.first = 1;
    assert_false(shard_id_find(&extent, slice_text(id), &none)); /* gone */
    assert_false(shard_id_find(&extent, SLICE_LITERAL(""), &none));
}

static void keys_are_spread(void **state) {
    (void)state;
    const struct {
        const char *hash;
        int64_t shards;
        uint8_t shard;
    } rows[] = {
        {"\x00\x00\x00\x00", 1, 0}, {"\xff\xff\xff\xff", 1, 0}, {"\x00\x00\x00\x00", 4, 0},
        {"\x3f\xff\xff\xff", 4, 0}, {"\x40\x00\x00\x00", 4, 1}, {"\xbf\xff\xff\xff", 4, 2},
        {"\xc0\x00\x00\x00", 4, 3}, {"\xff\xff\xff\xff", 4, 3}, {"\x55\x55\x55\x55", 3, 0},
        {"\x55\x55\x55\x56", 3, 1}, {"\xff\xff\xff\xff", 3, 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t key[20] = {0};
        memcpy(key + 4, rows[i].hash, 4);
        assert_int_equal(shard_of_key(rows[i].shards, slice_of(key, sizeof(key))), rows[i].shard);
    }
}

/* ---- groups of keys ---- */

static uint64_t groups_at(uint32_t groups, int64_t shards, uint32_t rank) {
    uint8_t key[KEY_ID_BYTES + 8] = {0};
    struct store store = {.groups = (uint8_t)groups};
    struct table_definition table = {.stream = STREAM_NEW_IMAGE, .stream_shards = shards};
    store_u32_be(key + KEY_ID_BYTES, rank);
    return hold_groups_of(&store, &table, slice_of(key, sizeof(key)));
}

/* By the ranks at the edges of shards and groups, what a write has is just what its shard touches.
 */
static void assert_groups(uint32_t groups, uint32_t shards) {
    uint64_t touched[STREAM_SHARDS_MAX] = {0};
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t edge = 0; edge < (uint64_t)groups * shards; edge++)
            for (int64_t off = -1; off <= 1; off++) {
                uint32_t rank =
                    (uint32_t)((edge << 32) / ((uint64_t)groups * shards) + (uint64_t)off);
                uint64_t own = UINT64_C(1) << key_hash_part(rank, groups);
                uint32_t shard = key_hash_part(rank, shards);
                touched[shard] |= own;
                if (pass == 1 && shards % groups != 0)
                    assert_true(groups_at(groups, shards, rank) == touched[shard]);
                if (pass == 1 && shards % groups == 0)
                    assert_true(groups_at(groups, shards, rank) == own && touched[shard] == own);
            }
}

static void a_write_has_all_groups_of_its_shard(void **state) {
    (void)state;
    for (uint32_t groups = 2; groups <= STORE_GROUPS_MAX; groups *= 2)
        for (uint32_t shards = 1; shards <= STREAM_SHARDS_MAX; shards++)
            assert_groups(groups, shards);
    assert_true(groups_at(4, 1, 12345) == 15);
    assert_true(groups_at(4, 2, UINT32_MAX) == 12);
    assert_true(groups_at(4, 3, UINT32_C(1) << 31) == 6);
    assert_true(groups_at(32, 1, 0) == UINT32_MAX);
}

static void numbers_have_21_digits(void **state) {
    (void)state;
    char text[SEQUENCE_CHARS + 1];
    uint64_t number;
    sequence_print(0, text);
    assert_string_equal(text, "100000000000000000000");
    sequence_print(sequence_at(START) + 3, text);
    assert_string_equal(text, "101782579200000000003");
    assert_true(sequence_parse(slice_text(text), &number));
    assert_true(number == sequence_at(START) + 3);
    sequence_print(INT64_MAX, text);
    assert_string_equal(text, "109223372036854775807");
    assert_true(sequence_parse(slice_text(text), &number) && number == INT64_MAX);
    static const char *const wrong[] = {"",
                                        "1",
                                        "10000000000000000000",
                                        "1000000000000000000000",
                                        "201782579200000000003",
                                        "10178257920000000000x",
                                        "109223372036854775808",
                                        "199999999999999999999",
                                        " 01782579200000000003"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(sequence_parse(slice_text(wrong[i]), &number));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_stream_has_one_generation),
        cmocka_unit_test(generations_follow_the_numbers),
        cmocka_unit_test(only_what_may_have_records_is_shown),
        cmocka_unit_test(an_ended_stream_is_closed),
        cmocka_unit_test(ids_name_shards),
        cmocka_unit_test(keys_are_spread),
        cmocka_unit_test(a_write_has_all_groups_of_its_shard),
        cmocka_unit_test(numbers_have_21_digits),
    };
    return cmocka_run_group_tests_name("stream shards", tests, NULL, NULL);
}
