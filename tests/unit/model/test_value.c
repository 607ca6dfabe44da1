/* test_value.c - flat values: building, looking inside, sizes, and the check of unknown bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/limits.h"
#include "model/value_json.h"

struct fixture {
    struct arena arena;
    struct buffer buffer;
};

static int setup(void **state) {
    static struct fixture fixture;
    arena_init(&fixture.arena);
    buffer_init(&fixture.buffer, 1 << 24);
    *state = &fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    arena_release(&f->arena);
    buffer_release(&f->buffer);
    return 0;
}

static struct value from_json(struct fixture *f, const char *json) {
    struct json_reader reader;
    json_reader_init(&reader, slice_text(json), &f->arena);
    json_next(&reader);
    struct value_fault fault = {0};
    struct value_builder builder;
    buffer_reset(&f->buffer);
    value_builder_init(&builder, &f->buffer, &f->arena);
    assert_null(value_read_json(&reader, &builder, &fault));
    assert_null(fault.error);
    return value_builder_finish(&builder, &f->arena);
}

static struct value item_from_json(struct fixture *f, const char *json) {
    char *wrapped = (char *)arena_alloc(&f->arena, strlen(json) + 10);
    sprintf(wrapped, "{\"M\":%s}", json);
    return from_json(f, wrapped);
}

static void bytes_are_as_drawn(void **state) {
    struct fixture *f = *state;
    const struct {
        const char *json;
        struct slice bytes;
    } cases[] = {
        {"{\"NULL\":true}", SLICE_LITERAL("\x05")},
        {"{\"BOOL\":true}", SLICE_LITERAL("\x04\x01")},
        {"{\"BOOL\":false}", SLICE_LITERAL("\x04\x00")},
        {"{\"N\":\"42\"}", SLICE_LITERAL("\x02\x02\xC1\x2B")},
        {"{\"S\":\"ab\"}", SLICE_LITERAL("\x01\x02"
                                         "ab")},
        {"{\"B\":\"AAE=\"}", SLICE_LITERAL("\x03\x02\x00\x01")},
        {"{\"SS\":[\"b\",\"a\"]}", SLICE_LITERAL("\x06\x04\0\0\0\x02\0\0\0\x01"
                                                 "a\x01"
                                                 "b")},
        {"{\"L\":[{\"NULL\":true}]}", SLICE_LITERAL("\x09\x01\0\0\0\x01\0\0\0\x05")},
        {"{\"M\":{\"b\":{\"L\":[]},\"a\":{\"NULL\":true}}}",
         SLICE_LITERAL("\x0A\x0E\0\0\0\x02\0\0\0\x01"
                       "a\x05\x01"
                       "b\x09\0\0\0\0\0\0\0\0")},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct value value = from_json(f, cases[i].json);
        assert_true(slice_equal(value_slice(value), cases[i].bytes));
        assert_true(value_check(cases[i].bytes, 2));
    }
}

static void looking_inside(void **state) {
    struct fixture *f = *state;
    struct value m = from_json(
        f, "{\"M\":{\"l\":{\"L\":[{\"S\":\"x\"},{\"N\":\"7\"}]},\"s\":{\"SS\":[\"c\",\"a\"]},"
           "\"b\":{\"BOOL\":true}}}");
    assert_int_equal(value_type(m), VALUE_M);
    assert_int_equal(value_count(m), 3);
    struct value l = value_map_find(m, slice_text("l"));
    assert_int_equal(value_count(l), 2);
    assert_true(slice_is(value_scalar(value_list_at(l, 0)), "x"));
    assert_int_equal(value_type(value_list_at(l, 1)), VALUE_N);
    assert_false(value_present(value_list_at(l, 2)));
    assert_false(value_present(value_list_at(m, 0)));
    assert_false(value_present(value_map_find(l, slice_text("l"))));
    assert_false(value_present(value_map_find(m, slice_text("a"))));
    assert_false(value_present(value_map_find(m, slice_text("ll"))));
    assert_false(value_present(value_map_find(m, slice_text("z"))));
    struct value s = value_map_find(m, slice_text("s"));
    assert_true(value_set_has(s, slice_text("a")));
    assert_false(value_set_has(s, slice_text("b")));
    assert_true(value_set_has(s, slice_text("c")));
    assert_true(value_bool(value_map_find(m, slice_text("b"))));
    struct value_iter iter;
    value_iter_init(&iter, s);
    assert_true(value_iter_next(&iter));
    assert_true(slice_is(iter.member, "a"));
    assert_true(value_iter_next(&iter));
    assert_true(slice_is(iter.member, "c"));
    assert_false(value_iter_next(&iter));
}

static void type_names(void **state) {
    (void)state;
    static const char *const names[] = {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        enum value_type type = value_type_from_name(slice_text(names[i]));
        assert_int_equal(type, i + 1);
        assert_string_equal(value_type_name(type), names[i]);
    }
    static const char *const others[] = {"",   "s",  "X",    "LS",    "MS",
                                         "SN", "S ", "bool", "BOOLS", "NUL"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(value_type_from_name(slice_text(others[i])), VALUE_NONE);
}

static void sizes(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *json;
        size_t size;
        uint32_t depth;
    } cases[] = {
        {"{\"S\":\"\"}", 0, 1},
        {"{\"S\":\"h\xC3\xA9\"}", 3, 1},
        {"{\"B\":\"AAEC\"}", 3, 1},
        {"{\"N\":\"3.14159\"}", 5, 1},
        {"{\"BOOL\":true}", 1, 1},
        {"{\"NULL\":true}", 1, 1},
        {"{\"SS\":[\"a\",\"bc\"]}", 3, 1},
        {"{\"NS\":[\"1\",\"-1\",\"0\"]}", 6, 1},
        {"{\"BS\":[\"AAEC\",\"\"]}", 3, 1},
        {"{\"L\":[]}", 3, 1},
        {"{\"L\":[{\"S\":\"ab\"},{\"NULL\":true}]}", 8, 2},
        {"{\"M\":{}}", 3, 1},
        {"{\"M\":{\"ab\":{\"S\":\"cde\"}}}", 9, 2},
        {"{\"L\":[{\"M\":{\"a\":{\"L\":[]}}},{\"S\":\"\"}]}", 3 + 1 + (3 + 1 + 1 + 3) + 1, 3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct value value = from_json(f, cases[i].json);
        assert_int_equal(value_size(value), cases[i].size);
        assert_int_equal(value_depth(value), cases[i].depth);
        assert_true(value_check(value_slice(value), cases[i].depth));
        assert_false(value_check(value_slice(value), cases[i].depth - 1));
    }
    assert_int_equal(item_size(item_from_json(
                         f, "{\"shirt-color\":{\"S\":\"R\"},\"shirt-size\":{\"S\":\"M\"}}")),
                     23);
}

static void order_of_scalars(void **state) {
    struct fixture *f = *state;
    struct value nine = from_json(f, "{\"N\":\"9\"}"), ten = from_json(f, "{\"N\":\"10\"}");
    struct value ten_again = from_json(f, "{\"N\":\"1e1\"}");
    assert_true(value_compare(nine, ten) < 0);
    assert_true(value_compare(ten, nine) > 0);
    assert_int_equal(value_compare(ten, ten_again), 0);
    assert_true(value_equal(ten, ten_again));
    assert_true(value_compare(from_json(f, "{\"S\":\"10\"}"), from_json(f, "{\"S\":\"9\"}")) < 0);
    assert_true(value_compare(from_json(f, "{\"S\":\"a\"}"), from_json(f, "{\"S\":\"ab\"}")) < 0);
    assert_true(value_equal(from_json(f, "{\"SS\":[\"a\",\"b\"]}"),
                            from_json(f, "{\"SS\":[\"b\",\"a\"]}")));
}

static void check_refuses_other_bytes(void **state) {
    (void)state;
    static const struct slice bad[] = {
        {(const uint8_t *)"", 0},
        {(const uint8_t *)"\x00", 1},     /* no tag */
        {(const uint8_t *)"\x0B", 1},     /* no tag */
        {(const uint8_t *)"\x05\x05", 2}, /* something follows */
        {(const uint8_t *)"\x04", 1},     /* ends early */
        {(const uint8_t *)"\x04\x02", 2}, /* no boolean */
        {(const uint8_t *)"\x01\x03"
                          "ab",
         4}, /* ends early */
        {(const uint8_t *)"\x01\x81\x00"
                          "a",
         4},                                              /* length not in its short form */
        {(const uint8_t *)"\x01\xFF\xFF\xFF\xFF\xFF", 6}, /* no length */
        {(const uint8_t *)"\x01\xFF\xFF\xFF\xFF\x0F", 6}, /* a long one */
        {(const uint8_t *)"\x02\x02\xC1\x01", 4},         /* no number */
        {(const uint8_t *)"\x02\x00", 2},                 /* no number */
        {(const uint8_t *)"\x06\0\0\0\0\0\0\0\0", 9},     /* an empty set */
        {(const uint8_t *)"\x06\x04\0\0\0\x02\0\0\0\x01"
                          "b\x01"
                          "a",
         13}, /* not sorted */
        {(const uint8_t *)"\x06\x04\0\0\0\x02\0\0\0\x01"
                          "a\x01"
                          "a",
         13}, /* twice */
        {(const uint8_t *)"\x06\x04\0\0\0\x01\0\0\0\x01"
                          "a\x01"
                          "b",
         13}, /* count too low */
        {(const uint8_t *)"\x06\x04\0\0\0\x03\0\0\0\x01"
                          "a\x01"
                          "b",
         13}, /* count too high */
        {(const uint8_t *)"\x07\x02\0\0\0\x01\0\0\0\x01"
                          "a",
         11},                                                  /* no number */
        {(const uint8_t *)"\x09\x01\0\0\0\x01\0\0", 8},        /* ends early */
        {(const uint8_t *)"\x09\x02\0\0\0\x01\0\0\0\x05", 10}, /* size too high */
        {(const uint8_t *)"\x09\x00\0\0\0\x01\0\0\0\x05", 10}, /* size too low */
        {(const uint8_t *)"\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x05", 10},
        {(const uint8_t *)"\x0A\x06\0\0\0\x02\0\0\0\x01"
                          "b\x05\x01"
                          "a\x05",
         15}, /* not sorted */
        {(const uint8_t *)"\x0A\x06\0\0\0\x02\0\0\0\x01"
                          "a\x05\x01"
                          "a\x05",
         15}, /* twice */
        {(const uint8_t *)"\x0A\x02\0\0\0\x01\0\0\0\x01"
                          "a",
         11}, /* no value */
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (value_check(bad[i], 10))
            print_error("case %zu is accepted\n", i);
        assert_false(value_check(bad[i], 10));
    }
    assert_false(value_check(SLICE_NONE, 10));
}

