/* test_search.c - which metrics a search expression means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cloudwatch/search.h"

static const struct metric_dimension of_table[] = {
    {{(const uint8_t *)"TableName", 9}, {(const uint8_t *)"orders", 6}}};
static const struct metric_dimension of_operation[] = {
    {{(const uint8_t *)"Operation", 9}, {(const uint8_t *)"GetItem", 7}},
    {{(const uint8_t *)"TableName", 9}, {(const uint8_t *)"orders", 6}}};

/* A letter for each metric that is meant; "wrong TEXT" when it is no search. */
static const char *found(struct arena *arena, const char *text) {
    const struct metric metrics[] = {
        {SLICE_LITERAL("AWS/DynamoDB"), SLICE_LITERAL("ConsumedReadCapacityUnits"), of_table, 1, 0},
        {SLICE_LITERAL("AWS/DynamoDB"), SLICE_LITERAL("SuccessfulRequestLatency"), of_operation, 2,
         0},
        {SLICE_LITERAL("AWS/DynamoDB"), SLICE_LITERAL("UserErrors"), NULL, 0, 0},
        {SLICE_LITERAL("My Shop"), SLICE_LITERAL("Orders"), NULL, 0, 0},
    };
    const struct search *search;
    struct slice letters = SLICE_LITERAL("");
    struct error *error = search_compile(arena, slice_text(text), &search);
    if (error != NULL)
        return (const char *)arena_printf(arena, "wrong %.*s", SLICE_ARGS(error->message)).data;
    for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
        if (search_matches(search, &metrics[i]))
            letters = arena_printf(arena, "%.*s%c", SLICE_ARGS(letters), (char)('a' + (int)i));
    return (const char *)letters.data;
}

static void searches_find(void **state) {
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"", "abcd"},
        {"{AWS/DynamoDB}", "c"},
        {"{AWS/DynamoDB,TableName}", "a"},
        {"{AWS/DynamoDB, TableName, Operation}", "b"},
        {"{\"My Shop\"}", "d"},
        {"orders", "abd"},
        {"NOT orders", "c"},
        {"Namespace=\"AWS/DynamoDB\" NOT MetricName=UserErrors", "ab"},
        {"TableName=orders latency", "b"},
        {"TableName=\"order\"", ""},
        {"MetricName=(\"UserErrors\" OR \"Orders\")", "cd"},
        {"Operation=GetItem AND TableName=(\"x\" OR \"orders\")", "b"},
        {"{a", "wrong SEARCH: a brace is not closed"},
        {"\"a", "wrong SEARCH: a quote is not closed"},
        {"a=", "wrong SEARCH: a word is missing"},
        {"a=(b c)", "wrong SEARCH: OR is wanted between values"},
        {")", "wrong SEARCH: a word is missing"},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(found(&arena, cases[i].text), cases[i].wanted);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(searches_find)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
