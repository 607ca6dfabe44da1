/* test_constraints.c - the constraint errors of requests, in the service's words. */
#include "ops_test.h"

#include "ops/legacy/legacy_input.h"

#define VE "ValidationException: "
#define ONE VE "1 validation error detected: "
#define FAILED "failed to satisfy constraint: "
#define RETURN_VALUES_CURRENT                                            \
    "Failed to satisfy constraint: Member must satisfy enum value set: " \
    "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"

struct constraint_case {
    const char *operation;
    const char *json;
    const char *text;
};

static void run_cases(struct arena *arena, const struct constraint_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_string_equal(check_text(arena, input_of(cases[i].operation), cases[i].json),
                            cases[i].text);
}

#define RUN_CASES(state, cases) run_cases(*(state), (cases), sizeof(cases) / sizeof(*(cases)))

static void good_requests_pass(void **state) {
    static const struct constraint_case cases[] = {
        {"PutItem",
         "{\"TableName\":\"t\",\"Item\":{\"a\":{\"S\":\"b\"}},\"ReturnValues\":\"ALL_OLD\","
         "\"ReturnConsumedCapacity\":\"INDEXES\",\"ReturnItemCollectionMetrics\":\"SIZE\","
         "\"ConditionalOperator\":\"AND\",\"ReturnValuesOnConditionCheckFailure\":\"NONE\"}",
         "ok"},
        {"UpdateItem", "{\"TableName\":\"t\",\"Key\":{},\"ReturnValues\":\"UPDATED_NEW\"}", "ok"},
        {"Query",
         "{\"TableName\":\"arn:aws:dynamodb:us-east-1:000000000000:table/x\",\"Limit\":1,"
         "\"Select\":\"COUNT\",\"IndexName\":\"abc\"}",
         "ok"},
        {"BatchGetItem", "{\"RequestItems\":{\"tab\":{\"Keys\":[{}]}}}", "ok"},
        {"BatchWriteItem", "{\"RequestItems\":{}}", "ok"},
    };
    RUN_CASES(state, cases);
}

