/* test_decode.c - JSON into requests, and the texts of SerializationExceptions. */
#include "ops_test.h"

#include "ops/legacy/legacy_input.h"

#define SERIALIZATION "SerializationException: "

/* ---- a request with members of most types ---- */

struct part {
    struct field_item put;
};

struct pair {
    struct part *first;
    struct part *second;
};

struct keys {
    struct slice name; /* the map's key */
    struct field_list keys;
};

struct sample {
    struct slice name;
    struct slice other;
    struct field_int limit;
    struct field_int units;
    struct field_bool consistent;
    struct field_bool forward;
    struct field_item item;
    struct field_list words;      /* struct slice */
    struct field_list names;      /* struct field_pair */
    struct field_list values;     /* struct field_value */
    struct field_list conditions; /* struct condition */
    struct field_list filter;     /* struct condition */
    struct field_list tables;     /* struct keys */
    struct field_list writes;     /* struct field_named_list of struct pair */
};

static const struct field part_fields[] = {
    {NAMED("Put"), AT(struct part, put), .type = FIELD_ITEM},
    FIELDS_END,
};
static const struct shape part_shape = {"Part", sizeof(struct part), part_fields};

static const struct field pair_fields[] = {
    {NAMED("First"), AT(struct pair, first), .type = FIELD_STRUCT, .shape = &part_shape},
    {NAMED("Second"), AT(struct pair, second), .type = FIELD_STRUCT, .shape = &part_shape},
    FIELDS_END,
};
static const struct shape pair_shape = {"Pair", sizeof(struct pair), pair_fields};

static const struct field keys_fields[] = {
    {NAMED("Keys"), AT(struct keys, keys), .type = FIELD_ITEM_LIST},
    FIELDS_END,
};
static const struct shape keys_shape = {"Keys", sizeof(struct keys), keys_fields};

static const struct field sample_fields[] = {
    {NAMED("Name"), AT(struct sample, name), .type = FIELD_STRING},
    {NAMED("Other"), AT(struct sample, other), .type = FIELD_STRING},
    {NAMED("Limit"), AT(struct sample, limit), .type = FIELD_INTEGER},
    {NAMED("Units"), AT(struct sample, units), .type = FIELD_LONG},
    {NAMED("Consistent"), AT(struct sample, consistent), .type = FIELD_BOOLEAN},
    {NAMED("Forward"), AT(struct sample, forward), .type = FIELD_BOOLEAN},
    {NAMED("Item"), AT(struct sample, item), .type = FIELD_ITEM},
    {NAMED("Words"), AT(struct sample, words), .type = FIELD_STRING_LIST},
    {NAMED("Names"), AT(struct sample, names), .type = FIELD_STRING_MAP},
    {NAMED("Values"), AT(struct sample, values), .type = FIELD_VALUE_MAP},
    {NAMED("Conditions"), AT(struct sample, conditions), .type = FIELD_STRUCT_MAP,
     .shape = &condition_shape},
    {NAMED("Filter"), AT(struct sample, filter), .type = FIELD_STRUCT_MAP,
     .shape = &condition_shape},
    {NAMED("Tables"), AT(struct sample, tables), .type = FIELD_STRUCT_MAP, .shape = &keys_shape},
    {NAMED("Writes"), AT(struct sample, writes), .type = FIELD_STRUCT_LIST_MAP,
     .shape = &pair_shape},
    FIELDS_END,
};
static const struct shape sample_shape = {"Sample", sizeof(struct sample), sample_fields};

/* ---- what becomes of it ---- */

