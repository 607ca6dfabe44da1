/* test_value_json_limits.c - what is checked of an item beyond its single values: names, depth,
 * which fault is told, large sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_outcome.h"

static void names_of_an_item(void **state) {
    (void)state;
    static const struct example cases[] = {
        {"{\"\":{\"S\":\"a\"}}", "V Empty attribute name"},
        /* Before the item's values, wherever it stands. */
        {"{\"a\":{\"N\":\"x\"},\"\":{\"S\":\"a\"}}", "V Empty attribute name"},
        {"{\"a\":{\"M\":{\"\":{\"S\":\"a\"}}},\"b\":{\"N\":\"x\"}}", "V Empty attribute name"},
        {"{\"a\":{\"N\":\"x\"},\"b\":{\"M\":{\"\":{\"S\":\"a\"}}}}", NOT_NUMERIC "x"},
        {"null", "V The supplied Item contains a null AttributeValue"},
        {"{\"a\":{\"S\":\"x\"},\"b\":null}",
         "V The supplied Item contains a null AttributeValue: b is null"},
        {"{\"\":null}", "V The supplied Item contains a null AttributeValue:  is null"},
        {"{\"a\":null,\"\":{\"S\":\"a\"}}", "V Empty attribute name"},
    };
    CHECK_ALL(ITEM, VALUE_LAYER_CURRENT, cases);
    CHECK_ALL(ITEM, VALUE_LAYER_OLDER, cases);
}

static void long_names(void **state) {
    (void)state;
    static const size_t lengths[] = {LIMIT_ATTRIBUTE_NAME_BYTES, LIMIT_ATTRIBUTE_NAME_BYTES + 1};
    for (size_t i = 0; i < 2; i++) {
        struct buffer json;
        buffer_init(&json, 1 << 20);
        buffer_append_text(&json, "{\"");
        for (size_t n = 0; n < lengths[i]; n++)
            buffer_append_byte(&json, 'n');
        buffer_append_text(&json, "\":{\"S\":\"\"}}");
        struct outcome outcome;
        read_json(&outcome, ITEM, VALUE_LAYER_CURRENT, buffer_slice(&json));
        if (i == 0)
            assert_true(slice_equal(buffer_slice(&outcome.text), buffer_slice(&json)));
        else
            check_text(&outcome, slice_text("a long name"),
                       "V Attribute name is too large, must be less than 65536 bytes");
        outcome_release(&outcome);
        buffer_release(&json);
    }
}

/* {"a":{"L":[{"M":{"x":...leaf...}}]}} with `wrappers` of L and M in turn. */
static void append_nested(struct buffer *json, int wrappers, const char *leaf) {
    for (int i = 0; i < wrappers; i++)
        buffer_append_text(json, i % 2 == 0 ? "{\"L\":[" : "{\"M\":{\"x\":");
    buffer_append_text(json, leaf);
    for (int i = wrappers - 1; i >= 0; i--)
        buffer_append_text(json, i % 2 == 0 ? "]}" : "}}");
}

#define TOO_DEEP                                                                           \
    "V Nesting Levels have exceeded supported limits: Attributes in the item have nested " \
    "levels beyond supported limit"

static void nesting_is_limited(void **state) {
    (void)state;
    static const struct {
        int wrappers;
        const char *leaf;
        const char *expected; /* NULL: comes back */
    } cases[] = {
        {31, "{\"S\":\"a\"}", NULL},
        {31, "{\"L\":[]}", NULL},
        {31, "{\"N\":\"x\"}", NOT_NUMERIC "x"},
        {32, "{\"S\":\"a\"}", TOO_DEEP},
        {32, "{\"N\":\"x\"}", TOO_DEEP},
        {40, "{\"SS\":[\"a\",\"a\"]}", TOO_DEEP},
        {32, "{\"S\":1}", "S NUMBER_VALUE cannot be converted to String"},
        {200, "{\"S\":\"a\"}", TOO_DEEP},
        {200, "{\"S\":\"a\"", "S"},
        {260, "{\"S\":\"a\"}", "S"}, /* beyond the reader's own limit */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buffer json;
        buffer_init(&json, 1 << 20);
        buffer_append_text(&json, "{\"a\":");
        append_nested(&json, cases[i].wrappers, cases[i].leaf);
        buffer_append_byte(&json, '}');
        struct outcome outcome;
        read_json(&outcome, ITEM, VALUE_LAYER_CURRENT, buffer_slice(&json));
        buffer_append_byte(&json, 0);
        check_text(&outcome, slice_text("nested"),
                   cases[i].expected == NULL ? (const char *)json.data : cases[i].expected);
        outcome_release(&outcome);
        buffer_release(&json);
    }
}

/* The older layer lets a value that is no attribute be one level deeper. */
static void nesting_of_single_values(void **state) {
    (void)state;
    static const struct {
        enum value_layer layer;
        int wrappers;
        bool fine;
    } cases[] = {
        {VALUE_LAYER_CURRENT, 31, true}, {VALUE_LAYER_CURRENT, 32, false},
        {VALUE_LAYER_OLDER, 32, true},   {VALUE_LAYER_OLDER, 33, false},
        {VALUE_LAYER_OLDER, 40, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buffer json;
        buffer_init(&json, 1 << 20);
        append_nested(&json, cases[i].wrappers, "{\"S\":\"a\"}");
        struct outcome outcome;
        read_json(&outcome, VALUE, cases[i].layer, buffer_slice(&json));
        buffer_append_byte(&json, 0);
        check_text(&outcome, slice_text("nested"),
                   cases[i].fine ? (const char *)json.data : TOO_DEEP);
        outcome_release(&outcome);
        buffer_release(&json);
    }
}

static void a_nested_empty_name_comes_after_depth(void **state) {
    (void)state;
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"a\":{\"M\":{\"\":{\"S\":\"a\"}}},\"b\":");
    append_nested(&json, 32, "{\"S\":\"a\"}");
    buffer_append_text(&json, ",\"c\":{\"N\":\"x\"}}");
    struct outcome outcome;
    read_json(&outcome, ITEM, VALUE_LAYER_CURRENT, buffer_slice(&json));
    check_text(&outcome, buffer_slice(&json), TOO_DEEP);
    assert_int_equal(outcome.fault, VALUE_FAULT_DEPTH);
    outcome_release(&outcome);
    buffer_release(&json);
}

