/* test_index_key.c - which items an index holds, how large its entries are, and the texts for items
 * that it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/index_key.h"
#include "model/limits.h"
#include "support/read_item.h"

#define PVI_TEXT "One or more parameter values were invalid: "
#define NAME(text) \
    { (const uint8_t *)(text), sizeof(text) - 1 }

static struct slice include_names[] = {NAME("x"), NAME("y")};

/* Local by l, two global ones; "zulu" has keys of several attributes. */
static struct table_index indexes[] = {
    {.name = NAME("local"),
     .status = TABLE_ACTIVE,
     .keys = {1, 1, {{NAME("pk"), VALUE_S}}, {{NAME("l"), VALUE_S}}},
     .projection = PROJECT_INCLUDE,
     .non_key_attributes = include_names,
     .non_key_attribute_count = 2},
    {.name = NAME("zulu"),
     .global = true,
     .status = TABLE_ACTIVE,
     .keys = {2,
              2,
              {{NAME("g"), VALUE_S}, {NAME("n"), VALUE_N}},
              {{NAME("l"), VALUE_S}, {NAME("b"), VALUE_B}}},
     .projection = PROJECT_KEYS_ONLY},
    {.name = NAME("alpha"),
     .global = true,
     .status = TABLE_ACTIVE,
     .keys = {1, 0, {{NAME("g"), VALUE_S}}, {{NAME(""), VALUE_NONE}}},
     .projection = PROJECT_ALL},
};

static struct attribute_definition attributes[] = {
    {NAME("b"), VALUE_B}, {NAME("g"), VALUE_S},  {NAME("l"), VALUE_S},
    {NAME("n"), VALUE_N}, {NAME("pk"), VALUE_S},
};

static const struct table_definition table = {
    .keys = {.hash_count = 1, .hash = {{NAME("pk"), VALUE_S}}},
    .attributes = attributes,
    .attribute_count = 5,
    .indexes = indexes,
    .index_count = 3,
};

static struct arena arena;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < 3; i++)
        indexes[i].status = TABLE_ACTIVE;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

static struct value item_of(const char *json) {
    return read_item(&arena, json);
}

/* {"pk":{"S":"p"},"<name>":{"<type>":"xx..."},<rest>} */
static struct value item_with(const char *name, const char *type, size_t len, const char *rest) {
    char *text = arena_alloc(&arena, len + 1);
    memset(text, 'x', len);
    text[len] = 0;
    struct slice json = arena_printf(&arena, "{\"pk\":{\"S\":\"p\"},\"%s\":{\"%s\":\"%s\"}%s}",
                                     name, type, text, rest);
    return item_of((const char *)arena_copy(&arena, json.data, json.len + 1));
}

static const char *text_of(const struct error *error) {
    if (error == NULL)
        return "ok";
    return (const char *)arena_printf(&arena, "%.*s", SLICE_ARGS(error->message)).data;
}

static const char *put(struct value item) {
    return text_of(index_check_put(&arena, &table, item));
}

static const char *update(const char *before, struct value after) {
    return text_of(
        index_check_update(&arena, &table, before == NULL ? VALUE_ABSENT : item_of(before), after));
}

/* ---- entries ---- */

static void items_in_an_index(void **state) {
    (void)state;
    static const struct {
        const char *json;
        bool local, zulu, alpha;
    } cases[] = {
        {"{\"pk\":{\"S\":\"p\"}}", false, false, false},
        {"{\"pk\":{\"S\":\"p\"},\"g\":{\"S\":\"g\"}}", false, false, true},
        {"{\"pk\":{\"S\":\"p\"},\"g\":{\"N\":\"1\"},\"l\":{\"S\":\"l\"}}", true, false, false},
        {"{\"pk\":{\"S\":\"p\"},\"g\":{\"S\":\"\"},\"l\":{\"S\":\"\"}}", false, false, false},
        {"{\"pk\":{\"S\":\"p\"},\"g\":{\"S\":\"g\"},\"n\":{\"N\":\"1\"},\"l\":{\"S\":\"l\"}}", true,
         false, true},
        {"{\"pk\":{\"S\":\"p\"},\"g\":{\"S\":\"g\"},\"n\":{\"N\":\"0\"},\"l\":{\"S\":\"l\"},\"b\":{"
         "\"B\":\"AA==\"}}",
         true, true, true},
    };
    struct index_key_values values;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct value item = item_of(cases[i].json);
        assert_int_equal(index_key_find(&indexes[0], item, &values), cases[i].local);
        assert_int_equal(index_key_find(&indexes[1], item, &values), cases[i].zulu);
        assert_int_equal(index_key_find(&indexes[2], item, &values), cases[i].alpha);
    }
    struct value last = item_of(cases[5].json);
    assert_true(index_key_find(&indexes[1], last, &values));
    assert_true(value_equal(values.hash[1], value_map_find(last, SLICE_LITERAL("n"))));
    assert_true(value_equal(values.range[1], value_map_find(last, SLICE_LITERAL("b"))));
    assert_false(index_key_find(&indexes[2], item_with("g", "S", 2049, ""), &values));
    assert_true(index_key_find(&indexes[2], item_with("g", "S", 2048, ""), &values));
    assert_false(index_key_find(&indexes[0], item_with("l", "S", 1025, ""), &values));
    assert_true(index_key_find(&indexes[0], item_with("l", "S", 1024, ""), &values));
}