static void table_names_of_the_data_plane(void **state) {
    static const struct constraint_case cases[] = {
        {"PutItem", "{}",
         VE "2 validation errors detected: Value null at 'tableName' " FAILED
            "Member must not be null; Value null at 'item' " FAILED "Member must not be null"},
        {"PutItem", "{\"TableName\":\"\",\"Item\":{},\"ReturnConsumedCapacity\":\"x\"}",
         ONE "Value at 'TableName' " FAILED "Member must have length greater than or equal to 1"},
        {"Scan", "{\"TableName\":\"\"}",
         ONE "Value '' at 'tableName' " FAILED
             "Member must have length greater than or equal to 1"},
        {"GetItem", "{\"TableName\":\"bad table!@#\",\"Key\":{}}",
         ONE "Value 'bad table!@#' at 'tableName' " FAILED
             "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
        {"GetItem", "{\"TableName\":\"ab\",\"Key\":{}}", "ok"},
        /* Without the key the older layer answers. */
        {"GetItem", "{\"TableName\":\"\"}",
         VE "2 validation errors detected: Value '' at 'tableName' " FAILED
            "Member must have length greater than or equal to 1; Value null at 'key' " FAILED
            "Member must not be null"},
    };
    RUN_CASES(state, cases);
}

static void long_table_names(void **state) {
    char name[1100];
    memset(name, 'a', sizeof(name));
    struct slice json = arena_printf(*state, "{\"TableName\":\"%.256s\",\"Key\":{}}", name);
    struct slice text = arena_printf(*state,
                                     ONE "Value '%.256s' at 'tableName' " FAILED
                                         "Member must have length less than or equal to 255",
                                     name);
    assert_string_equal(check_text(*state, input_of("GetItem"), (const char *)json.data),
                        (const char *)text.data);
    json = arena_printf(*state, "{\"TableName\":\"%.255s\",\"Key\":{}}", name);
    assert_string_equal(check_text(*state, input_of("GetItem"), (const char *)json.data), "ok");
    memcpy(name, "arn:", 4);
    json = arena_printf(*state, "{\"TableName\":\"%.1025s\",\"Key\":{}}", name);
    assert_string_equal(check_text(*state, input_of("GetItem"), (const char *)json.data),
                        ONE "Value at 'TableName' " FAILED
                            "Member must have length less than or equal to 1024");
}

static void enumerations(void **state) {
    static const struct constraint_case cases[] = {
        {"PutItem",
         "{\"TableName\":\"t\",\"Item\":{},\"ReturnItemCollectionMetrics\":\"INVALID\","
         "\"ReturnValues\":\"INVALID\",\"ReturnConsumedCapacity\":\"INVALID\"}",
         VE "3 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' " FAILED
            "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; " RETURN_VALUES_CURRENT
            "; Value 'INVALID' at 'returnItemCollectionMetrics' " FAILED
            "Member must satisfy enum value set: [SIZE, NONE]"},
        {"UpdateItem",
         "{\"TableName\":\"t\",\"Key\":{},\"ReturnValues\":\"x\",\"ReturnConsumedCapacity\":\"x\"}",
         ONE RETURN_VALUES_CURRENT},
        {"UpdateItem",
         "{\"TableName\":\"a;\",\"ReturnValues\":\"x\",\"ReturnConsumedCapacity\":\"y\"}",
         VE "4 validation errors detected: Value 'y' at 'returnConsumedCapacity' " FAILED
            "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; "
            "Value 'a;' at 'tableName' " FAILED
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; "
            "Value 'x' at 'returnValues' " FAILED "Member must satisfy enum value set: "
            "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; "
            "Value null at 'key' " FAILED "Member must not be null"},
        {"UpdateItem", "{\"TableName\":\"t\",\"ConditionalOperator\":\"XOR\"}",
         VE "2 validation errors detected: Value 'XOR' at 'conditionalOperator' " FAILED
            "Member must satisfy enum value set: [OR, AND]; Value null at 'key' " FAILED
            "Member must not be null"},
        {"Query", "{\"TableName\":\"t\",\"ConditionalOperator\":\"XOR\",\"Select\":\"x\"}",
         VE "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"},
        {"Query", "{\"TableName\":\"t\",\"Select\":\"x\"}",
         ONE "Value 'x' at 'select' " FAILED "Member must satisfy enum value set: "
             "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"},
        {"Scan", "{\"TableName\":\"t\",\"ConditionalOperator\":\"XOR\"}",
         ONE "Value 'XOR' at 'conditionalOperator' " FAILED
             "Member must satisfy enum value set: [OR, AND]"},
        {"DeleteItem",
         "{\"TableName\":\"t\",\"Key\":{},\"ReturnValuesOnConditionCheckFailure\":\"\"}",
         ONE "Value '' at 'returnValuesOnConditionCheckFailure' " FAILED
             "Member must satisfy enum value set: [ALL_OLD, NONE]"},
        /* A prefix, a part and a longer word are not members of the set. */
        {"DeleteItem",
         "{\"TableName\":\"t\",\"Key\":{},\"ReturnConsumedCapacity\":\"INDEXES, TOTAL\"}",
         ONE "Value 'INDEXES, TOTAL' at 'returnConsumedCapacity' " FAILED
             "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"},
    };
    RUN_CASES(state, cases);
}

static void numbers_and_lists_of_reads(void **state) {
    static const struct constraint_case cases[] = {
        {"Query", "{\"TableName\":\"t\",\"Limit\":0}",
         ONE "Value at 'Limit' " FAILED "Member must have value greater than or equal to 1"},
        {"Scan", "{\"TableName\":\"t\",\"Limit\":0}",
         ONE "Value '0' at 'limit' " FAILED "Member must have value greater than or equal to 1"},
        {"Scan", "{\"TableName\":\"t\",\"Segment\":-1,\"TotalSegments\":1000001}",
         VE "2 validation errors detected: Value '1000001' at 'totalSegments' " FAILED
            "Member must have value less than or equal to 1000000; Value '-1' at 'segment' " FAILED
            "Member must have value greater than or equal to 0"},
        {"Query", "{\"TableName\":\"t\",\"AttributesToGet\":[]}",
         ONE "Value '[]' at 'attributesToGet' " FAILED
             "Member must have length greater than or equal to 1"},
        {"Query", "{\"TableName\":\"t\",\"IndexName\":\"ab\"}",
         ONE "Value at 'IndexName' " FAILED "Member must have length greater than or equal to 3"},
        {"Scan", "{\"TableName\":\"t\",\"IndexName\":\"a;\"}",
         VE "2 validation errors detected: Value 'a;' at 'indexName' " FAILED
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; "
            "Value 'a;' at 'indexName' " FAILED
            "Member must have length greater than or equal to 3"},
        {"ListTables", "{\"Limit\":101,\"ExclusiveStartTableName\":\"ab\"}",
         VE "2 validation errors detected: Value 'ab' at 'exclusiveStartTableName' " FAILED
            "Member must have length greater than or equal to 3; Value '101' at 'limit' " FAILED
            "Member must have value less than or equal to 100"},
    };
    RUN_CASES(state, cases);
}

#define MAP_KEYS                                                                     \
    "Map keys must satisfy constraint: [Member must have length less than or equal " \
    "to 255, Member must have length greater than or equal to 3, "                   \
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"

static void batches(void **state) {
    static const struct constraint_case cases[] = {
        {"BatchGetItem", "{}",
         ONE "Value null at 'requestItems' " FAILED "Member must not be null"},
        {"BatchGetItem", "{\"RequestItems\":{}}",
         ONE "Value at 'RequestItems' " FAILED
             "Member must have length greater than or equal to 1"},
        {"BatchGetItem", "{\"RequestItems\":{\"tab\":{\"Keys\":[]}}}",
         ONE "Value at 'RequestItems.tab.member.Keys' " FAILED
             "Member must have length greater than or equal to 1"},
        {"BatchGetItem", "{\"RequestItems\":{\"tab\":{}}}",
         ONE "Value null at 'requestItems.tab.member.keys' " FAILED "Member must not be null"},
        {"BatchGetItem",
         "{\"RequestItems\": { \"bad!name\": {\"Keys\": [{\"pk\": {\"S\": \"a \\\" b\"}}]}},"
         "\"ReturnConsumedCapacity\":\"x\"}",
         VE "2 validation errors detected: Value "
            "'{\"bad!name\":{\"Keys\":[{\"pk\":{\"S\":\"a \\\" b\"}}]}}' at 'requestItems' " FAILED
                MAP_KEYS "; Value 'x' at 'returnConsumedCapacity' " FAILED
            "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"},
        {"BatchWriteItem",
         "{\"RequestItems\":{\"a!b\":[{\"DeleteRequest\":{\"Key\":{}}}]},"
         "\"ReturnConsumedCapacity\":\"x\"}",
         ONE "Value 'x' at 'returnConsumedCapacity' " FAILED
             "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"},
        {"BatchWriteItem", "{\"RequestItems\":{\"tab\":[]}}",
         ONE "Value '{tab=[]}' at 'requestItems' " FAILED
             "Map value must satisfy constraint: [Member must have length less than or equal to "
             "25, Member must have length greater than or equal to 1]"},
        {"BatchWriteItem", "{\"RequestItems\":{\"tab\":[{\"PutRequest\":{}}]}}",
         ONE "Value null at 'requestItems.tab.member.1.member.putRequest.item' " FAILED
             "Member must not be null"},
    };
    RUN_CASES(state, cases);
}

#define NULLS_BEFORE_SETS "iNT=null, dECIMAL=null, dOUBLE=null, "
#define NULLS_AFTER_SETS "iNTSET=null, dECIMALSET=null, dOUBLESET=null, "

static void values_print_like_java(void **state) {
    assert_string_equal(
        check_text(
            *state, input_of("BatchWriteItem"),
            "{\"RequestItems\":{\"x!y\":[{\"PutRequest\":{\"Item\":{\"pk\":{\"S\":\"x\"}}}},"
            "{\"DeleteRequest\":{\"Key\":{\"k\":{\"NS\":[\"2\",\"1\"]}}}},"
            "{\"PutRequest\":{\"Item\":{\"l\":{\"L\":[{\"BOOL\":true},{\"B\":\"AAEC\"}]}}}}]}}"),
        ONE "Value '{x!y=[WriteRequest(putRequest=PutRequest(item={pk="
            "AttributeValue(s=x, n=null, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS
            "m=null, l=null, nULL=null, bOOL=null)}, workloadProfileName=null), "
            "deleteRequest=null), "
            "WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={k="
            "AttributeValue(s=null, n=null, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=[1, 2], bS=null, " NULLS_AFTER_SETS
            "m=null, l=null, nULL=null, bOOL=null)}, workloadProfileName=null)), "
            "WriteRequest(putRequest=PutRequest(item={l="
            "AttributeValue(s=null, n=null, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS "m=null, l=["
            "AttributeValue(s=null, n=null, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS "m=null, l=null, nULL=null, bOOL=true), "
            "AttributeValue(s=null, n=null, b=java.nio.HeapByteBuffer[pos=0 lim=3 "
            "cap=3], " NULLS_BEFORE_SETS "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS
            "m=null, l=null, nULL=null, bOOL=null)"
            "], nULL=null, bOOL=null)}, workloadProfileName=null), deleteRequest=null)]}' "
            "at 'requestItems' " FAILED MAP_KEYS);
}

/* No member of the API has a constraint that echoes these, so the structure is made up. */
static void attribute_values_print_like_java(void **state) {
    static const struct field condition_fields[] = {
        {NAMED("Values"), AT(struct condition, values), .type = FIELD_VALUE_LIST, AT_MOST(1)},
        FIELDS_END,
    };
    static const struct shape shape = {"Example", sizeof(struct condition), condition_fields};
    assert_string_equal(
        check_text(*state, &shape, "{\"Values\":[{\"S\":\"x\"},{\"N\":\"1.0\"}]}"),
        ONE "Value '[AttributeValue(s=x, n=null, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS "m=null, l=null, nULL=null, bOOL=null), "
            "AttributeValue(s=null, n=1, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS "m=null, l=null, nULL=null, bOOL=null)"
            "]' at 'values' " FAILED "Member must have length less than or equal to 1");
    struct outer {
        struct field_list updates;
    };
    static const struct field outer_fields[] = {
        {NAMED("Updates"), AT(struct outer, updates), .type = FIELD_STRUCT_MAP,
         .shape = &attribute_update_shape, AT_MOST(1)},
        FIELDS_END,
    };
    static const struct shape outer_shape = {"Outer", sizeof(struct outer), outer_fields};
    assert_string_equal(
        check_text(
            *state, &outer_shape,
            "{\"Updates\":{\"a\":{\"Action\":\"DELETE\"},\"b\":{\"Value\":{\"NULL\":true}}}}"),
        ONE "Value '{a=AttributeValueUpdate(value=null, action=DELETE), "
            "b=AttributeValueUpdate(value=AttributeValue(s=null, n=null, b=null, " NULLS_BEFORE_SETS
            "sS=null, nS=null, bS=null, " NULLS_AFTER_SETS "m=null, l=null, nULL=true, bOOL=null), "
            "action=null)}' at 'updates' " FAILED
            "Member must have length less than or equal to 1");
}

