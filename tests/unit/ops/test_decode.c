/* test_decode.c - JSON into requests, and the texts of SerializationExceptions. */
#include "ops_test.h"

#include "ops/item/batch_input.h"
#include "ops/item/item_input.h"
#include "ops/read/read_input.h"
#include "ops/table/create_table.h"

#define SERIALIZATION "SerializationException: "

static void members_go_to_their_places(void **state) {
    struct query_request *r = decoded(
        *state, &query_shape,
        "{\"TableName\":\"t\\u0061b\",\"Limit\":17,\"ConsistentRead\":true,\"Unknown\":{\"a\":[1]},"
        "\"IndexName\":null,\"ScanIndexForward\":false,\"AttributesToGet\":[\"a\",null,\"b\"],"
        "\"ExpressionAttributeNames\":{\"#a\":\"x\",\"#b\":\"y\"},"
        "\"ExpressionAttributeValues\":{\":v\":{\"S\":\"w\"},\":bad\":{\"N\":\"z\"},\":n\":null},"
        "\"ExclusiveStartKey\":{\"pk\":{\"S\":\"k\"}},\"KeyConditions\":{\"a\":{"
        "\"ComparisonOperator\":\"EQ\"}}}");
    assert_true(slice_is(r->table_name, "tab"));
    assert_false(slice_present(r->index_name));
    assert_true(r->limit.present && r->limit.value == 17);
    assert_true(r->consistent_read.present && r->consistent_read.value);
    assert_true(r->scan_index_forward.present && !r->scan_index_forward.value);
    assert_int_equal(r->attributes_to_get.count, 2);
    assert_true(slice_is(((struct slice *)r->attributes_to_get.items)[1], "b"));
    assert_int_equal(r->expression_attribute_names.count, 2);
    struct field_pair *names = r->expression_attribute_names.items;
    assert_true(slice_is(names[1].key, "#b") && slice_is(names[1].value, "y"));
    struct field_value *values = r->expression_attribute_values.items;
    assert_int_equal(r->expression_attribute_values.count, 2);
    assert_true(slice_is(value_scalar(values[0].value), "w"));
    assert_null(values[0].fault);
    assert_non_null(values[1].fault);
    assert_int_equal(values[1].fault_kind, VALUE_FAULT_NUMBER);
    assert_true(slice_is(values[1].key, ":bad"));
    assert_true(r->key_conditions.present);
    assert_false(r->query_filter.present);
    assert_int_equal(value_count(r->exclusive_start_key.value), 1);
    assert_null(r->exclusive_start_key.fault);
}

static void later_values_of_a_name_stand(void **state) {
    struct get_item_request *r =
        decoded(*state, &get_item_shape,
                "{\"TableName\":\"a\",\"TableName\":\"b\",\"ExpressionAttributeNames\":"
                "{\"#a\":\"x\",\"#b\":\"y\",\"#a\":\"z\"}}");
    assert_true(slice_is(r->table_name, "b"));
    struct field_pair *names = r->expression_attribute_names.items;
    assert_int_equal(r->expression_attribute_names.count, 2);
    assert_true(slice_is(names[0].key, "#a") && slice_is(names[0].value, "z"));
}

static void items_lie_side_by_side(void **state) {
    struct put_item_request *r = decoded(
        *state, &put_item_shape,
        "{\"Item\":{\"b\":{\"N\":\"1\"},\"a\":{\"S\":\"x\"}},"
        "\"ExpressionAttributeValues\":{\":a\":{\"SS\":[\"q\",\"p\"]},\":b\":{\"NULL\":true}}}");
    assert_true(value_check(value_slice(r->item.value), 33));
    assert_true(slice_is(value_scalar(value_map_find(r->item.value, SLICE_LITERAL("a"))), "x"));
    struct field_value *values = r->expression_attribute_values.items;
    assert_true(value_check(value_slice(values[0].value), 33));
    assert_int_equal(value_count(values[0].value), 2);
    assert_int_equal(value_type(values[1].value), VALUE_NULL);
}

