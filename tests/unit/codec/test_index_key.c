/* test_index_key.c - the keys of index entries as bytes: their layout, and that they sort as the
 * values do and never run into each other. And what entries hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/index_entry.h"
#include "codec/index_key.h"
#include "model/limits.h"
#include "model/number.h"
#include "model/value_builder.h"

static const struct key_codec codec = {
    .secret = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

#define NAME(text) \
    { (const uint8_t *)(text), sizeof(text) - 1 }

static const struct table_definition table = {
    .id = 7,
    .keys = {.hash_count = 1,
             .range_count = 1,
             .hash = {{NAME("pk"), VALUE_S}},
             .range = {{NAME("sk"), VALUE_S}}},
};
static const struct table_definition hash_table = {
    .id = 7,
    .keys = {.hash_count = 1, .hash = {{NAME("pk"), VALUE_S}}},
};

static const struct table_index one = {
    .id = 0x01020304,
    .keys = {.hash_count = 1,
             .range_count = 1,
             .hash = {{NAME("h"), VALUE_S}},
             .range = {{NAME("r"), VALUE_S}}},
};
static const struct table_index two = {
    .id = 9,
    .keys = {.hash_count = 2,
             .range_count = 2,
             .hash = {{NAME("h"), VALUE_S}, {NAME("i"), VALUE_N}},
             .range = {{NAME("r"), VALUE_B}, {NAME("n"), VALUE_N}}},
};

/* ---- making items ---- */

struct attribute {
    const char *name;
    enum value_type type;
    const char *text; /* of a number: decimal */
    size_t len;       /* of a text with zero bytes; 0: up to its end */
};

static void add_attribute(struct value_builder *builder, const struct attribute *attribute) {
    value_builder_name(builder, slice_text(attribute->name));
    struct slice bytes = attribute->len > 0 ? slice_of(attribute->text, attribute->len)
                                            : slice_text(attribute->text);
    struct number number;
    if (attribute->type == VALUE_N) {
        assert_int_equal(number_parse(bytes, &number), NUMBER_OK);
        bytes = number_slice(&number);
    }
    value_builder_scalar(builder, attribute->type, bytes);
}

static struct value make_item(struct arena *arena, size_t count,
                              const struct attribute *attributes) {
    struct buffer bytes;
    struct value_builder builder;
    buffer_init(&bytes, 1 << 16);
    value_builder_init(&builder, &bytes, arena);
    value_builder_open(&builder, VALUE_M);
    for (size_t i = 0; i < count; i++)
        add_attribute(&builder, &attributes[i]);
    value_builder_close(&builder);
    struct value item = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return item;
}

#define ITEM(arena, ...)                                                                         \
    make_item(arena, sizeof((const struct attribute[]){__VA_ARGS__}) / sizeof(struct attribute), \
              (const struct attribute[]){__VA_ARGS__})

static void assert_bytes(struct slice key, const uint8_t *expected, size_t len) {
    assert_int_equal(key.len, len);
    assert_memory_equal(key.data, expected, len);
}

/* ---- the layout ---- */

/* It is a promise: entries written today are read by every later version. The hashes were made with
 * another implementation of SipHash-2-4-128. */
#define HASH_OF_H \
    0x52, 0xfd, 0x1e, 0x8c, 0x45, 0x51, 0x76, 0x1c, 0xe8, 0xcb, 0x39, 0xde, 0x11, 0x16, 0xe3, 0xee
#define HASH_OF_P_AND_S \
    0xef, 0x62, 0x7c, 0x1b, 0x04, 0xbd, 0x84, 0xa7, 0x7d, 0xd1, 0x23, 0xd2, 0xd9, 0x1f, 0x44, 0x1d
#define HASH_OF_P \
    0x58, 0xed, 0x0f, 0xf6, 0x2b, 0xdf, 0x75, 0x24, 0x54, 0x0c, 0x0c, 0xfb, 0xb5, 0x49, 0x2f, 0xc8