static void tables(void **state) {
    static const struct constraint_case cases[] = {
        {"CreateTable", "{}",
         VE "The parameter 'TableName' is required but was not present in the request"},
        {"CreateTable",
         "{\"TableName\":\"ab\",\"AttributeDefinitions\":[],"
         "\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}]}",
         ONE "Value 'ab' at 'tableName' " FAILED
             "Member must have length greater than or equal to 3"},
        {"CreateTable", "{\"TableName\":\"a;\"}",
         VE "4 validation errors detected: Value null at 'attributeDefinitions' " FAILED
            "Member must not be null; Value 'a;' at 'tableName' " FAILED
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; "
            "Value 'a;' at 'tableName' " FAILED
            "Member must have length greater than or equal to 3; Value null at 'keySchema' " FAILED
            "Member must not be null"},
        {"CreateTable",
         "{\"TableName\":\"abc\",\"AttributeDefinitions\":[{\"AttributeName\":\"a\","
         "\"AttributeType\":\"X\"}],\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},"
         "{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"},{\"KeyType\":\"OTHER\"}],"
         "\"BillingMode\":\"FREE\",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":0}}",
         VE "7 validation errors detected: "
            "Value 'X' at 'attributeDefinitions.1.member.attributeType' " FAILED
            "Member must satisfy enum value set: [B, N, S]; "
            "Value 'FREE' at 'billingMode' " FAILED
            "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; "
            "Value '0' at 'provisionedThroughput.readCapacityUnits' " FAILED
            "Member must have value greater than or equal to 1; "
            "Value null at 'provisionedThroughput.writeCapacityUnits' " FAILED
            "Member must not be null; "
            "Value '[KeySchemaElement(attributeName=a, keyType=HASH), "
            "KeySchemaElement(attributeName=b, keyType=RANGE), "
            "KeySchemaElement(attributeName=null, keyType=OTHER)]' at 'keySchema' " FAILED
            "Member must have length less than or equal to 2; "
            "Value null at 'keySchema.3.member.attributeName' " FAILED "Member must not be null; "
            "Value 'OTHER' at 'keySchema.3.member.keyType' " FAILED
            "Member must satisfy enum value set: [HASH, RANGE]"},
        {"UpdateTable", "{}",
         VE "The parameter 'TableName' is required but was not present in the request"},
        {"DescribeTable", "{}",
         VE "The parameter 'TableName' is required but was not present in the request"},
        {"DescribeTable", "{\"TableName\":\"ab\"}",
         VE "TableName must be at least 3 characters long and at most 255 characters long"},
        {"DescribeTable", "{\"TableName\":\"abc;\"}",
         ONE "Value 'abc;' at 'tableName' " FAILED
             "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
        {"DescribeTable", "{\"TableName\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\"}",
         "ok"},
    };
    RUN_CASES(state, cases);
}