static void lists_and_maps_of_structures(void **state) {
    struct batch_write_item_request *r =
        decoded(*state, &batch_write_item_shape,
                "{\"RequestItems\":{\"t1\":[{\"PutRequest\":{\"Item\":{\"a\":{\"S\":\"1\"}}}},"
                "{\"DeleteRequest\":{\"Key\":{\"a\":{\"S\":\"2\"}}}}],\"t2\":[]}}");
    struct field_named_list *tables = r->request_items.items;
    assert_int_equal(r->request_items.count, 2);
    assert_true(slice_is(tables[0].key, "t1") && slice_is(tables[1].key, "t2"));
    assert_int_equal(tables[0].list.count, 2);
    assert_int_equal(tables[1].list.count, 0);
    assert_true(tables[1].list.present);
    struct write_request *writes = tables[0].list.items;
    assert_non_null(writes[0].put_request);
    assert_null(writes[0].delete_request);
    assert_int_equal(value_count(writes[1].delete_request->key.value), 1);

    struct batch_get_item_request *get =
        decoded(*state, &batch_get_item_shape,
                "{\"RequestItems\":{ \"t1\" : {\"Keys\":[{\"a\":{\"S\":\"1\"}},{}]} } }");
    struct keys_and_attributes *table = get->request_items.items;
    assert_true(slice_is(table->table_name, "t1"));
    assert_int_equal(table->keys.count, 2);
    assert_true(
        slice_is(get->request_items.json, "{ \"t1\" : {\"Keys\":[{\"a\":{\"S\":\"1\"}},{}]} }"));
}

static void many_elements_are_kept_in_order(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"AttributesToGet\":[");
    for (int i = 0; i < 1000; i++)
        buffer_printf(&json, "%s\"a%d\"", i == 0 ? "" : ",", i);
    buffer_append_text(&json, "]}");
    buffer_append_byte(&json, 0);
    struct get_item_request *r = decoded(*state, &get_item_shape, (const char *)json.data);
    assert_int_equal(r->attributes_to_get.count, 1000);
    assert_true(slice_is(((struct slice *)r->attributes_to_get.items)[999], "a999"));
    buffer_release(&json);
}

static void numbers_are_cut_and_bounded(void **state) {
    static const struct {
        const char *text;
        int64_t value;
    } fine[] = {{"5", 5},      {"-5", -5},   {"3.9", 3},
                {"-3.9", -3},  {"1e2", 100}, {"2147483647", 2147483647},
                {"0.0001", 0}, {"-0", 0},    {"-2147483648", -2147483648LL}};
    for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
        struct slice json = arena_printf(*state, "{\"Limit\":%s}", fine[i].text);
        struct query_request *r = decoded(*state, &query_shape, (const char *)json.data);
        assert_int_equal(r->limit.value, fine[i].value);
    }
    struct create_table_request *r =
        decoded(*state, &create_table_shape,
                "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":9223372036854775807,"
                "\"WriteCapacityUnits\":-9223372036854775808}}");
    assert_int_equal(r->provisioned_throughput->read_capacity_units.value, INT64_MAX);
    assert_int_equal(r->provisioned_throughput->write_capacity_units.value, INT64_MIN);
    assert_string_equal(decode_text(*state, &query_shape, "{\"Limit\":2147483648}"),
                        SERIALIZATION "NUMBER_VALUE cannot be converted to Integer");
    assert_string_equal(decode_text(*state, &query_shape, "{\"Limit\":1e99}"),
                        SERIALIZATION "DECIMAL_VALUE cannot be converted to Integer");
    assert_string_equal(decode_text(*state, &create_table_shape,
                                    "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":"
                                    "9223372036854775808}}"),
                        SERIALIZATION "NUMBER_VALUE cannot be converted to Long");
}

static void booleans_may_be_words(void **state) {
    static const struct {
        const char *text;
        bool value;
    } fine[] = {{"true", true},    {"false", false},  {"\"TRUE\"", true}, {"\"1\"", true},
                {"\"Yes\"", true}, {"\"no\"", false}, {"\"0\"", false},   {"\"False\"", false}};
    for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
        struct slice json = arena_printf(*state, "{\"ConsistentRead\":%s}", fine[i].text);
        struct query_request *r = decoded(*state, &query_shape, (const char *)json.data);
        assert_true(r->consistent_read.present && r->consistent_read.value == fine[i].value);
    }
}