#define HASH_OF_AB_AND_1 \
    0xac, 0xb8, 0x05, 0x98, 0xb1, 0xf1, 0x45, 0x0d, 0xf7, 0xae, 0x28, 0x74, 0x9a, 0xcb, 0x7b, 0x10

static void entries_have_their_layout(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value item = ITEM(&arena, {"h", VALUE_S, "h", 0}, {"pk", VALUE_S, "p", 0},
                             {"r", VALUE_S, "a\0b", 3}, {"sk", VALUE_S, "s", 0});
    static const uint8_t single[] = {1,    2,    3,   4,    HASH_OF_H, 'a',
                                     0x00, 0xff, 'b', 0x00, 0x01,      HASH_OF_P_AND_S};
    assert_bytes(index_key_encode(&arena, &codec, &table, &one, item), single, sizeof(single));

    item = ITEM(&arena, {"h", VALUE_S, "ab", 0}, {"i", VALUE_N, "1.0", 0}, {"n", VALUE_N, "-1", 0},
                {"pk", VALUE_S, "p", 0}, {"r", VALUE_B, "\xff", 0});
    static const uint8_t several[] = {0,    0,    0,    9,    HASH_OF_AB_AND_1, 0xff, 0x00, 0x01,
                                      0x3e, 0xfd, 0xff, 0x00, HASH_OF_P};
    assert_bytes(index_key_encode(&arena, &codec, &hash_table, &two, item), several,
                 sizeof(several));
    arena_release(&arena);
}

static void an_entry_starts_with_what_a_query_looks_for(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value item =
        ITEM(&arena, {"h", VALUE_S, "ab", 0}, {"i", VALUE_N, "1.0", 0}, {"n", VALUE_N, "-1", 0},
             {"pk", VALUE_S, "p", 0}, {"r", VALUE_B, "\0x", 2});
    struct slice key = index_key_encode(&arena, &codec, &hash_table, &two, item);
    struct value hash[] = {value_map_find(item, SLICE_LITERAL("h")),
                           value_map_find(item, SLICE_LITERAL("i"))};
    struct value r = value_map_find(item, SLICE_LITERAL("r"));
    struct slice prefix = index_key_partition(&arena, &codec, &two, hash);
    assert_int_equal(prefix.len, 20);
    assert_true(slice_starts_with(key, prefix));
    struct value zero = value_map_find(ITEM(&arena, {"r", VALUE_B, "\0", 1}), SLICE_LITERAL("r"));
    assert_true(slice_starts_with(key, index_key_sort_start(&arena, prefix, zero)));
    assert_false(slice_starts_with(key, index_key_sort(&arena, prefix, zero)));
    prefix = index_key_sort(&arena, prefix, r);
    assert_true(slice_starts_with(key, prefix));
    prefix = index_key_sort(&arena, prefix, value_map_find(item, SLICE_LITERAL("n")));
    assert_true(slice_starts_with(key, prefix));
    assert_int_equal(key.len, prefix.len + SIPHASH_BYTES);
    arena_release(&arena);
}

/* ("a", "bc") and ("ab", "c") are two partitions, and two items. */
static void parts_do_not_run_together(void **state) {
    (void)state;
    static const struct table_index pair = {
        .id = 9,
        .keys = {.hash_count = 2, .hash = {{NAME("h"), VALUE_S}, {NAME("i"), VALUE_S}}},
    };
    struct arena arena;
    arena_init(&arena);
    struct value left = ITEM(&arena, {"h", VALUE_S, "a", 0}, {"i", VALUE_S, "bc", 0},
                             {"pk", VALUE_S, "x", 0}, {"sk", VALUE_S, "yz", 0});
    struct value right = ITEM(&arena, {"h", VALUE_S, "ab", 0}, {"i", VALUE_S, "c", 0},
                              {"pk", VALUE_S, "x", 0}, {"sk", VALUE_S, "yz", 0});
    struct value other = ITEM(&arena, {"h", VALUE_S, "a", 0}, {"i", VALUE_S, "bc", 0},
                              {"pk", VALUE_S, "xy", 0}, {"sk", VALUE_S, "z", 0});
    struct slice a = index_key_encode(&arena, &codec, &table, &pair, left);
    struct slice b = index_key_encode(&arena, &codec, &table, &pair, right);
    struct slice c = index_key_encode(&arena, &codec, &table, &pair, other);
    assert_memory_not_equal(a.data, b.data, ITEM_KEY_PREFIX);
    assert_memory_equal(a.data, c.data, ITEM_KEY_PREFIX);
    assert_false(slice_equal(a, c));
    arena_release(&arena);
}