static void indexes(void **state) {
    static const char head[] =
        "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"AttributeName\":"
        "\"a\",\"KeyType\":\"HASH\"}],";
    static const struct {
        const char *members, *text;
    } cases[] = {
        {"\"LocalSecondaryIndexes\":[{\"IndexName\":\"l\",\"KeySchema\":[{\"AttributeName\":\"a\","
         "\"KeyType\":\"HASH\"}],\"Projection\":{}}],\"GlobalSecondaryIndexes\":[{\"IndexName\":"
         "\"glo\",\"KeySchema\":[],\"Projection\":{\"ProjectionType\":\"SOME\","
         "\"NonKeyAttributes\":[\"\"]}}]",
         VE "4 validation errors detected: "
            "Value '[]' at 'globalSecondaryIndexes.1.member.keySchema' " FAILED
            "Member must have length greater than or equal to 1; "
            "Value 'SOME' at 'globalSecondaryIndexes.1.member.projection.projectionType' " FAILED
            "Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]; "
            "Value '[]' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' " FAILED
            "Member must satisfy constraint: [Member must have length less than or equal to 255, "
            "Member must have length greater than or equal to 1]; "
            "Value 'l' at 'localSecondaryIndexes.1.member.indexName' " FAILED
            "Member must have length greater than or equal to 3"},
        {"\"VectorIndexes\":[{\"IndexName\":\"vx\",\"VectorAttribute\":{\"AttributeName\":\"v\"},"
         "\"Dimensions\":0,\"DistanceFunction\":\"x\",\"Projection\":{}}]",
         VE "3 validation errors detected: "
            "Value 'vx' at 'vectorIndexes.1.member.indexName' " FAILED
            "Member must have length greater than or equal to 3; "
            "Value '0' at 'vectorIndexes.1.member.dimensions' " FAILED
            "Member must have value greater than or equal to 1; "
            "Value 'x' at 'vectorIndexes.1.member.distanceFunction' " FAILED
            "Member must satisfy enum value set: [DOT_PRODUCT, COSINE, EUCLIDEAN]"},
        {"\"Tags\":[{\"Key\":\"\",\"Value\":\"\"}],\"StreamSpecification\":{}",
         VE "2 validation errors detected: "
            "Value null at 'streamSpecification.streamEnabled' " FAILED "Member must not be null; "
            "Value '' at 'tags.1.member.key' " FAILED
            "Member must have length greater than or equal to 1"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice json = arena_printf(*state, "%s%s}", head, cases[i].members);
        assert_string_equal(check_text(*state, input_of("CreateTable"), (const char *)json.data),
                            cases[i].text);
    }
    assert_string_equal(
        check_text(*state, input_of("UpdateTable"),
                   "{\"TableName\":\"abc\",\"VectorIndexUpdates\":[{\"Delete\":{}}],"
                   "\"GlobalSecondaryIndexUpdates\":[{\"Delete\":{\"IndexName\":\"gs\"}}]}"),
        VE "2 validation errors detected: "
           "Value 'gs' at 'globalSecondaryIndexUpdates.1.member.delete.indexName' " FAILED
           "Member must have length greater than or equal to 3; "
           "Value null at 'vectorIndexUpdates.1.member.delete.indexName' " FAILED
           "Member must not be null");
}

static void at_most_ten_errors(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 16);
    buffer_append_text(&json, "{\"TableName\":\"abc\",\"KeySchema\":[{\"AttributeName\":\"a\","
                              "\"KeyType\":\"HASH\"}],\"AttributeDefinitions\":[");
    for (int i = 0; i < 12; i++)
        buffer_printf(&json, "%s{\"AttributeName\":\"a\",\"AttributeType\":\"%d\"}",
                      i == 0 ? "" : ",", i);
    buffer_append_text(&json, "]}");
    buffer_append_byte(&json, 0);
    const char *text = check_text(*state, input_of("CreateTable"), (const char *)json.data);
    assert_memory_equal(text, VE "10 validation errors detected: ", 51);
    assert_non_null(strstr(text, "Value '9' at 'attributeDefinitions.10.member.attributeType'"));
    assert_null(strstr(text, "attributeDefinitions.11"));
    buffer_release(&json);
}

