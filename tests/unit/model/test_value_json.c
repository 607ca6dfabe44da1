/* test_value_json.c - attribute values from JSON and back, and the text of every rule they can
 * break.
 *
 * A case is an input and what comes of it, as text: the JSON written from what was built, or
 * "S <text>" for a SerializationException, "V <text>" for a bare ValidationException, "R <text>"
 * for one that counts as request level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/limits.h"
#include "model/value_json.h"

enum kind { ITEM, VALUE, MEMBER };

struct outcome {
    struct arena arena;
    struct buffer flat;
    struct buffer text;
    enum value_fault_kind fault;
};

static void outcome_release(struct outcome *outcome) {
    arena_release(&outcome->arena);
    buffer_release(&outcome->flat);
    buffer_release(&outcome->text);
}

static void print_error_outcome(struct outcome *outcome, const struct error *error) {
    assert_true(error->code == ERROR_SERIALIZATION || error->code == ERROR_VALIDATION);
    const char *kind = error->code == ERROR_SERIALIZATION ? "S" : error->request_level ? "R" : "V";
    buffer_append_text(&outcome->text, kind);
    if (slice_present(error->message)) {
        buffer_append_byte(&outcome->text, ' ');
        buffer_append_slice(&outcome->text, error->message);
    }
}

static void read_json(struct outcome *outcome, enum kind kind, enum value_layer layer,
                      struct slice json) {
    arena_init(&outcome->arena);
    buffer_init(&outcome->flat, 1 << 25);
    buffer_init(&outcome->text, 1 << 25);
    struct json_reader reader;
    json_reader_init(&reader, json, &outcome->arena);
    json_next(&reader);
    struct value_builder builder;
    value_builder_init(&builder, &outcome->flat, &outcome->arena);
    struct value_fault fault = {.layer = layer};
    struct error *error = kind == ITEM    ? item_read_json(&reader, &builder, &fault)
                          : kind == VALUE ? value_read_json(&reader, &builder, &fault)
                                          : value_member_read_json(&reader, &builder, &fault);
    outcome->fault = fault.kind;
    assert_int_equal(fault.error != NULL, fault.kind != VALUE_FAULT_NONE);
    if (error != NULL) {
        print_error_outcome(outcome, error);
        return;
    }
    /* Whatever was wrong with it, what was built is a well-formed value. */
    struct value value = value_builder_finish(&builder, &outcome->arena);
    assert_true(value_check(value_slice(value), LIMIT_NESTING + (kind == ITEM)));
    if (fault.error != NULL) {
        print_error_outcome(outcome, fault.error);
        return;
    }
    assert_true(json_finish(&reader));
    struct json_writer writer;
    json_writer_init(&writer, &outcome->text);
    if (kind == ITEM)
        item_write_json(&writer, value);
    else
        value_write_json(&writer, value);
}

static void check_text(struct outcome *outcome, struct slice json, const char *expected) {
    struct slice text = buffer_slice(&outcome->text);
    if (!slice_is(text, expected))
        print_error("%.*s\n  gives    %.*s\n  expected %s\n", SLICE_ARGS(json), SLICE_ARGS(text),
                    expected);
    assert_true(slice_is(text, expected));
}

static void check(enum kind kind, enum value_layer layer, const char *json, const char *expected) {
    struct outcome outcome;
    read_json(&outcome, kind, layer, slice_text(json));
    check_text(&outcome, slice_text(json), expected);
    outcome_release(&outcome);
}

struct example {
    const char *json;
    const char *expected; /* NULL: the same as the input */
};

static void check_all(enum kind kind, enum value_layer layer, const struct example *cases,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        check(kind, layer, cases[i].json,
              cases[i].expected == NULL ? cases[i].json : cases[i].expected);
}

#define CHECK_ALL(kind, layer, cases) \
    check_all(kind, layer, cases, sizeof(cases) / sizeof((cases)[0]))

#define LONG_20 "abcdefghijklmnopqrst"