static void items_that_are_not_in_the_index(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    static char long_text[2050];
    memset(long_text, 'x', sizeof(long_text));
    struct value items[] = {
        ITEM(&arena, {"h", VALUE_S, "h", 0}, {"pk", VALUE_S, "p", 0}),
        ITEM(&arena, {"pk", VALUE_S, "p", 0}, {"r", VALUE_S, "r", 0}),
        ITEM(&arena, {"h", VALUE_S, "h", 0}, {"pk", VALUE_S, "p", 0}, {"r", VALUE_N, "1", 0}),
        ITEM(&arena, {"h", VALUE_S, "", 0}, {"pk", VALUE_S, "p", 0}, {"r", VALUE_S, "r", 0}),
        ITEM(&arena, {"h", VALUE_S, "h", 0}, {"pk", VALUE_S, "p", 0}, {"r", VALUE_S, "", 0}),
        ITEM(&arena, {"h", VALUE_S, long_text, 2049}, {"pk", VALUE_S, "p", 0},
             {"r", VALUE_S, "r", 0}),
        ITEM(&arena, {"h", VALUE_S, "h", 0}, {"pk", VALUE_S, "p", 0},
             {"r", VALUE_S, long_text, 1025}),
    };
    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
        assert_false(slice_present(index_key_encode(&arena, &codec, &hash_table, &one, items[i])));
    struct value largest = ITEM(&arena, {"h", VALUE_S, long_text, 2048}, {"pk", VALUE_S, "p", 0},
                                {"r", VALUE_S, long_text, 1024});
    assert_int_equal(index_key_encode(&arena, &codec, &hash_table, &one, largest).len,
                     20 + 1024 + 2 + 16);
    arena_release(&arena);
}

/* ---- order ---- */

static uint64_t random_state = 12345;

static uint32_t random_below(uint32_t bound) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33) % bound;
}

/* Short, of few different bytes, so that prefixes and zero bytes are everywhere. */
static struct value random_text(struct arena *arena, enum value_type type) {
    static const uint8_t alphabet[] = {0x00, 0x01, 0x02, 'a', 0xfe, 0xff};
    uint8_t bytes[6];
    size_t len = 1 + random_below(5);
    for (size_t i = 0; i < len; i++)
        bytes[i] = alphabet[random_below(sizeof(alphabet))];
    return value_map_find(
        ITEM(arena, {"v", type, (const char *)arena_copy(arena, bytes, len), len}),
        SLICE_LITERAL("v"));
}

static struct value random_number(struct arena *arena) {
    static const char *const numbers[] = {
        "0",      "1",   "-1", "1.5",   "-1.5",   "10",   "100",   "99",   "-99", "0.01",   "-0.01",
        "1E-130", "123", "12", "9E125", "-9E125", "1.01", "-1.01", "1000", "0.1", "-1E-130"};
    const char *text = numbers[random_below(sizeof(numbers) / sizeof(*numbers))];
    return value_map_find(ITEM(arena, {"v", VALUE_N, text, 0}), SLICE_LITERAL("v"));
}

enum { PARTS = 3, TUPLES = 300 };

struct tuple {
    struct value parts[PARTS]; /* S, N, B */
    struct slice key;
};