/* The service counts characters as UTF-16 does. */
static void lengths_are_characters(void **state) {
    struct buffer json;
    buffer_init(&json, 1 << 16);
    static const char head[] =
        "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"AttributeName\":"
        "\"a\",\"KeyType\":\"HASH\"}],\"Tags\":[{\"Value\":\"\",\"Key\":\"";
    for (int extra = 0; extra < 2; extra++) {
        buffer_reset(&json);
        buffer_append_text(&json, head);
        for (int i = 0; i < 62; i++)
            buffer_append_text(&json, "\xf0\x9f\x98\x80"); /* two units each */
        for (int i = 0; i < 4 + extra; i++)
            buffer_append_text(&json, "\xc3\xa9");
        buffer_append_text(&json, "\"}]}");
        buffer_append_byte(&json, 0);
        const char *text = check_text(*state, input_of("CreateTable"), (const char *)json.data);
        if (extra == 0)
            assert_string_equal(text, "ok");
        else
            assert_non_null(strstr(text, "Member must have length less than or equal to 128"));
    }
    buffer_release(&json);
}

/* A message as long as the client likes is cut. */
static void echoes_are_bounded(void **state) {
    size_t size = 3 << 20;
    char *long_text = arena_alloc(*state, size);
    memset(long_text, 'x', size);
    struct slice json =
        arena_printf(*state, "{\"TableName\":\"t\",\"Key\":{},\"ReturnConsumedCapacity\":\"%.*s\"}",
                     (int)size, long_text);
    const char *text = check_text(*state, input_of("GetItem"), (const char *)json.data);
    assert_true(strlen(text) < 64 * 1024 + 1000);
    assert_non_null(strstr(text, "...' at 'returnConsumedCapacity' " FAILED
                                 "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"));
}