static void members_go_to_their_places(void **state) {
    struct sample *r = decoded(
        *state, &sample_shape,
        "{\"Name\":\"t\\u0061b\",\"Limit\":17,\"Consistent\":true,\"Unknown\":{\"a\":[1]},"
        "\"Other\":null,\"Forward\":false,\"Words\":[\"a\",null,\"b\"],"
        "\"Names\":{\"#a\":\"x\",\"#b\":\"y\"},"
        "\"Values\":{\":v\":{\"S\":\"w\"},\":bad\":{\"N\":\"z\"}},"
        "\"Item\":{\"pk\":{\"S\":\"k\"}},\"Conditions\":{\"a\":{\"ComparisonOperator\":\"EQ\"}}}");
    assert_true(slice_is(r->name, "tab"));
    assert_false(slice_present(r->other));
    assert_true(r->limit.present && r->limit.value == 17);
    assert_true(r->consistent.present && r->consistent.value);
    assert_true(r->forward.present && !r->forward.value);
    assert_int_equal(r->words.count, 2);
    assert_true(slice_is(((struct slice *)r->words.items)[1], "b"));
    assert_int_equal(r->names.count, 2);
    struct field_pair *names = r->names.items;
    assert_true(slice_is(names[1].key, "#b") && slice_is(names[1].value, "y"));
    struct field_value *values = r->values.items;
    assert_int_equal(r->values.count, 2);
    assert_true(slice_is(value_scalar(values[0].value), "w"));
    assert_null(values[0].fault);
    assert_non_null(values[1].fault);
    assert_int_equal(values[1].fault_kind, VALUE_FAULT_NUMBER);
    assert_true(slice_is(values[1].key, ":bad"));
    assert_true(r->conditions.present);
    assert_false(r->filter.present);
    assert_int_equal(value_count(r->item.value), 1);
    assert_null(r->item.fault);
}

static void later_values_of_a_name_stand(void **state) {
    struct sample *r = decoded(*state, &sample_shape,
                               "{\"Name\":\"a\",\"Name\":\"b\",\"Names\":"
                               "{\"#a\":\"x\",\"#b\":\"y\",\"#a\":\"z\"}}");
    assert_true(slice_is(r->name, "b"));
    struct field_pair *names = r->names.items;
    assert_int_equal(r->names.count, 2);
    assert_true(slice_is(names[0].key, "#a") && slice_is(names[0].value, "z"));
}

static void items_lie_side_by_side(void **state) {
    struct sample *r =
        decoded(*state, &sample_shape,
                "{\"Item\":{\"b\":{\"N\":\"1\"},\"a\":{\"S\":\"x\"}},"
                "\"Values\":{\":a\":{\"SS\":[\"q\",\"p\"]},\":b\":{\"NULL\":true}}}");
    assert_true(value_check(value_slice(r->item.value), 33));
    assert_true(slice_is(value_scalar(value_map_find(r->item.value, SLICE_LITERAL("a"))), "x"));
    struct field_value *values = r->values.items;
    assert_true(value_check(value_slice(values[0].value), 33));
    assert_int_equal(value_count(values[0].value), 2);
    assert_int_equal(value_type(values[1].value), VALUE_NULL);
}

static void lists_and_maps_of_structures(void **state) {
    struct sample *r = decoded(*state, &sample_shape,
                               "{\"Writes\":{\"t1\":[{\"First\":{\"Put\":{\"a\":{\"S\":\"1\"}}}},"
                               "{\"Second\":{\"Put\":{\"a\":{\"S\":\"2\"}}}}],\"t2\":[]},"
                               "\"Tables\":{ \"t1\" : {\"Keys\":[{\"a\":{\"S\":\"1\"}},{}]} } }");
    struct field_named_list *lists = r->writes.items;
    assert_int_equal(r->writes.count, 2);
    assert_true(slice_is(lists[0].key, "t1") && slice_is(lists[1].key, "t2"));
    assert_int_equal(lists[0].list.count, 2);
    assert_int_equal(lists[1].list.count, 0);
    assert_true(lists[1].list.present);
    struct pair *pairs = lists[0].list.items;
    assert_non_null(pairs[0].first);
    assert_null(pairs[0].second);
    assert_int_equal(value_count(pairs[1].second->put.value), 1);

    struct keys *table = r->tables.items;
    assert_true(slice_is(table->name, "t1"));
    assert_int_equal(table->keys.count, 2);
    assert_true(slice_is(r->tables.json, "{ \"t1\" : {\"Keys\":[{\"a\":{\"S\":\"1\"}},{}]} }"));
}

