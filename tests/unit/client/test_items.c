/* test_items.c - building, reading, parsing and copying items. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/gramme_client.h"
#include "support/skip.h"

static void assert_json(const struct ddb_item *item, const char *expected) {
    char *json = ddb_item_json(item);
    assert_string_equal(json, expected);
    free(json);
}

/* ---- building ---- */

static void attributes_are_sorted_and_replaced(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_string(item, "b", "1");
    ddb_item_set_string(item, "c", "2");
    ddb_item_set_string(item, "a", "3");
    ddb_item_set_int(item, "b", -7);
    assert_json(item, "{\"a\":{\"S\":\"3\"},\"b\":{\"N\":\"-7\"},\"c\":{\"S\":\"2\"}}");
    ddb_item_remove(item, "a");
    ddb_item_remove(item, "a");
    assert_int_equal(ddb_item_count(item), 2);
    assert_string_equal(ddb_item_name_at(item, 1), "c");
    assert_null(ddb_item_name_at(item, 2));
    assert_null(ddb_item_value_at(item, 2));
    ddb_item_clear(item);
    assert_json(item, "{}");
    ddb_item_free(item);
}

static void a_map_stays_where_it_is_while_its_item_grows(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    struct ddb_item *map = ddb_item_set_map(item, "m");
    for (char name[2] = "a"; name[0] <= 'z'; name[0]++)
        if (name[0] != 'm')
            ddb_item_set_null(item, name);
    ddb_item_set_bool(map, "here", true);
    assert_ptr_equal(ddb_item_map(item, "m"), map);
    assert_true(ddb_item_bool(ddb_item_map(item, "m"), "here", false));
    ddb_item_free(map); /* not a root: nothing happens */
    ddb_item_free(item);
}

static void a_value_may_be_copied_into_its_own_place(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    ddb_list_add_int(ddb_item_set_list(ddb_item_set_map(item, "m"), "l"), 5);
    ddb_item_set_value(item, "m", ddb_item_value(ddb_item_map(item, "m"), "l"));
    assert_json(item, "{\"m\":{\"L\":[{\"N\":\"5\"}]}}");
    ddb_item_set_value(item, "n", ddb_item_value(item, "m"));
    ddb_item_set_value(item, "m", NULL);
    assert_json(item, "{\"n\":{\"L\":[{\"N\":\"5\"}]}}");
    struct ddb_item *copy = ddb_item_copy(item);
    ddb_item_free(item);
    assert_json(copy, "{\"n\":{\"L\":[{\"N\":\"5\"}]}}");
    ddb_item_free(copy);
}

static void assert_number_mistake(const char *number, const char *expected) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_number(item, "n", number);
    if (expected == NULL)
        assert_null(ddb_item_error(item));
    else
        assert_string_equal(ddb_item_error(item), expected);
    ddb_item_free(item);
}

static void numbers_are_checked_and_kept_as_text(void **state) {
    (void)state;
    assert_number_mistake("0", NULL);
    assert_number_mistake("-1.50", NULL);
    assert_number_mistake("1e125", NULL);
    assert_number_mistake("99999999999999999999999999999999999999", NULL);
    assert_number_mistake("999999999999999999999999999999999999991",
                          "attribute \"n\": \"999999999999999999999999999999999999991\" has more "
                          "than 38 digits");
    assert_number_mistake("1e126", "attribute \"n\": \"1e126\" is out of range");
    assert_number_mistake("1e-131", "attribute \"n\": \"1e-131\" is out of range");
    assert_number_mistake("", "attribute \"n\": \"\" is not a number");
    assert_number_mistake("0x10", "attribute \"n\": \"0x10\" is not a number");
    assert_number_mistake(NULL, "attribute \"n\": the number is NULL");
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_number(item, "n", "-1.50");
    assert_string_equal(ddb_item_number(item, "n", "?"), "-1.50");
    ddb_item_free(item);
}

static void assert_double(double number, const char *text) {
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_double(item, "n", number);
    assert_null(ddb_item_error(item));
    assert_string_equal(ddb_item_number(item, "n", "?"), text);
    assert_true(ddb_item_need_double(item, "n") == number);
    ddb_item_free(item);
}

static void assert_doubles(void) {
    assert_double(0, "0");
    assert_double(0.1, "0.1");
    assert_double(-2.5, "-2.5");
    assert_double(1.0 / 3, "0.3333333333333333");
    assert_double(5e-324 * 1e200, "4.940656458412465e-124");
    assert_double(123456789012345678.0, "1.2345678901234568e+17");
}

static void doubles_have_a_point_in_a_locale_with_a_comma(void **state) {
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        skip_without("the locale de_DE.UTF-8");
    assert_doubles();
    setlocale(LC_ALL, "C");
}