/* `size` bytes of one text after the other; the last may be cut. In the arena. */
static char *repeated(struct arena *arena, const char *text, size_t size) {
    char *all = arena_alloc(arena, size + 1);
    size_t len = strlen(text);
    for (size_t i = 0; i < size; i++)
        all[i] = text[i % len];
    all[size] = 0;
    return all;
}

enum { ECHO_BYTES = 64 * 1024 - (int)sizeof("Value '") + 1 };

static void long_echoes_are_cut_at_a_character(void **state) {
    static const struct {
        const char *text;
        int shown;
    } cases[] = {{"x", ECHO_BYTES},
                 {"\u00e9", ECHO_BYTES - 1},
                 {"\u20ac", ECHO_BYTES},
                 {"\U0001f600", ECHO_BYTES - 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *given = repeated(*state, cases[i].text, 12 << 18);
        struct slice json = arena_printf(
            *state, "{\"TableName\":\"t\",\"Key\":{},\"ReturnConsumedCapacity\":\"%s\"}", given);
        struct slice expected =
            arena_printf(*state,
                         ONE "Value '%.*s...' at 'returnConsumedCapacity' " FAILED
                             "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
                         cases[i].shown, given);
        const char *text = check_text(*state, input_of("GetItem"), (const char *)json.data);
        assert_int_equal(strlen(text), expected.len);
        assert_memory_equal(text, expected.data, expected.len);
    }
}

static void long_echoes_of_json_are_cut_at_a_character(void **state) {
    const char *given = repeated(*state, "\u00e9", 1 << 21);
    struct slice json =
        arena_printf(*state, "{\"RequestItems\": {\"%s\": {\"Keys\": [{}]}}}", given);
    const char *text = check_text(*state, input_of("BatchGetItem"), (const char *)json.data);
    /* The brace and the quote before the name leave an odd number of bytes. */
    struct slice expected = arena_printf(
        *state, ONE "Value '{\"%.*s...' at 'requestItems' " FAILED "Map keys must satisfy",
        ECHO_BYTES - 3, given);
    assert_true(strlen(text) > expected.len);
    assert_memory_equal(text, expected.data, expected.len);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(good_requests_pass),
        OPS_TEST(table_names_of_the_data_plane),
        OPS_TEST(long_table_names),
        OPS_TEST(enumerations),
        OPS_TEST(numbers_and_lists_of_reads),
        OPS_TEST(batches),
        OPS_TEST(values_print_like_java),
        OPS_TEST(attribute_values_print_like_java),
        OPS_TEST(tables),
        OPS_TEST(indexes),
        OPS_TEST(at_most_ten_errors),
        OPS_TEST(lengths_are_characters),
        OPS_TEST(echoes_are_bounded),
        OPS_TEST(long_echoes_are_cut_at_a_character),
        OPS_TEST(long_echoes_of_json_are_cut_at_a_character),
    };
    return cmocka_run_group_tests_name("ops constraints", tests, NULL, NULL);
}