/* ---- the builder ---- */

static uint64_t seed_state;

static uint32_t next_random(uint32_t below) {
    seed_state = seed_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(seed_state >> 33) % below;
}

/* Few different bytes, often with a common prefix of about a word. */
static struct slice random_name(uint8_t bytes[24]) {
    size_t common = next_random(3) == 0 ? 6 + next_random(4) : 0;
    size_t len = common + next_random(4);
    for (size_t i = 0; i < len; i++)
        bytes[i] = i < common ? 'p' : (uint8_t) "\0ab\xFF"[next_random(4)];
    return slice_of(bytes, len);
}

/* A map of random names, each with the place it was written at: the last of equal names stays, and
 * names are in order. */
static void check_random_map(struct fixture *f, uint32_t count) {
    uint8_t(*names)[24] = arena_alloc(&f->arena, count * sizeof(*names));
    struct slice *slices = ARENA_ARRAY(&f->arena, struct slice, count);
    struct value_builder builder;
    buffer_reset(&f->buffer);
    value_builder_init(&builder, &f->buffer, &f->arena);
    value_builder_open(&builder, VALUE_M);
    for (uint32_t i = 0; i < count; i++) {
        slices[i] = random_name(names[i]);
        value_builder_name(&builder, slices[i]);
        char text[12];
        value_builder_scalar(&builder, VALUE_S, slice_of(text, (size_t)sprintf(text, "%u", i)));
    }
    value_builder_close(&builder);
    struct value map = value_builder_finish(&builder, &f->arena);
    assert_true(value_check(value_slice(map), 2));
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = i;
        bool first = true;
        for (uint32_t j = 0; j < count; j++) {
            if (!slice_equal(slices[i], slices[j]))
                continue;
            first = first && j >= i;
            last = j;
        }
        different += first;
        char text[12];
        sprintf(text, "%u", last);
        assert_true(slice_is(value_scalar(value_map_find(map, slices[i])), text));
    }
    assert_int_equal(value_count(map), different);
}

