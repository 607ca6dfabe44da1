/* test_value_json.c - attribute values from JSON and back, and the text of every rule that one
 * value can break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_outcome.h"

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
        /* A member of the value that is null is absent, one that is unknown is ignored. */
        {"{\"S\":null,\"N\":\"1\"}", "{\"N\":\"1\"}"},
        {"{\"X\":{\"S\":[1,{}]},\"N\":\"1\",\"s\":5,\"BOOLS\":null}", "{\"N\":\"1\"}"},
        {"{\"L\":null,\"M\":null,\"SS\":null,\"NS\":null,\"BS\":null,\"N\":\"1\"}",
         "{\"N\":\"1\"}"},
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
        {"{\"sk\":{\"N\":\"1\"},\"pk\":{\"S\":\"x\"}}",
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

#define EMPTY_VALUE                                                                  \
    "V Supplied AttributeValue is empty, must contain exactly one of the supported " \
    "datatypes"
#define MANY_TYPES                                                                         \
    "V Supplied AttributeValue has more than one datatypes set, must contain exactly one " \
    "of the supported datatypes"
#define NULL_VALUE "V The supplied Item contains a null AttributeValue"
#define NULL_STRING "R " PREFIX "An string set may not have a null string as a member"
#define NULL_BINARY "R " PREFIX "Binary sets may not contain null or empty values"

/* The same words in both layers. */
static const struct example broken_rules[] = {
    {"null", NULL_VALUE},
    {"{\"L\":[null]}", NULL_VALUE},
    {"{\"L\":[{\"S\":\"a\"},null,{\"S\":\"b\"},null]}", NULL_VALUE},
    {"{\"M\":{\"k\":null}}", NULL_VALUE ": k is null"},
    {"{\"M\":{\"a\":{\"S\":\"x\"},\"k\":null,\"l\":null,\"b\":{\"S\":\"y\"}}}",
     NULL_VALUE ": k is null"},
    {"{\"M\":{\"\":null}}", NULL_VALUE ":  is null"},
    {"{\"L\":[{\"M\":{\"k\":null}}]}", NULL_VALUE ": k is null"},
    {"{\"M\":{\"k\":{\"L\":[null]}}}", NULL_VALUE},
    {"{\"S\":\"a\",\"L\":[null]}", NULL_VALUE},
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
    {"{\"SS\":[\"a\",null]}", NULL_STRING},
    {"{\"SS\":[null,\"a\"]}", NULL_STRING},
    {"{\"SS\":[null]}", NULL_STRING},
    {"{\"SS\":[null,null,\"\"]}", NULL_STRING},
    {"{\"BS\":[\"AA==\",null]}", NULL_BINARY},
    {"{\"BS\":[null]}", NULL_BINARY},
    {"{\"BS\":[null,null,\"\"]}", NULL_BINARY},
    {"{\"L\":[{\"SS\":[\"a\",null]},null]}", NULL_STRING},
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
        {"{\"NS\":[\"1\",null]}", "R The parameter cannot be converted to a numeric value: ",
         "R The parameter cannot be converted to a numeric value"},
        {"{\"NS\":[null,null]}", "R The parameter cannot be converted to a numeric value: ",
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
        {"{\"SS\":[\"d\",\"c\",\"d\",\"b\",\"c\",\"a\"]}",
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),
        cmocka_unit_test(items_come_back),
        cmocka_unit_test(wrong_shapes),
        cmocka_unit_test(wrong_shapes_by_place),
        cmocka_unit_test(rules_of_both_layers),
        cmocka_unit_test(rules_in_the_words_of_each_layer),
        cmocka_unit_test(a_nul_does_not_cut_texts),
    };
    return cmocka_run_group_tests_name("value_json", tests, NULL, NULL);
}