static void projections(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool local, zulu;
    } cases[] = {{"pk", true, true}, {"l", true, true},   {"g", false, true},  {"n", false, true},
                 {"x", true, false}, {"y", true, false},  {"z", false, false}, {"", false, false},
                 {"b", false, true}, {"xx", false, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice name = slice_text(cases[i].name);
        assert_int_equal(index_projects(&table, &indexes[0], name), cases[i].local);
        assert_int_equal(index_projects(&table, &indexes[1], name), cases[i].zulu);
        assert_true(index_projects(&table, &indexes[2], name));
    }
    assert_true(index_key_attribute(&table, SLICE_LITERAL("b")));
    assert_false(index_key_attribute(&table, SLICE_LITERAL("x")));
}

static void sizes_with_local_entries(void **state) {
    (void)state;
    struct value outside = item_of("{\"pk\":{\"S\":\"p\"},\"x\":{\"S\":\"xxx\"}}");
    assert_int_equal(index_local_bytes(&table, outside, 7), 7);
    struct value inside = item_of(
        "{\"pk\":{\"S\":\"p\"},\"l\":{\"S\":\"ll\"},\"x\":{\"S\":\"xxx\"},\"z\":{\"S\":\"\"},"
        "\"g\":{\"S\":\"g\"}}");
    assert_int_equal(item_size(inside), 3 + 3 + 4 + 1 + 2);
    assert_int_equal(index_local_bytes(&table, inside, 13), 13 + 3 + 3 + 4);
}

/* ---- puts ---- */

static void puts_name_the_first_index(void **state) {
    (void)state;
    assert_string_equal(put(item_of("{\"pk\":{\"S\":\"p\"}}")), "ok");
    assert_string_equal(put(item_of("{\"pk\":{\"S\":\"p\"},\"g\":{\"N\":\"1\"}}")),
                        PVI_TEXT "Type mismatch for Index Key g Expected: S Actual: N IndexName: "
                                 "alpha");
    assert_string_equal(put(item_of("{\"pk\":{\"S\":\"p\"},\"l\":{\"SS\":[\"1\"]}}")),
                        PVI_TEXT "Type mismatch for Index Key l Expected: S Actual: SS IndexName: "
                                 "local");
    assert_string_equal(
        put(item_of("{\"pk\":{\"S\":\"p\"},\"l\":{\"S\":\"\"},\"b\":{\"S\":\"\"}}")),
        "One or more parameter values are not valid. A value specified for a secondary index key "
        "is not supported. The AttributeValue for a key attribute cannot contain an empty string "
        "value. IndexName: local, IndexKey: l");
    assert_string_equal(
        put(item_of("{\"pk\":{\"S\":\"p\"},\"b\":{\"B\":\"\"}}")),
        "One or more parameter values are not valid. A value specified for a secondary index key "
        "is not supported. The AttributeValue for a key attribute cannot contain an empty binary "
        "value. IndexName: zulu, IndexKey: b");
    assert_string_equal(put(item_with("g", "S", 2049, "")),
                        PVI_TEXT "Size limit exceeded for Index Key g Actual Size: 2049 bytes Max "
                                 "Size: 2048 bytes IndexName: alpha");
    assert_string_equal(put(item_with("l", "S", 1025, "")),
                        PVI_TEXT "Size limit exceeded for Index Key l Actual Size: 1025 bytes Max "
                                 "Size: 1024 bytes IndexName: local");
}

#define REST ",\"n\":{\"N\":\"1\"},\"b\":{\"B\":\"AA==\"}"

static void attributes_of_a_kind_are_measured_together(void **state) {
    (void)state;
    /* l has 1024 bytes and b one: together too long, but only when the item would be in the index.
     */
    assert_string_equal(put(item_with("l", "S", 1024, REST ",\"g\":{\"S\":\"g\"}")),
                        PVI_TEXT "Aggregated size of all range keys has exceeded the size limit of "
                                 "1024 bytes");
    assert_string_equal(put(item_with("l", "S", 1024, REST)), "ok");
    assert_string_equal(put(item_with("l", "S", 1023, REST ",\"g\":{\"S\":\"g\"}")), "ok");
    assert_string_equal(put(item_with("g", "S", 2047, REST ",\"l\":{\"S\":\"l\"}")), PVI_TEXT
                        "Size of hashkey has exceeded the maximum size limit of2048 bytes");
    assert_string_equal(put(item_with("g", "S", 2046, REST ",\"l\":{\"S\":\"l\"}")), "ok");
    assert_string_equal(update(NULL, item_with("l", "S", 1024, REST ",\"g\":{\"S\":\"g\"}")),
                        "The update expression attempted to update the secondary index key beyond "
                        "allowed size limits");
}

