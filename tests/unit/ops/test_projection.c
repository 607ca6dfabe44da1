/* test_projection.c - AttributesToGet: what is refused, what is shown, and lists of any length. */
#include "ops_test.h"

#include "ops/read/projection.h"

enum { NAMES_MANY = FIELD_ELEMENTS_MAX };

struct request {
    struct field_list attributes_to_get; /* struct slice */
    struct field_item item;
};

static const struct field request_fields[] = {
    {NAMED("AttributesToGet"), AT(struct request, attributes_to_get), .type = FIELD_STRING_LIST,
     .flags = FIELD_SORTED},
    {NAMED("Item"), AT(struct request, item), .type = FIELD_ITEM},
    FIELDS_END,
};
static const struct shape request_shape = {"Request", sizeof(struct request), request_fields};

/* These AttributesToGet, which are written as the inside of a JSON array. */
static const struct field_list *names_of(struct arena *arena, struct slice names) {
    struct slice json = arena_printf(arena, "{\"AttributesToGet\":[%.*s]}", SLICE_ARGS(names));
    const struct request *request = decoded(arena, &request_shape, (const char *)json.data);
    return &request->attributes_to_get;
}

static const char *names_check(struct arena *arena, const char *names) {
    return error_text(arena, projection_check_names(arena, names_of(arena, slice_text(names))));
}

/* What is shown of the item {"a": 1, "b": "two", "name-7": true}. */
static const char *shown(struct arena *arena, const struct field_list *names) {
    const struct request *put =
        decoded(arena, &request_shape,
                "{\"Item\":{\"name-7\":{\"BOOL\":true},\"b\":{\"S\":\"two\"},"
                "\"a\":{\"N\":\"1\"}}}");
    struct buffer out;
    buffer_init(&out, 1 << 20);
    struct json_writer json;
    json_writer_init(&json, &out);
    struct projection projection = {NULL, names};
    projection_write(&projection, arena, &json, put->item.value);
    struct slice text = arena_printf(arena, "%.*s", SLICE_ARGS(buffer_slice(&out)));
    buffer_release(&out);
    return (const char *)text.data;
}

/* "name-0" to "name-65534" from the last to the first, and one more. */
static struct slice many_names(struct arena *arena, const char *last) {
    struct buffer text;
    buffer_init(&text, 1 << 24);
    for (int i = NAMES_MANY - 2; i >= 0; i--)
        buffer_printf(&text, "\"name-%d\",", i);
    buffer_printf(&text, "\"%s\"", last);
    struct slice names = arena_slice(arena, buffer_slice(&text));
    buffer_release(&text);
    return names;
}

#define DUPLICATE                                                      \
    "ValidationException: One or more parameter values were invalid: " \
    "Duplicate value in attribute name: "

static void the_first_name_that_repeats_is_reported(void **state) {
    assert_string_equal(names_check(*state, "\"b\",\"a\",\"c\""), "ok");
    assert_string_equal(names_check(*state, "\"a\",\"a\""), DUPLICATE "a");
    assert_string_equal(names_check(*state, "\"z\",\"a\",\"b\",\"z\",\"a\",\"a\""), DUPLICATE "z");
    assert_string_equal(names_check(*state, "\"z\",\"a\",\"b\",\"a\",\"z\""), DUPLICATE "a");
    assert_string_equal(names_check(*state, "\"c\",\"b\",\"b\",\"c\",\"a\",\"a\""), DUPLICATE "b");
}

static void the_order_of_the_request_is_kept(void **state) {
    const struct field_list *names = names_of(*state, SLICE_LITERAL("\"c\",\"a\",\"b\""));
    const struct slice *items = names->items;
    assert_int_equal(names->count, 3);
    assert_true(slice_is(items[0], "c") && slice_is(items[1], "a") && slice_is(items[2], "b"));
}

static void listed_attributes_are_shown(void **state) {
    struct arena *arena = *state;
    assert_string_equal(shown(arena, NULL),
                        "{\"a\":{\"N\":\"1\"},\"b\":{\"S\":\"two\"},\"name-7\":{\"BOOL\":true}}");
    assert_string_equal(shown(arena, names_of(arena, SLICE_LITERAL("\"x\",\"b\",\"a\",\"B\""))),
                        "{\"a\":{\"N\":\"1\"},\"b\":{\"S\":\"two\"}}");
    assert_string_equal(shown(arena, names_of(arena, SLICE_LITERAL("\"name-\",\"aa\""))), "{}");
}

/* As many names as a list may have: comparing each with each would take many seconds. */
static void many_names_are_fine(void **state) {
    struct arena *arena = *state;
    const struct field_list *names = names_of(arena, many_names(arena, "b"));
    assert_int_equal(names->count, NAMES_MANY);
    assert_string_equal(error_text(arena, projection_check_names(arena, names)), "ok");
    for (int i = 0; i < 1000; i++) {
        struct arena_mark mark = arena_mark(arena);
        assert_string_equal(shown(arena, names),
                            "{\"b\":{\"S\":\"two\"},\"name-7\":{\"BOOL\":true}}");
        arena_rewind(arena, mark);
    }
    names = names_of(arena, many_names(arena, "name-40000"));
    assert_string_equal(error_text(arena, projection_check_names(arena, names)),
                        DUPLICATE "name-40000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OPS_TEST(the_first_name_that_repeats_is_reported),
        OPS_TEST(the_order_of_the_request_is_kept),
        OPS_TEST(listed_attributes_are_shown),
        OPS_TEST(many_names_are_fine),
    };
    return cmocka_run_group_tests_name("ops projection", tests, NULL, NULL);
}