static void random_maps_are_sorted(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 2000; i++) {
        check_random_map(f, next_random(12));
        arena_reset(&f->arena);
    }
    for (int i = 0; i < 100; i++) {
        check_random_map(f, 25 + next_random(150));
        arena_reset(&f->arena);
    }
}

static void sets_report_duplicates(void **state) {
    struct fixture *f = *state;
    for (uint32_t count = 1; count < 80; count++) {
        for (int repeat = 0; repeat < 2; repeat++) {
            struct value_builder builder;
            buffer_reset(&f->buffer);
            value_builder_init(&builder, &f->buffer, &f->arena);
            value_builder_open(&builder, VALUE_SS);
            for (uint32_t i = 0; i < count; i++) {
                char text[12];
                int len = sprintf(text, "%u", i * 7919 % 1009);
                value_builder_member(&builder, slice_of(text, (size_t)len));
            }
            if (repeat)
                value_builder_member(&builder, slice_text("0"));
            assert_int_equal(value_builder_close_set(&builder), repeat);
            struct value set = value_builder_finish(&builder, &f->arena);
            assert_int_equal(value_count(set), count);
            assert_true(value_check(value_slice(set), 1));
        }
    }
}

static void a_value_can_be_taken_back(void **state) {
    struct fixture *f = *state;
    struct value_builder builder;
    value_builder_init(&builder, &f->buffer, &f->arena);
    value_builder_open(&builder, VALUE_L);
    value_builder_bool(&builder, true);
    size_t mark = value_builder_mark(&builder);
    value_builder_open(&builder, VALUE_L);
    value_builder_null(&builder);
    value_builder_close(&builder);
    value_builder_drop(&builder, mark);
    value_builder_null(&builder);
    value_builder_close(&builder);
    struct value list = value_builder_finish(&builder, &f->arena);
    assert_true(
        slice_equal(value_slice(list), SLICE_LITERAL("\x09\x03\0\0\0\x02\0\0\0\x04\x01\x05")));
}