static void an_empty_name_comes_before_depth(void **state) {
    (void)state;
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"\":{\"S\":\"a\"},\"b\":");
    append_nested(&json, 32, "{\"S\":\"a\"}");
    buffer_append_byte(&json, '}');
    struct outcome outcome;
    read_json(&outcome, ITEM, VALUE_LAYER_OLDER, buffer_slice(&json));
    check_text(&outcome, buffer_slice(&json), "V Empty attribute name");
    assert_int_equal(outcome.fault, VALUE_FAULT_ITEM_NAME);
    outcome_release(&outcome);
    buffer_release(&json);
}

static void kinds_of_faults(void **state) {
    (void)state;
    static const struct {
        const char *json;
        enum value_fault_kind kind;
    } cases[] = {
        {"{\"S\":\"a\"}", VALUE_FAULT_NONE},
        {"{}", VALUE_FAULT_SHAPE},
        {"{\"S\":\"a\",\"N\":\"1\"}", VALUE_FAULT_SHAPE},
        {"{\"NULL\":false}", VALUE_FAULT_RULE},
        {"{\"SS\":[]}", VALUE_FAULT_RULE},
        {"{\"N\":\"x\"}", VALUE_FAULT_NUMBER},
        {"{\"NS\":[\"x\"]}", VALUE_FAULT_NUMBER},
        {"{\"NS\":[\"1\",\"1\"]}", VALUE_FAULT_DUPLICATE},
        {"{\"M\":{\"\":{\"S\":\"\"}}}", VALUE_FAULT_NAME},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outcome outcome;
        read_json(&outcome, VALUE, VALUE_LAYER_CURRENT, slice_text(cases[i].json));
        assert_int_equal(outcome.fault, cases[i].kind);
        outcome_release(&outcome);
    }
}

/* One fault for several items: the first item's stays, even when a later one has a name fault. */
static void the_first_item_with_a_fault_wins(void **state) {
    (void)state;
    struct arena arena;
    struct buffer flat;
    arena_init(&arena);
    buffer_init(&flat, 4096);
    struct json_reader reader;
    json_reader_init(&reader,
                     slice_text("[{\"a\":{\"S\":\"\"}},{\"a\":{\"N\":\"x\"}},{\"\":{\"S\":\"\"}}]"),
                     &arena);
    json_next(&reader);
    struct value_fault fault = {0};
    struct value_builder builder;
    value_builder_init(&builder, &flat, &arena);
    while (json_next(&reader) != JSON_ARRAY_END)
        assert_null(item_read_json(&reader, &builder, &fault));
    assert_non_null(fault.error);
    assert_true(slice_is(fault.error->message, NOT_NUMERIC "x" + 2));
    arena_release(&arena);
    buffer_release(&flat);
}

/* A set that falls from 999999, with a member again at its end. */
static void read_large_set(int count, const char *repeat, struct outcome *ret_outcome) {
    struct buffer json;
    buffer_init(&json, 1 << 25);
    buffer_append_text(&json, "{\"SS\":[");
    for (int i = 0; i < count; i++)
        buffer_printf(&json, "\"%d\",", 999999 - i);
    buffer_printf(&json, "\"%s\"]}", repeat);
    read_json(ret_outcome, VALUE, VALUE_LAYER_CURRENT, buffer_slice(&json));
    buffer_release(&json);
}

static void expect_ends(struct slice text, struct slice start, struct slice end) {
    assert_true(slice_starts_with(text, start));
    assert_true(text.len > end.len && slice_equal(slice_skip(text, text.len - end.len), end));
}

/* The first repeat of a large set is found without comparing all pairs. */
static void large_sets(void **state) {
    (void)state;
    struct outcome outcome;
    read_large_set(7000, "998000", &outcome);
    expect_ends(buffer_slice(&outcome.text),
                SLICE_LITERAL("R " PREFIX "Input collection [\"993000\", \"993001\", "),
                SLICE_LITERAL("\"999999\", \"998000\"] contains duplicates."));
    outcome_release(&outcome);
}

/* Of one that is too long to be told the first members are. */
static void sets_that_are_quoted_in_part(void **state) {
    (void)state;
    struct outcome outcome;
    read_large_set(300000, "800000", &outcome);
    struct slice text = buffer_slice(&outcome.text);
    expect_ends(text, SLICE_LITERAL("R " PREFIX "Input collection [\"99"),
                SLICE_LITERAL("\"999998\", \"999999\"] contains duplicates."));
    assert_in_range(text.len, 64 * 1024, 80 * 1024);
    outcome_release(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_an_item),
        cmocka_unit_test(long_names),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(nesting_of_single_values),
        cmocka_unit_test(a_nested_empty_name_comes_after_depth),
        cmocka_unit_test(an_empty_name_comes_before_depth),
        cmocka_unit_test(kinds_of_faults),
        cmocka_unit_test(the_first_item_with_a_fault_wins),
        cmocka_unit_test(large_sets),
        cmocka_unit_test(sets_that_are_quoted_in_part),
    };
    return cmocka_run_group_tests_name("value_json_limits", tests, NULL, NULL);
}