static void doubles_go_there_and_back(void **state) {
    (void)state;
    assert_doubles();
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_number(item, "n", "0.10000000000000000000000000000000000001");
    ddb_item_set_string(item, "s", "0.1");
    assert_true(ddb_item_double(item, "n", 7) == 0.1);
    assert_true(ddb_item_double(item, "s", 7) == 7);
    assert_true(ddb_item_double(item, "none", 7) == 7);
    assert_true(ddb_item_need_double(item, "s") == 0);
    assert_string_equal(ddb_item_error(item), "attribute \"s\" is a string (S), not a number (N)");
    ddb_list_add_double(ddb_item_set_list(item, "l"), 1e300);
    assert_string_equal(ddb_item_error(item), "an element of a list: \"1e+300\" is out of range");
    ddb_item_clear(item);
    ddb_item_set_double(item, "n", 0.0 / 0.0);
    assert_string_equal(ddb_item_error(item),
                        "attribute \"n\": a number is neither infinite nor NaN");
    ddb_item_free(item);
}

static void texts_and_sets_of_other_kinds(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_format(item, "pk", "user#%05d#%s", 42, "é");
    ddb_item_set_ints(item, "set", (const int64_t[]){3, -1, INT64_MIN}, 3);
    assert_json(item, "{\"pk\":{\"S\":\"user#00042#é\"},\"set\":{\"NS\":[\"3\",\"-1\","
                      "\"-9223372036854775808\"]}}");
    ddb_item_set_ints(item, "set", NULL, 0);
    assert_string_equal(ddb_item_error(item), "attribute \"set\": a set must have a member");
    ddb_item_free(item);
}

static void the_first_mistake_is_kept(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    struct ddb_list *list = ddb_item_set_list(ddb_item_set_map(item, "m"), "l");
    ddb_list_add_number(list, "x");
    ddb_item_set_string(item, "s", NULL);
    assert_string_equal(ddb_item_error(item), "an element of a list: \"x\" is not a number");
    assert_string_equal(ddb_list_error(list), ddb_item_error(item));
    struct ddb_item *copy = ddb_item_copy(item);
    assert_string_equal(ddb_item_error(copy), ddb_item_error(item));
    ddb_item_free(copy);
    ddb_item_clear(item);
    assert_null(ddb_item_error(item));
    ddb_item_set_strings(item, "tags", NULL, 0);
    assert_string_equal(ddb_item_error(item), "attribute \"tags\": a set must have a member");
    ddb_item_clear(item);
    ddb_item_set_numbers(item, "ns", (const char *[]){"1", "one"}, 2);
    assert_string_equal(ddb_item_error(item), "attribute \"ns\": \"one\" is not a number");
    ddb_item_free(item);
}

static void nesting_is_bounded(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new(), *map = item;
    for (int i = 0; i < 32; i++)
        map = ddb_item_set_map(map, "m");
    assert_null(ddb_item_error(item));
    for (int i = 0; i < 1000; i++) {
        map = ddb_item_set_map(map, "deeper");
        map = ddb_list_add_map(ddb_item_set_list(map, "list"));
    }
    assert_string_equal(ddb_item_error(item), "attribute \"deeper\": nested deeper than 32 levels");
    ddb_item_free(item);
}

static void long_names_are_cut_between_characters(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_new();
    char name[101], expected[200] = "attribute \"x";
    memset(name, 0, sizeof(name));
    strcpy(name, "x");
    while (strlen(name) < 99)
        strcat(name, "é");
    ddb_item_need_string(item, name);
    for (int i = 0; i < 29; i++)
        strcat(expected, "é");
    strcat(expected, "\" is absent");
    assert_string_equal(ddb_item_error(item), expected);
    ddb_item_free(item);
}

/* ---- reading ---- */

static void reading_has_defaults(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_parse("{\"s\":{\"S\":\"x\"},\"n\":{\"N\":\"1.5\"}}");
    size_t size = 9;
    assert_string_equal(ddb_item_string(item, "s", "?"), "x");
    assert_string_equal(ddb_item_string(item, "n", "?"), "?");
    assert_string_equal(ddb_item_number(item, "n", "?"), "1.5");
    assert_int_equal(ddb_item_int(item, "n", 42), 42);
    assert_true(ddb_item_bool(item, "n", true));
    assert_null(ddb_item_binary(item, "s", &size));
    assert_int_equal(size, 0);
    assert_null(ddb_item_map(item, "s"));
    assert_null(ddb_item_list(item, "no"));
    assert_int_equal(ddb_value_type(ddb_item_value(item, "no")), DDB_NONE);
    assert_null(ddb_item_error(item));
    ddb_item_free(item);
    assert_string_equal(ddb_item_string(ddb_item_map(NULL, "a"), "b", "?"), "?");
    assert_int_equal(ddb_list_count(NULL), 0);
    assert_null(ddb_list_at(NULL, 0));
    ddb_item_free(NULL);
    ddb_list_free(NULL);
}

static void assert_need_error(const char *json, void (*read)(struct ddb_item *item),
                              const char *expected) {
    struct ddb_item *item = ddb_item_parse(json);
    read(item);
    assert_string_equal(ddb_item_error(item), expected);
    ddb_item_free(item);
}

static void need_string(struct ddb_item *item) {
    assert_string_equal(ddb_item_need_string(item, "a"), "");
}

static void need_int(struct ddb_item *item) {
    assert_int_equal(ddb_item_need_int(item, "a"), 0);
}