static void nulls_in_lists_and_maps_are_elements(void **state) {
    struct sample *r =
        decoded(*state, &sample_shape,
                "{\"Words\":[\"a\",null],\"Names\":{\"#a\":null,\"#b\":\"y\"},"
                "\"Values\":{\":v\":null},\"Conditions\":{\"c\":null},"
                "\"Tables\":{\"t\":{\"Keys\":[null]}},\"Writes\":{\"t1\":null,\"t2\":[null]}}");
    assert_int_equal(r->words.count, 1);
    assert_int_equal(r->names.count, 1);
    struct field_value *value = r->values.items;
    assert_int_equal(r->values.count, 1);
    assert_true(slice_is(value->key, ":v"));
    assert_int_equal(value->fault_kind, VALUE_FAULT_SHAPE);
    assert_true(value_check(value_slice(value->value), 33));
    struct condition *condition = r->conditions.items;
    assert_int_equal(r->conditions.count, 1);
    assert_true(slice_is(condition->name, "c"));
    assert_false(slice_present(condition->comparison_operator));
    struct keys *table = r->tables.items;
    struct field_item *key = table->keys.items;
    assert_int_equal(table->keys.count, 1);
    assert_int_equal(key->fault_kind, VALUE_FAULT_SHAPE);
    assert_int_equal(value_count(key->value), 0);
    struct field_named_list *writes = r->writes.items;
    assert_int_equal(r->writes.count, 2);
    assert_true(writes[0].list.present);
    assert_int_equal(writes[0].list.count, 0);
    assert_int_equal(writes[1].list.count, 1);
    assert_null(((struct pair *)writes[1].list.items)->first);
}

static void many_elements_are_kept_in_order(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"Words\":[");
    for (int i = 0; i < 1000; i++)
        buffer_printf(&json, "%s\"a%d\"", i == 0 ? "" : ",", i);
    buffer_append_text(&json, "]}");
    buffer_append_byte(&json, 0);
    struct sample *r = decoded(*state, &sample_shape, (const char *)json.data);
    assert_int_equal(r->words.count, 1000);
    assert_true(slice_is(((struct slice *)r->words.items)[999], "a999"));
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
        struct sample *r = decoded(*state, &sample_shape, (const char *)json.data);
        assert_int_equal(r->limit.value, fine[i].value);
    }
    struct sample *r = decoded(*state, &sample_shape, "{\"Units\":9223372036854775807}");
    assert_int_equal(r->units.value, INT64_MAX);
    r = decoded(*state, &sample_shape, "{\"Units\":-9223372036854775808}");
    assert_int_equal(r->units.value, INT64_MIN);
    assert_string_equal(decode_text(*state, &sample_shape, "{\"Limit\":2147483648}"),
                        SERIALIZATION "NUMBER_VALUE cannot be converted to Integer");
    assert_string_equal(decode_text(*state, &sample_shape, "{\"Limit\":1e99}"),
                        SERIALIZATION "DECIMAL_VALUE cannot be converted to Integer");
    assert_string_equal(decode_text(*state, &sample_shape, "{\"Units\":9223372036854775808}"),
                        SERIALIZATION "NUMBER_VALUE cannot be converted to Long");
}

static void booleans_may_be_words(void **state) {
    static const struct {
        const char *text;
        bool value;
    } fine[] = {{"true", true},    {"false", false},  {"\"TRUE\"", true}, {"\"1\"", true},
                {"\"Yes\"", true}, {"\"no\"", false}, {"\"0\"", false},   {"\"False\"", false}};
    for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
        struct slice json = arena_printf(*state, "{\"Consistent\":%s}", fine[i].text);
        struct sample *r = decoded(*state, &sample_shape, (const char *)json.data);
        assert_true(r->consistent.present && r->consistent.value == fine[i].value);
    }
}