static struct tuple random_tuple(struct arena *arena) {
    struct tuple tuple = {.key = SLICE_LITERAL("")};
    tuple.parts[0] = random_text(arena, VALUE_S);
    tuple.parts[1] = random_number(arena);
    tuple.parts[2] = random_text(arena, VALUE_B);
    for (size_t i = 0; i < PARTS; i++)
        tuple.key = index_key_sort(arena, tuple.key, tuple.parts[i]);
    return tuple;
}

static int sign(int n) {
    return (n > 0) - (n < 0);
}

static int compare_tuples(const struct tuple *a, const struct tuple *b) {
    for (size_t i = 0; i < PARTS; i++) {
        int order = value_compare(a->parts[i], b->parts[i]);
        if (order != 0)
            return sign(order);
    }
    return 0;
}

static void sort_keys_sort_as_their_values(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct tuple *tuples = ARENA_ARRAY(&arena, struct tuple, TUPLES);
    for (size_t i = 0; i < TUPLES; i++)
        tuples[i] = random_tuple(&arena);
    for (size_t i = 0; i < TUPLES; i++) {
        for (size_t j = 0; j < TUPLES; j++) {
            int order = compare_tuples(&tuples[i], &tuples[j]);
            assert_int_equal(sign(slice_compare(tuples[i].key, tuples[j].key)), order);
            /* No key begins another: what follows it cannot change the order. */
            assert_int_equal(slice_starts_with(tuples[i].key, tuples[j].key), order == 0);
        }
    }
    arena_release(&arena);
}

static void beginnings_are_those_of_the_values(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    size_t hits = 0;
    for (size_t i = 0; i < 5000; i++) {
        struct value whole = random_text(&arena, VALUE_S), start = random_text(&arena, VALUE_S);
        struct slice key = index_key_sort(&arena, SLICE_LITERAL("p"), whole);
        struct slice prefix = index_key_sort_start(&arena, SLICE_LITERAL("p"), start);
        bool begins = slice_starts_with(value_scalar(whole), value_scalar(start));
        assert_int_equal(slice_starts_with(key, prefix), begins);
        hits += begins;
    }
    assert_in_range(hits, 100, 4900);
    arena_release(&arena);
}

/* ---- what entries hold ---- */

static void an_entry_is_an_item_with_less(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice names[] = {NAME("in")};
    struct table_index index = one;
    struct value item =
        ITEM(&arena, {"a", VALUE_S, "x", 0}, {"h", VALUE_S, "h", 0}, {"in", VALUE_S, "yes", 0},
             {"pk", VALUE_S, "p", 0}, {"r", VALUE_S, "r", 0}, {"sk", VALUE_S, "s", 0});
    struct slice stored = item_encode(&arena, item, item_size(item));
    index.projection = PROJECT_ALL;
    assert_ptr_equal(index_entry_encode(&arena, &table, &index, stored).data, stored.data);
    index.projection = PROJECT_INCLUDE;
    index.non_key_attributes = names;
    index.non_key_attribute_count = 1;
    static const uint8_t included[] = "\2\xe8\xd3\x9b\x39"
                                      "\xf\0\0\0"
                                      "\xa\x1e\0\0\0\5\0\0\0"
                                      "\1h\1\1h\2in\1\3yes\2pk\1\1p\1r\1\1r\2sk\1\1s";
    struct slice entry = index_entry_encode(&arena, &table, &index, stored);
    assert_bytes(entry, included, sizeof(included) - 1);
    assert_int_equal(stored_item_size(entry), 15);
    struct stored_item again;
    assert_null(item_decode(&arena, entry, &again));
    assert_int_equal(item_size(again.item), 15);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_their_layout),
        cmocka_unit_test(an_entry_starts_with_what_a_query_looks_for),
        cmocka_unit_test(parts_do_not_run_together),
        cmocka_unit_test(items_that_are_not_in_the_index),
        cmocka_unit_test(sort_keys_sort_as_their_values),
        cmocka_unit_test(beginnings_are_those_of_the_values),
        cmocka_unit_test(an_entry_is_an_item_with_less),
    };
    return cmocka_run_group_tests_name("codec_index_key", tests, NULL, NULL);
}