static void need_rest(struct ddb_item *item) {
    size_t size;
    assert_null(ddb_item_need_binary(item, "a", &size));
    assert_null(ddb_item_need_map(item, "b"));
    assert_null(ddb_item_need_list(item, "c"));
    assert_false(ddb_item_need_bool(item, "d"));
    assert_string_equal(ddb_item_need_number(item, "e"), "");
}

static void what_must_be_there_is_named(void **state) {
    (void)state;
    assert_need_error("{}", need_string, "attribute \"a\" is absent");
    assert_need_error("{\"a\":{\"N\":\"1\"}}", need_string,
                      "attribute \"a\" is a number (N), not a string (S)");
    assert_need_error("{\"a\":{\"SS\":[\"1\"]}}", need_int,
                      "attribute \"a\" is a set of strings (SS), not a number (N)");
    assert_need_error("{\"a\":{\"N\":\"9223372036854775808\"}}", need_int,
                      "attribute \"a\" is 9223372036854775808, not a 64-bit integer");
    assert_need_error("{\"a\":{\"NULL\":true}}", need_rest,
                      "attribute \"a\" is null (NULL), not a binary (B)");
}

static void integers_at_the_edges(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_parse("{\"a\":{\"N\":\"9223372036854775807\"},\"b\":{\"N\":"
                                           "\"-9223372036854775808\"},\"c\":{\"N\":\"1e3\"}}");
    assert_true(ddb_item_need_int(item, "a") == INT64_MAX);
    assert_true(ddb_item_need_int(item, "b") == INT64_MIN);
    assert_true(ddb_item_need_int(item, "c") == 1000);
    assert_null(ddb_item_error(item));
    ddb_item_free(item);
}

/* ---- JSON ---- */

static void every_type_goes_there_and_back(void **state) {
    (void)state;
    const char *json =
        "{\"b\":{\"B\":\"AP8=\"},\"bs\":{\"BS\":[\"\",\"AA==\"]},\"l\":{\"L\":[{\"L\":[]},{"
        "\"BOOL\":"
        "false}]},\"m\":{\"M\":{\"x\":{\"M\":{}}}},\"n\":{\"N\":\"1\"},\"ns\":{\"NS\":[\"1\"]},"
        "\"null\":{\"NULL\":true},\"s\":{\"S\":\"\\\"é\"},\"ss\":{\"SS\":[\"x\"]},\"t\":{\"BOOL\":"
        "true}}";
    struct ddb_item *item = ddb_item_parse(json), *copy = ddb_item_copy(item);
    assert_null(ddb_item_error(item));
    assert_json(item, json);
    assert_json(copy, json);
    ddb_item_free(item);
    ddb_item_free(copy);
}

static void names_in_any_order_and_twice(void **state) {
    (void)state;
    struct ddb_item *item = ddb_item_parse("{\"b\":{\"N\":\"1\"},\"a\":{\"N\":\"2\"},\"b\":{\"N\":"
                                           "\"3\"},\"c\":{\"N\":\"4\"},\"b\":{\"N\":\"5\"}}");
    assert_null(ddb_item_error(item));
    assert_json(item, "{\"a\":{\"N\":\"2\"},\"b\":{\"N\":\"5\"},\"c\":{\"N\":\"4\"}}");
    ddb_item_free(item);
}

static void json_that_is_no_item(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{",
        "{}{}",
        "{\"a\":1}",
        "{\"a\":{}}",
        "{\"a\":{\"S\":1}}",
        "{\"a\":{\"N\":1}}",
        "{\"a\":{\"B\":\"=\"}}",
        "{\"a\":{\"SS\":\"x\"}}",
        "{\"a\":{\"SS\":[1]}}",
        "{\"a\":{\"NULL\":false}}",
        "{\"a\":{\"S\":\"x\",\"N\":\"1\"}}",
        "{\"a\":{\"Q\":\"x\"}}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct ddb_item *item = ddb_item_parse(texts[i]);
        assert_non_null(ddb_item_error(item));
        assert_memory_equal(ddb_item_error(item), "not an item in DynamoDB's JSON, near byte ", 42);
        ddb_item_free(item);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_sorted_and_replaced),
        cmocka_unit_test(a_map_stays_where_it_is_while_its_item_grows),
        cmocka_unit_test(a_value_may_be_copied_into_its_own_place),
        cmocka_unit_test(numbers_are_checked_and_kept_as_text),
        cmocka_unit_test(doubles_have_a_point_in_a_locale_with_a_comma),
        cmocka_unit_test(doubles_go_there_and_back),
        cmocka_unit_test(texts_and_sets_of_other_kinds),
        cmocka_unit_test(the_first_mistake_is_kept),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(long_names_are_cut_between_characters),
        cmocka_unit_test(reading_has_defaults),
        cmocka_unit_test(what_must_be_there_is_named),
        cmocka_unit_test(integers_at_the_edges),
        cmocka_unit_test(every_type_goes_there_and_back),
        cmocka_unit_test(names_in_any_order_and_twice),
        cmocka_unit_test(json_that_is_no_item),
    };
    return cmocka_run_group_tests_name("client items", tests, NULL, NULL);
}