/* Of requests as the operations have them. One row each. */
static const struct {
    const char *operation, *json, *text;
} wrong_types[] = {
    {"GetItem", "{\"TableName\":true}", "TRUE_VALUE cannot be converted to String"},
    {"GetItem", "{\"TableName\":false}", "FALSE_VALUE cannot be converted to String"},
    {"GetItem", "{\"TableName\":23}", "NUMBER_VALUE cannot be converted to String"},
    {"GetItem", "{\"TableName\":-2.5}", "DECIMAL_VALUE cannot be converted to String"},
    {"GetItem", "{\"TableName\":[]}", "Unrecognized collection type class java.lang.String"},
    {"GetItem", "{\"TableName\":{}}", "Start of structure or map found where not expected"},
    {"Query", "{\"Limit\":\"1\"}", "STRING_VALUE cannot be converted to Integer"},
    {"Query", "{\"Limit\":true}", "TRUE_VALUE cannot be converted to Integer"},
    {"Query", "{\"Limit\":[1]}", "Unrecognized collection type class java.lang.Integer"},
    {"Query", "{\"Limit\":{}}", "Start of structure or map found where not expected"},
    {"CreateTable", "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":\"1\"}}",
     "STRING_VALUE cannot be converted to Long"},
    {"CreateTable", "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":[]}}",
     "Unrecognized collection type class java.lang.Long"},
    {"Query", "{\"ConsistentRead\":1}", "NUMBER_VALUE cannot be converted to Boolean"},
    {"Query", "{\"ConsistentRead\":1.5}", "DECIMAL_VALUE cannot be converted to Boolean"},
    {"Query", "{\"ConsistentRead\":\"maybe\"}", "Unexpected token received from parser"},
    {"Query", "{\"ConsistentRead\":[]}", "Unrecognized collection type class java.lang.Boolean"},
    {"Query", "{\"ConsistentRead\":{}}", "Start of structure or map found where not expected"},
    {"Query", "{\"AttributesToGet\":\"a\"}", "Unexpected field type"},
    {"Query", "{\"AttributesToGet\":1}", "Unexpected field type"},
    {"Query", "{\"AttributesToGet\":{}}", "Start of structure or map found where not expected"},
    {"Query", "{\"AttributesToGet\":[1]}", "NUMBER_VALUE cannot be converted to String"},
    {"Query", "{\"AttributesToGet\":[[]]}", "Unrecognized collection type class java.lang.String"},
    {"GetItem", "{\"Key\":\"a\"}", "Unexpected field type"},
    {"GetItem", "{\"Key\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
    {"GetItem", "{\"Key\":{\"a\":\"b\"}}", "Unexpected value type in payload"},
    {"GetItem", "{\"Key\":{\"a\":[]}}",
     "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
    {"Query", "{\"ExpressionAttributeNames\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>"},
    {"Query", "{\"ExpressionAttributeNames\":1}", "Unexpected field type"},
    {"Query", "{\"ExpressionAttributeNames\":{\"#a\":{}}}",
     "Start of structure or map found where not expected"},
    {"Query", "{\"ExpressionAttributeValues\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
    {"Query", "{\"ExpressionAttributeValues\":{\":a\":1}}", "Unexpected value type in payload"},
    {"CreateTable", "{\"ProvisionedThroughput\":1}", "Unexpected field type"},
    {"CreateTable", "{\"ProvisionedThroughput\":[]}",
     "Unrecognized collection type class "
     "com.amazonaws.dynamodb.v20120810.ProvisionedThroughput"},
    {"CreateTable", "{\"KeySchema\":[\"a\"]}", "Unexpected value type in payload"},
    {"CreateTable", "{\"KeySchema\":[[]]}",
     "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement"},
    {"BatchGetItem", "{\"RequestItems\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "com.amazonaws.dynamodb.v20120810.KeysAndAttributes>"},
    {"BatchGetItem", "{\"RequestItems\":{\"t\":1}}", "Unexpected value type in payload"},
    {"BatchGetItem", "{\"RequestItems\":{\"t\":[]}}",
     "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeysAndAttributes"},
    {"BatchGetItem", "{\"RequestItems\":{\"t\":{\"Keys\":[1]}}}",
     "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
     "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
     "java.lang.Class are in module java.base of loader 'bootstrap')"},
    {"BatchWriteItem", "{\"RequestItems\":[]}",
     "Unrecognized collection type java.util.Map<java.lang.String, "
     "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>"},
    {"BatchWriteItem", "{\"RequestItems\":{\"t\":\"x\"}}",
     "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
     "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
     "java.lang.Class are in module java.base of loader 'bootstrap')"},
    {"BatchWriteItem", "{\"RequestItems\":{\"t\":{}}}",
     "Start of structure or map found where not expected"},
};

static void wrong_types_have_their_texts(void **state) {
    for (size_t i = 0; i < sizeof(wrong_types) / sizeof(*wrong_types); i++) {
        struct slice expected = arena_printf(*state, SERIALIZATION "%s", wrong_types[i].text);
        assert_string_equal(
            decode_text(*state, input_of(wrong_types[i].operation), wrong_types[i].json),
            (const char *)expected.data);
    }
}

static void the_first_field_of_the_table_is_reported(void **state) {
    /* TableName stands before Limit, whatever the order in the JSON. */
    assert_string_equal(decode_text(*state, input_of("Query"),
                                    "{\"Limit\":\"x\",\"A\":[[{}]],\"TableName\":[{\"a\":1}]}"),
                        SERIALIZATION "Unrecognized collection type class java.lang.String");
    assert_string_equal(
        decode_text(*state, input_of("Query"), "{\"TableName\":[{\"a\":1}],\"Limit\":\"x\"}"),
        SERIALIZATION "Unrecognized collection type class java.lang.String");
    /* An error deep inside does not stop what follows from being read. */
    assert_string_equal(
        decode_text(*state, input_of("PutItem"),
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
        assert_string_equal(decode_text(*state, input_of("GetItem"), bad[i]),
                            "SerializationException");
}

/* {"Item":{"n":{"N":""},"d":...}} with `wrappers` lists around a string. */
static enum value_layer layer_of_nested(struct arena *arena, int wrappers,
                                        struct field_item *ret_item) {
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"Item\":{\"n\":{\"N\":\"\"},\"d\":");
    for (int i = 0; i < wrappers; i++)
        buffer_append_text(&json, "{\"L\":[");
    buffer_append_text(&json, "{\"S\":\"leaf\"}");
    for (int i = 0; i < wrappers; i++)
        buffer_append_text(&json, "]}");
    buffer_append_text(&json, "}}");
    struct sample sample = {0};
    enum value_layer layer = VALUE_LAYER_CURRENT;
    assert_null(fields_decode(arena, arena_slice(arena, buffer_slice(&json)), &sample_shape, &layer,
                              &sample));
    buffer_release(&json);
    *ret_item = sample.item;
    return layer;
}

static void deep_values_fall_through_to_the_older_layer(void **state) {
    struct field_item item;
    assert_int_equal(layer_of_nested(*state, 62, &item), VALUE_LAYER_CURRENT);
    assert_true(
        slice_is(item.fault->message, "The parameter cannot be converted to a numeric value: "));
    assert_int_equal(layer_of_nested(*state, 63, &item), VALUE_LAYER_OLDER);
    assert_true(
        slice_is(item.fault->message, "The parameter cannot be converted to a numeric value"));
    assert_int_equal(value_count(item.value), 2);
}

static void lists_are_bounded(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append_text(&json, "{\"AttributesToGet\":[\"\"");
    for (int i = 0; i < FIELD_ELEMENTS_MAX; i++)
        buffer_append_text(&json, ",\"\"");
    buffer_append_text(&json, "]}");
    buffer_append_byte(&json, 0);
    assert_string_equal(decode_text(*state, input_of("GetItem"), (const char *)json.data),
                        SERIALIZATION "A list or map has more than 65536 elements");
    buffer_release(&json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(members_go_to_their_places),
        OPS_TEST(later_values_of_a_name_stand),
        OPS_TEST(items_lie_side_by_side),
        OPS_TEST(lists_and_maps_of_structures),
        OPS_TEST(nulls_in_lists_and_maps_are_elements),
        OPS_TEST(many_elements_are_kept_in_order),
        OPS_TEST(numbers_are_cut_and_bounded),
        OPS_TEST(booleans_may_be_words),
        OPS_TEST(wrong_types_have_their_texts),
        OPS_TEST(the_first_field_of_the_table_is_reported),
        OPS_TEST(bad_json_wins_and_has_no_text),
        OPS_TEST(deep_values_fall_through_to_the_older_layer),
        OPS_TEST(lists_are_bounded),
    };
    return cmocka_run_group_tests_name("ops decode", tests, NULL, NULL);
}