static void values_come_back(void **state) {
    (void)state;
    static const struct example cases[] = {
        {"{\"S\":\"x\"}", NULL},
        {"{\"S\":\"\"}", NULL},
        {"{\"S\":\"" LONG_20 LONG_20 LONG_20 LONG_20 LONG_20 LONG_20 LONG_20 "\"}", NULL},
        {"{\"S\":\"\\\"\\\\\\n\\u0001\xC3\xA9\"}", NULL},
        {" { \"S\" : \"\\u0041\\/\" } ", "{\"S\":\"A/\"}"},
        {"{\"N\":\"1\"}", NULL},
        {"{\"N\":\"-1.50e1\"}", "{\"N\":\"-15\"}"},
        {"{\"B\":\"\"}", NULL},
        {"{\"B\":\"AAEC/w==\"}", NULL},
        {"{\"BOOL\":true}", NULL},
        {"{\"BOOL\":false}", NULL},
        {"{\"BOOL\":\"true\"}", "{\"BOOL\":true}"},
        {"{\"BOOL\":\"YES\"}", "{\"BOOL\":true}"},
        {"{\"BOOL\":\"1\"}", "{\"BOOL\":true}"},
        {"{\"BOOL\":\"False\"}", "{\"BOOL\":false}"},
        {"{\"BOOL\":\"no\"}", "{\"BOOL\":false}"},
        {"{\"BOOL\":\"0\"}", "{\"BOOL\":false}"},
        {"{\"NULL\":true}", NULL},
        {"{\"NULL\":\"Yes\"}", "{\"NULL\":true}"},
        {"{\"SS\":[\"b\",\"a\",\"\",\"ab\"]}", "{\"SS\":[\"\",\"a\",\"ab\",\"b\"]}"},
        {"{\"NS\":[\"10\",\"-1\",\"9\",\"1e-3\"]}", "{\"NS\":[\"-1\",\"0.001\",\"9\",\"10\"]}"},
        {"{\"BS\":[\"/w==\",\"AA==\",\"\"]}", "{\"BS\":[\"\",\"AA==\",\"/w==\"]}"},
        {"{\"L\":[]}", NULL},
        {"{\"L\":[{\"S\":\"b\"},{\"N\":\"1\"},{\"L\":[{\"NULL\":true}]},{\"S\":\"a\"}]}", NULL},
        {"{\"M\":{}}", NULL},
        {"{\"M\":{\"b\":{\"S\":\"x\"},\"a\":{\"M\":{\"z\":{\"N\":\"1\"},\"y\":{\"BOOL\":true}}}}}",
         "{\"M\":{\"a\":{\"M\":{\"y\":{\"BOOL\":true},\"z\":{\"N\":\"1\"}}},\"b\":{\"S\":\"x\"}}}"},
        /* null is absent, what is unknown is ignored. */
        {"{\"S\":null,\"N\":\"1\"}", "{\"N\":\"1\"}"},
        {"{\"X\":{\"S\":[1,{}]},\"N\":\"1\",\"s\":5,\"BOOLS\":null}", "{\"N\":\"1\"}"},
        {"{\"L\":[null,{\"S\":\"a\"},null]}", "{\"L\":[{\"S\":\"a\"}]}"},
        {"{\"SS\":[null,\"a\"]}", "{\"SS\":[\"a\"]}"},
        {"{\"M\":{\"a\":null,\"b\":{\"S\":\"x\"}}}", "{\"M\":{\"b\":{\"S\":\"x\"}}}"},
        /* The later of two equal names. */
        {"{\"S\":\"a\",\"S\":\"b\"}", "{\"S\":\"b\"}"},
        {"{\"M\":{\"a\":{\"S\":\"x\"},\"b\":{\"S\":\"y\"},\"a\":{\"S\":\"z\"}}}",
         "{\"M\":{\"a\":{\"S\":\"z\"},\"b\":{\"S\":\"y\"}}}"},
    };
    CHECK_ALL(VALUE, VALUE_LAYER_CURRENT, cases);
    CHECK_ALL(MEMBER, VALUE_LAYER_OLDER, cases);
}

static void items_come_back(void **state) {
    (void)state;
    static const struct example cases[] = {
        {"{}", NULL},
        {"{\"pk\":{\"S\":\"x\"}}", NULL},
        {"{\"sk\":{\"N\":\"1\"},\"pk\":{\"S\":\"x\"},\"gone\":null}",
         "{\"pk\":{\"S\":\"x\"},\"sk\":{\"N\":\"1\"}}"},
        {"{\"\xC3\xA9\":{\"S\":\"x\"},\"z\":{\"S\":\"y\"},\"a b\":{\"S\":\"\"}}",
         "{\"a b\":{\"S\":\"\"},\"z\":{\"S\":\"y\"},\"\xC3\xA9\":{\"S\":\"x\"}}"},
        {"{\"abcdefgh2\":{\"N\":\"2\"},\"abcdefgh1\":{\"N\":\"1\"},\"abcdefgh\":{\"N\":\"0\"}}",
         "{\"abcdefgh\":{\"N\":\"0\"},\"abcdefgh1\":{\"N\":\"1\"},\"abcdefgh2\":{\"N\":\"2\"}}"},
    };
    CHECK_ALL(ITEM, VALUE_LAYER_CURRENT, cases);
}