/* Every maximum below the size needed: no crash, the flag is set, and the bytes fit after all when
 * the maximum is just right. */
static void a_full_buffer_is_noticed(void **state) {
    struct fixture *f = *state;
    const char *json =
        "{\"M\":{\"b\":{\"L\":[{\"SS\":[\"y\",\"x\"]},{\"M\":{\"k\":{\"S\":\"v\"}}}]},"
        "\"a\":{\"N\":\"12345\"},\"c\":{\"X\":1,\"BOOL\":true}}}";
    size_t needed = 0;
    for (size_t size_max = 0; size_max < 200 && needed == 0; size_max++) {
        struct buffer buffer;
        buffer_init(&buffer, size_max);
        struct json_reader reader;
        json_reader_init(&reader, slice_text(json), &f->arena);
        json_next(&reader);
        struct value_fault fault = {0};
        struct value_builder builder;
        value_builder_init(&builder, &buffer, &f->arena);
        assert_null(value_read_json(&reader, &builder, &fault));
        if (!buffer.overflow) {
            needed = size_max;
            assert_true(value_check(buffer_slice(&buffer), 4));
            assert_int_equal(buffer.len, size_max);
        }
        buffer_release(&buffer);
    }
    assert_int_equal(needed, 59);
}

int main(void) {
    const char *chosen = getenv("GRAMME_SEED");
    seed_state = chosen != NULL ? strtoull(chosen, NULL, 10) : 1;
    printf("# repeat with GRAMME_SEED=%llu\n", (unsigned long long)seed_state);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_are_as_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(looking_inside, setup, teardown),
        cmocka_unit_test(type_names),
        cmocka_unit_test_setup_teardown(sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(order_of_scalars, setup, teardown),
        cmocka_unit_test(check_refuses_other_bytes),
        cmocka_unit_test_setup_teardown(random_maps_are_sorted, setup, teardown),
        cmocka_unit_test_setup_teardown(sets_report_duplicates, setup, teardown),
        cmocka_unit_test_setup_teardown(a_value_can_be_taken_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_buffer_is_noticed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