/* One row each. */
static const struct {
    const struct shape *shape;
    const char *json, *text;
} wrong_types[] = {
    {&get_item_shape, "{\"TableName\":true}", "TRUE_VALUE cannot be converted to String"},
    {&get_item_shape, "{\"TableName\":false}", "FALSE_VALUE cannot be converted to String"},
    {&get_item_shape, "{\"TableName\":23}", "NUMBER_VALUE cannot be converted to String"},
    {&get_item_shape, "{\"TableName\":-2.5}", "DECIMAL_VALUE cannot be converted to String"},
    {&get_item_shape, "{\"TableName\":[]}", "Unrecognized collection type class java.lang.String"},
    {&get_item_shape, "{\"TableName\":{}}", "Start of structure or map found where not expected"},
    {&query_shape, "{\"Limit\":\"1\"}", "STRING_VALUE cannot be converted to Integer"},
    {&query_shape, "{\"Limit\":true}", "TRUE_VALUE cannot be converted to Integer"},
    {&query_shape, "{\"Limit\":[1]}", "Unrecognized collection type class java.lang.Integer"},
    {&query_shape, "{\"Limit\":{}}", "Start of structure or map found where not expected"},
    {&create_table_shape, "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":\"1\"}}",
     "STRING_VALUE cannot be converted to Long"},
    {&create_table_shape, "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":[]}}",
     "Unrecognized collection type class java.lang.Long"},
    {&query_shape, "{\"ConsistentRead\":1}", "NUMBER_VALUE cannot be converted to Boolean"},
    {&query_shape, "{\"ConsistentRead\":1.5}", "DECIMAL_VALUE cannot be converted to Boolean"},
    {&query_shape, "{\"ConsistentRead\":\"maybe\"}", "Unexpected token received from parser"},
    {&query_shape, "{\"ConsistentRead\":[]}",
     "Unrecognized collection type class java.lang.Boolean"},
    {&query_shape, "{\"ConsistentRead\":{}}", "Start of structure or map found where not expected"},
    {&query_shape, "{\"AttributesToGet\":\"a\"}", "Unexpected field type"},
    {&query_shape, "{\"AttributesToGet\":1}", "Unexpected field type"},
    {&query_shape, "{\"AttributesToGet\":{}}",
     "Start of structure or map found where not expected"},
    {&query_shape, "{\"AttributesToGet\":[1]}", "NUMBER_VALUE cannot be converted to String"},
    {&query_shape, "{\"AttributesToGet\":[[]]}",
     "Unrecognized collection type class java.lang.String"},
    {&get_item_shape, "{\"Key\":\"a\"}", "Unexpected field type"},
    {&get_item_shape, "{\"Key\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
    {&get_item_shape, "{\"Key\":{\"a\":\"b\"}}", "Unexpected value type in payload"},
    {&get_item_shape, "{\"Key\":{\"a\":[]}}",
     "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
    {&query_shape, "{\"ExpressionAttributeNames\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>"},
    {&query_shape, "{\"ExpressionAttributeNames\":1}", "Unexpected field type"},
    {&query_shape, "{\"ExpressionAttributeNames\":{\"#a\":{}}}",
     "Start of structure or map found where not expected"},
    {&query_shape, "{\"ExpressionAttributeValues\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
    {&query_shape, "{\"ExpressionAttributeValues\":{\":a\":1}}",
     "Unexpected value type in payload"},
    {&create_table_shape, "{\"ProvisionedThroughput\":1}", "Unexpected field type"},
    {&create_table_shape, "{\"ProvisionedThroughput\":[]}",
     "Unrecognized collection type class "
     "com.amazonaws.dynamodb.v20120810.ProvisionedThroughput"},
    {&create_table_shape, "{\"KeySchema\":[\"a\"]}", "Unexpected value type in payload"},
    {&create_table_shape, "{\"KeySchema\":[[]]}",
     "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement"},
    {&batch_get_item_shape, "{\"RequestItems\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "com.amazonaws.dynamodb.v20120810.KeysAndAttributes>"},
    {&batch_get_item_shape, "{\"RequestItems\":{\"t\":1}}", "Unexpected value type in payload"},
    {&batch_get_item_shape, "{\"RequestItems\":{\"t\":[]}}",
     "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeysAndAttributes"},
    {&batch_get_item_shape, "{\"RequestItems\":{\"t\":{\"Keys\":[1]}}}",
     "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
     "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
     "java.lang.Class are in module java.base of loader 'bootstrap')"},
    {&batch_write_item_shape, "{\"RequestItems\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>"},
    {&batch_write_item_shape, "{\"RequestItems\":{\"t\":\"x\"}}",
     "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
     "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
     "java.lang.Class are in module java.base of loader 'bootstrap')"},
    {&batch_write_item_shape, "{\"RequestItems\":{\"t\":{}}}",
     "Start of structure or map found where not expected"},
};

static void wrong_types_have_their_texts(void **state) {
    for (size_t i = 0; i < sizeof(wrong_types) / sizeof(*wrong_types); i++) {
        struct slice expected = arena_printf(*state, SERIALIZATION "%s", wrong_types[i].text);
        assert_string_equal(decode_text(*state, wrong_types[i].shape, wrong_types[i].json),
                            (const char *)expected.data);
    }
}

static void the_first_field_of_the_table_is_reported(void **state) {
    /* TableName stands before Limit, whatever the order in the JSON. */
    assert_string_equal(decode_text(*state, &query_shape,
                                    "{\"Limit\":\"x\",\"A\":[[{}]],\"TableName\":[{\"a\":1}]}"),
                        SERIALIZATION "Unrecognized collection type class java.lang.String");
    assert_string_equal(
        decode_text(*state, &query_shape, "{\"TableName\":[{\"a\":1}],\"Limit\":\"x\"}"),
        SERIALIZATION "Unrecognized collection type class java.lang.String");
    /* An error deep inside does not stop what follows from being read. */
    assert_string_equal(
        decode_text(*state, &put_item_shape,
                    "{\"Item\":{\"a\":{\"L\":[{\"S\":1},{\"S\":\"b\"}]}},\"TableName\":7}"),
        SERIALIZATION "NUMBER_VALUE cannot be converted to String");
}

static void bad_json_wins_and_has_no_text(void **state) {
    static const char *const bad[] = {"",
                                      "[]",
                                      "\"a\"",
                                      "1",
                                      "null",
                                      "{",
                                      "{\"TableName\":}",
                                      "{\"TableName\":7",
                                      "{\"TableName\":7,}",
                                      "{\"TableName\":7} x",
                                      "{\"TableName\":{\"a\":[}}",
                                      "{\"Key\":{\"a\":{\"S\":\"x\"}",
                                      "{\"ExpressionAttributeNames\":{\"#a\":}}",
                                      "{\"AttributesToGet\":[\"a\",]}",
                                      "{\"Unknown\":[1,}"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_string_equal(decode_text(*state, &get_item_shape, bad[i]), "SerializationException");
}

static void lists_are_bounded(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"AttributesToGet\":[\"\"");
    for (int i = 0; i < FIELD_ELEMENTS_MAX; i++)
        buffer_append_text(&json, ",\"\"");
    buffer_append_text(&json, "]}");
    buffer_append_byte(&json, 0);
    assert_string_equal(decode_text(*state, &get_item_shape, (const char *)json.data),
                        SERIALIZATION "A list or map has more than 65536 elements");
    buffer_release(&json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(members_go_to_their_places),
        OPS_TEST(later_values_of_a_name_stand),
        OPS_TEST(items_lie_side_by_side),
        OPS_TEST(lists_and_maps_of_structures),
        OPS_TEST(many_elements_are_kept_in_order),
        OPS_TEST(numbers_are_cut_and_bounded),
        OPS_TEST(booleans_may_be_words),
        OPS_TEST(wrong_types_have_their_texts),
        OPS_TEST(the_first_field_of_the_table_is_reported),
        OPS_TEST(bad_json_wins_and_has_no_text),
        OPS_TEST(lists_are_bounded),
    };
    return cmocka_run_group_tests_name("ops decode", tests, NULL, NULL);
}