static void wrong_shapes(void **state) {
    (void)state;
    static const struct example cases[] = {
        {"{\"S\":true}", "S TRUE_VALUE cannot be converted to String"},
        {"{\"S\":false}", "S FALSE_VALUE cannot be converted to String"},
        {"{\"S\":1}", "S NUMBER_VALUE cannot be converted to String"},
        {"{\"N\":1.5}", "S DECIMAL_VALUE cannot be converted to String"},
        {"{\"S\":[]}", "S Unrecognized collection type class java.lang.String"},
        {"{\"N\":{}}", "S Start of structure or map found where not expected"},
        {"{\"BOOL\":1}", "S NUMBER_VALUE cannot be converted to Boolean"},
        {"{\"BOOL\":1.0}", "S DECIMAL_VALUE cannot be converted to Boolean"},
        {"{\"BOOL\":[]}", "S Unrecognized collection type class java.lang.Boolean"},
        {"{\"BOOL\":{}}", "S Start of structure or map found where not expected"},
        {"{\"BOOL\":\"maybe\"}", "S Unexpected token received from parser"},
        {"{\"NULL\":\"\"}", "S Unexpected token received from parser"},
        {"{\"NULL\":0}", "S NUMBER_VALUE cannot be converted to Boolean"},
        {"{\"B\":true}", "S only base-64-encoded strings are convertible to bytes"},
        {"{\"B\":1}", "S only base-64-encoded strings are convertible to bytes"},
        {"{\"B\":[]}", "S Unrecognized collection type class java.nio.ByteBuffer"},
        {"{\"B\":{}}", "S Start of structure or map found where not expected"},
        {"{\"B\":\"AAA\"}",
         "S Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
        {"{\"B\":\"AAAAA\"}",
         "S Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
        {"{\"B\":\"AAB=\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"B\":\"AB==\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"B\":\"A===\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"B\":\"====\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"B\":\"A*==\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"B\":\"AA==AAAA\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"B\":\"AA-_\"}", "S Invalid last non-pad Base64 character dectected"},
        {"{\"SS\":\"a\"}", "S Unexpected field type"},
        {"{\"NS\":1}", "S Unexpected field type"},
        {"{\"BS\":true}", "S Unexpected field type"},
        {"{\"L\":\"a\"}", "S Unexpected field type"},
        {"{\"SS\":{}}", "S Start of structure or map found where not expected"},
        {"{\"L\":{}}", "S Start of structure or map found where not expected"},
        {"{\"SS\":[1]}", "S NUMBER_VALUE cannot be converted to String"},
        {"{\"NS\":[1]}", "S NUMBER_VALUE cannot be converted to String"},
        {"{\"NS\":[[]]}", "S Unrecognized collection type class java.lang.String"},
        {"{\"BS\":[1]}", "S only base-64-encoded strings are convertible to bytes"},
        {"{\"BS\":[\"A\"]}",
         "S Base64 encoded length is expected a multiple of 4 bytes but found: 1"},
        {"{\"L\":[1]}", "S Unexpected value type in payload"},
        {"{\"L\":[\"a\"]}", "S Unexpected value type in payload"},
        {"{\"L\":[[]]}", "S Unrecognized collection type class "
                         "com.amazonaws.dynamodb.v20120810.AttributeValue"},
        {"{\"M\":1}", "S Unexpected field type"},
        {"{\"M\":[]}", "S Unrecognized collection type java.util.Map<java.lang.String, "
                       "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
        {"{\"M\":{\"a\":1}}", "S Unexpected value type in payload"},
        {"{\"M\":{\"a\":[]}}", "S Unrecognized collection type class "
                               "com.amazonaws.dynamodb.v20120810.AttributeValue"},
        /* The wrong shape wins over broken rules before it. */
        {"{\"L\":[{},{\"N\":\"x\"},{\"S\":1}]}", "S NUMBER_VALUE cannot be converted to String"},
        /* Bad JSON has no text. */
        {"{\"S\":\"x\"", "S"},
        {"{\"S\":x}", "S"},
        {"{\"SS\":[\"x\"}", "S"},
        {"{\"L\":[{\"S\":\"x\"}", "S"},
        {"{\"M\":{\"a\"}}", "S"},
        {"{\"M\":{\"a\":}}", "S"},
        {"{\"B\":nul}", "S"},
        {"{\"X\":[1,]}", "S"},
        {"{\"S\":\"\\ud800\"}", "S"},
    };
    CHECK_ALL(VALUE, VALUE_LAYER_CURRENT, cases);
    CHECK_ALL(MEMBER, VALUE_LAYER_OLDER, cases);
}

static void wrong_shapes_by_place(void **state) {
    (void)state;
    check(VALUE, VALUE_LAYER_CURRENT, "\"x\"", "S Unexpected value type in payload");
    check(MEMBER, VALUE_LAYER_CURRENT, "\"x\"", "S Unexpected field type");
    check(ITEM, VALUE_LAYER_CURRENT, "\"x\"", "S Unexpected field type");
    check(ITEM, VALUE_LAYER_CURRENT, "{\"a\":true}", "S Unexpected value type in payload");
    check(MEMBER, VALUE_LAYER_CURRENT, "[]",
          "S Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
    check(ITEM, VALUE_LAYER_CURRENT, "[]",
          "S Unrecognized collection type java.util.Map<java.lang.String, "
          "com.amazonaws.dynamodb.v20120810.AttributeValue>");
    check(ITEM, VALUE_LAYER_CURRENT, "", "S");
}

#define PREFIX "One or more parameter values were invalid: "
#define EMPTY_VALUE                                                                  \
    "V Supplied AttributeValue is empty, must contain exactly one of the supported " \
    "datatypes"
#define MANY_TYPES                                                                         \
    "V Supplied AttributeValue has more than one datatypes set, must contain exactly one " \
    "of the supported datatypes"
#define NOT_NUMERIC "R The parameter cannot be converted to a numeric value: "

/* The same words in both layers. */
static const struct example broken_rules[] = {
    {"{}", EMPTY_VALUE},
    {"{\"X\":\"a\",\"S\":null}", EMPTY_VALUE},
    {"{\"S\":\"a\",\"N\":\"1\"}", MANY_TYPES},
    {"{\"S\":\"a\",\"B\":\"\",\"S\":\"b\"}", MANY_TYPES},
    {"{\"S\":\"a\",\"N\":\"x\"}", NOT_NUMERIC "x"},
    {"{\"N\":\"x\",\"S\":\"a\"}", NOT_NUMERIC "x"},
    {"{\"NULL\":false}", "R " PREFIX "Null attribute value types must have the value of true"},
    {"{\"NULL\":\"no\"}", "R " PREFIX "Null attribute value types must have the value of true"},
    {"{\"SS\":[]}", "R " PREFIX "An string set  may not be empty"},
    {"{\"NS\":[]}", "R " PREFIX "An number set  may not be empty"},
    {"{\"BS\":[]}", "R " PREFIX "Binary sets should not be empty"},
    {"{\"SS\":[null]}", "R " PREFIX "An string set  may not be empty"},
    {"{\"N\":\"1e126\"}", "R Number overflow. Attempting to store a number with magnitude larger "
                          "than supported range"},
    {"{\"N\":\"1e-131\"}", "R Number underflow. Attempting to store a number with magnitude "
                           "smaller than supported range"},
    {"{\"N\":\"1.00000000000000000000000000000000000001\"}",
     "R Attempting to store more than 38 significant digits in a Number"},
    {"{\"N\":\" 1\"}", NOT_NUMERIC " 1"},
    {"{\"NS\":[\"1\",\"1\",\"b\",\"c\"]}", NOT_NUMERIC "b"},
    /* The first one in the order of the request. */
    {"{\"L\":[{\"SS\":[]},{\"N\":\"x\"}]}", "R " PREFIX "An string set  may not be empty"},
    {"{\"L\":[{\"N\":\"x\"},{\"SS\":[]}]}", NOT_NUMERIC "x"},
    {"{\"M\":{\"b\":{\"N\":\"b\"},\"a\":{\"N\":\"a\"}}}", NOT_NUMERIC "b"},
    {"{\"M\":{\"\":{\"S\":\"a\"}}}", "V Empty attribute name"},
    {"{\"M\":{\"\":{\"N\":\"x\"}}}", "V Empty attribute name"},
    {"{\"M\":{\"a\":{\"N\":\"x\"},\"\":{\"S\":\"a\"}}}", NOT_NUMERIC "x"},
};

static void rules_of_both_layers(void **state) {
    (void)state;
    CHECK_ALL(VALUE, VALUE_LAYER_CURRENT, broken_rules);
    CHECK_ALL(VALUE, VALUE_LAYER_OLDER, broken_rules);
}

static void rules_in_the_words_of_each_layer(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *current;
        const char *older;
    } cases[] = {
        {"{\"N\":\"\"}", "R The parameter cannot be converted to a numeric value: ",
         "R The parameter cannot be converted to a numeric value"},
        {"{\"SS\":[\"b\",\"a\",\"b\"]}",
         "R " PREFIX "Input collection [\"a\", \"b\", \"b\"] contains duplicates.",
         "R " PREFIX "Input collection [b, a, b] contains duplicates."},
        {"{\"BS\":[\"/w==\",\"AA==\",\"AA==\"]}",
         "R " PREFIX "Input collection [\"AA==\",\"/w==\",\"AA==\"]of type BS contains duplicates.",
         "R " PREFIX "Input collection [/w==, AA==, AA==]of type BS contains duplicates."},
        {"{\"NS\":[\"2\",\"1\",\"2.0\"]}", "R " PREFIX "Input collection contains duplicates.",
         "R Input collection contains duplicates"},
        /* Up to the first repeat in byte order, then as sent. */
        {"{\"SS\":[\"d\",\"c\",null,\"d\",\"b\",\"c\",\"a\"]}",
         "R " PREFIX
         "Input collection [\"c\", \"d\", \"d\", \"b\", \"c\", \"a\"] contains duplicates.",
         "R " PREFIX "Input collection [d, c, d, b, c, a] contains duplicates."},
        {"{\"SS\":[\"\",\"\"]}", "R " PREFIX "Input collection [\"\", \"\"] contains duplicates.",
         "R " PREFIX "Input collection [, ] contains duplicates."},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(VALUE, VALUE_LAYER_CURRENT, cases[i].json, cases[i].current);
        check(VALUE, VALUE_LAYER_OLDER, cases[i].json, cases[i].older);
    }
}

static void a_nul_does_not_cut_texts(void **state) {
    (void)state;
    struct outcome outcome;
    read_json(&outcome, VALUE, VALUE_LAYER_CURRENT, slice_text("{\"N\":\"1\\u00002\"}"));
    assert_true(slice_equal(
        buffer_slice(&outcome.text),
        SLICE_LITERAL("R The parameter cannot be converted to a numeric value: 1\0002")));
    outcome_release(&outcome);
    read_json(&outcome, VALUE, VALUE_LAYER_OLDER, slice_text("{\"SS\":[\"\\u0000\",\"\\u0000\"]}"));
    assert_true(
        slice_equal(buffer_slice(&outcome.text),
                    SLICE_LITERAL("R " PREFIX "Input collection [\0, \0] contains duplicates.")));
    outcome_release(&outcome);
}

static void names_of_an_item(void **state) {
    (void)state;
    static const struct example cases[] = {
        {"{\"\":{\"S\":\"a\"}}", "V Empty attribute name"},
        /* Before the item's values, wherever it stands. */
        {"{\"a\":{\"N\":\"x\"},\"\":{\"S\":\"a\"}}", "V Empty attribute name"},
        {"{\"a\":{\"M\":{\"\":{\"S\":\"a\"}}},\"b\":{\"N\":\"x\"}}", "V Empty attribute name"},
        {"{\"a\":{\"N\":\"x\"},\"b\":{\"M\":{\"\":{\"S\":\"a\"}}}}", NOT_NUMERIC "x"},
        {"{\"\":null}", "{}"},
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

/* The first repeat of a large set is found without comparing all pairs. */
static void large_sets(void **state) {
    (void)state;
    struct buffer json;
    buffer_init(&json, 1 << 25);
    buffer_append_text(&json, "{\"SS\":[");
    for (int i = 0; i < 300000; i++)
        buffer_printf(&json, "\"%d\",", 999999 - i);
    buffer_append_text(&json, "\"800000\"]}");
    struct outcome outcome;
    read_json(&outcome, VALUE, VALUE_LAYER_CURRENT, buffer_slice(&json));
    struct slice text = buffer_slice(&outcome.text);
    struct slice start = SLICE_LITERAL("R " PREFIX "Input collection [\"700000\", \"700001\", ");
    struct slice end = SLICE_LITERAL("\"999999\", \"800000\"] contains duplicates.");
    assert_true(slice_starts_with(text, start));
    assert_true(text.len > end.len && slice_equal(slice_skip(text, text.len - end.len), end));
    outcome_release(&outcome);
    buffer_release(&json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(items_come_back),
        cmocka_unit_test(wrong_shapes),
        cmocka_unit_test(wrong_shapes_by_place),
        cmocka_unit_test(rules_of_both_layers),
        cmocka_unit_test(rules_in_the_words_of_each_layer),
        cmocka_unit_test(a_nul_does_not_cut_texts),
        cmocka_unit_test(names_of_an_item),
        cmocka_unit_test(long_names),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(a_nested_empty_name_comes_after_depth),
        cmocka_unit_test(kinds_of_faults),
        cmocka_unit_test(the_first_item_with_a_fault_wins),
        cmocka_unit_test(large_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