static void items_and_their_local_entries_have_one_limit(void **state) {
    (void)state;
    /* pk 3, l 2, x 1 + n; the entry has the same: 2 * (6 + n). */
    assert_string_equal(put(item_with("x", "S", 204794, ",\"l\":{\"S\":\"l\"}")), "ok");
    assert_string_equal(put(item_with("x", "S", 204795, ",\"l\":{\"S\":\"l\"}")),
                        "Item size has exceeded the maximum allowed size");
    assert_string_equal(put(item_with("x", "S", 409000, "")), "ok");
    assert_string_equal(put(item_with("z", "S", 409000, ",\"l\":{\"S\":\"l\"}")), "ok");
}

static void an_index_that_is_created_takes_everything(void **state) {
    (void)state;
    struct value item = item_of("{\"pk\":{\"S\":\"p\"},\"g\":{\"N\":\"1\"}}");
    indexes[2].status = TABLE_CREATING;
    assert_string_equal(put(item),
                        PVI_TEXT "Type mismatch for Index Key g Expected: S Actual: N IndexName: "
                                 "zulu");
    indexes[1].status = TABLE_CREATING;
    assert_string_equal(put(item), "ok");
    assert_string_equal(update(NULL, item), "ok");
    assert_null(index_check_assigned(&arena, &table, SLICE_LITERAL("g"), VALUE_N));
}

/* ---- updates ---- */

static void updates_answer_for_what_they_change(void **state) {
    (void)state;
    static const char old[] = "{\"pk\":{\"S\":\"p\"},\"g\":{\"N\":\"1\"},\"l\":{\"S\":\"\"}}";
    assert_string_equal(update(old, item_of(old)), "ok");
    assert_string_equal(
        update(old, item_of("{\"pk\":{\"S\":\"p\"},\"g\":{\"N\":\"1.0\"},\"l\":{\"S\":\"l\"}}")),
        "ok");
    assert_string_equal(
        update(old, item_of("{\"pk\":{\"S\":\"p\"},\"g\":{\"N\":\"2\"},\"l\":{\"S\":\"l\"}}")),
        "The update expression attempted to update the secondary index key to unsupported type");
    assert_string_equal(
        update("{\"pk\":{\"S\":\"p\"},\"l\":{\"S\":\"l\"}}", item_of(old)),
        "The update expression attempted to update the secondary index key to unsupported type");
    assert_string_equal(
        update(NULL, item_of("{\"pk\":{\"S\":\"p\"},\"b\":{\"B\":\"\"}}")),
        "One or more parameter values are not valid. The update expression attempted to update a "
        "secondary index key to a value that is not supported. The AttributeValue for a key "
        "attribute cannot contain an empty binary value.");
    assert_string_equal(update(old, item_with("g", "S", 2049, "")),
                        "The update expression attempted to update the secondary index key beyond "
                        "allowed size limits");
}

static void assigned_types(void **state) {
    (void)state;
    assert_null(index_check_assigned(&arena, &table, SLICE_LITERAL("g"), VALUE_S));
    assert_null(index_check_assigned(&arena, &table, SLICE_LITERAL("other"), VALUE_L));
    assert_string_equal(text_of(index_check_assigned(&arena, &table, SLICE_LITERAL("g"), VALUE_L)),
                        PVI_TEXT
                        "Type mismatch for Index Key g Expected: S Actual: L IndexName: alpha");
    assert_string_equal(text_of(index_check_assigned(&arena, &table, SLICE_LITERAL("n"), VALUE_NS)),
                        PVI_TEXT
                        "Type mismatch for Index Key n Expected: N Actual: NS IndexName: zulu");
}

#define INDEX_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        INDEX_TEST(items_in_an_index),
        INDEX_TEST(projections),
        INDEX_TEST(sizes_with_local_entries),
        INDEX_TEST(puts_name_the_first_index),
        INDEX_TEST(attributes_of_a_kind_are_measured_together),
        INDEX_TEST(items_and_their_local_entries_have_one_limit),
        INDEX_TEST(an_index_that_is_created_takes_everything),
        INDEX_TEST(updates_answer_for_what_they_change),
        INDEX_TEST(assigned_types),
    };
    return cmocka_run_group_tests_name("model_index_key", tests, NULL, NULL);
}
