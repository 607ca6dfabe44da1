/* test_service.c - three protocols in, one tree; one answer, three protocols out; and the checks in
 * between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "service/answer.h"
#include "service/cbor.h"
#include "service/form_tree.h"
#include "service/input.h"
#include "service/limits.h"
#include "service/service.h"

struct scene {
    struct arena arena;
    struct buffer out;
};

static int set_up(void **state) {
    static struct scene scene;
    arena_init(&scene.arena);
    buffer_init(&scene.out, 1 << 16);
    *state = &scene;
    return 0;
}

static int tear_down(void **state) {
    struct scene *scene = *state;
    arena_release(&scene->arena);
    buffer_release(&scene->out);
    return 0;
}

/* ---- trees ---- */

static void print(struct buffer *out, const struct json_value *value) {
    if (slice_present(value->name))
        buffer_printf(out, "%.*s:", SLICE_ARGS(value->name));
    bool object = value->kind == JSON_OBJECT_BEGIN;
    if (object || value->kind == JSON_ARRAY_BEGIN) {
        buffer_append_byte(out, object ? '{' : '[');
        for (const struct json_value *item = value->first; item != NULL; item = item->next) {
            print(out, item);
            if (item->next != NULL)
                buffer_append_byte(out, ' ');
        }
        buffer_append_byte(out, object ? '}' : ']');
    } else if (value->kind == JSON_STRING) {
        buffer_printf(out, "'%.*s'", SLICE_ARGS(value->text));
    } else if (slice_present(value->text)) {
        buffer_append_slice(out, value->text);
    } else {
        buffer_append_text(out, value->kind == JSON_TRUE    ? "true"
                                : value->kind == JSON_FALSE ? "false"
                                                            : "null");
    }
}

static const char *text_of(struct scene *scene, const struct json_value *value) {
    if (value == NULL)
        return "wrong";
    buffer_reset(&scene->out);
    print(&scene->out, value);
    return (const char *)arena_printf(&scene->arena, "%.*s", SLICE_ARGS(buffer_slice(&scene->out)))
        .data;
}

static const char *cbor(struct scene *scene, const char *hex) {
    size_t len = strlen(hex) / 2;
    uint8_t *bytes = malloc(len == 0 ? 1 : len); /* its end is watched */
    for (size_t i = 0; i < len; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    const char *text = text_of(scene, cbor_tree_read(&scene->arena, slice_of(bytes, len)));
    free(bytes);
    return text;
}

static void cbor_is_read(void **state) {
    struct scene *scene = *state;
    assert_string_equal(cbor(scene, "a0"), "{}");
    assert_string_equal(cbor(scene, "a2616101616282f5f6"), "{a:1 b:[true null]}");
    assert_string_equal(cbor(scene, "bf61619fff6162f4ff"), "{a:[] b:false}");
    assert_string_equal(cbor(scene, "83186419ffff1a00010000"), "[100 65535 65536]");
    assert_string_equal(cbor(scene, "82203903e7"), "[-1 -1000]");
    assert_string_equal(cbor(scene, "83f93e00fa3fc00000fb3ff8000000000000"), "[1.5 1.5 1.5]");
    assert_string_equal(cbor(scene, "84f90001f97c00f9fc00f97e00"),
                        "[5.9604644775390625e-08 inf -inf nan]");
    assert_string_equal(cbor(scene, "c1fb41dabe6de0000000"), "1794750336");
    assert_string_equal(cbor(scene, "c11a6af9b780"), "1794750336");
    assert_string_equal(cbor(scene, "7f616162c3a4ff"), "'a\xc3\xa4'");
    assert_string_equal(cbor(scene, "43010203"), "'AQID'");
}

static void what_is_no_cbor_is_refused(void **state) {
    struct scene *scene = *state;
    static const char *const wrong[] = {
        "",   "a1", "a10101", "6161616161",           "62c3", "61ff", "9f01",   "9bffffffff",
        "1c", "ff", "f8",     "9bffffffffffffffff00", "a0a0", "f820", "7f01ff", "df00",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        if (strcmp(cbor(scene, wrong[i]), "wrong") != 0)
            fail_msg("%s", wrong[i]);
    char deep[2 * (CBOR_DEPTH_MAX + 2) + 1];
    for (size_t i = 0; i < sizeof(deep) - 1; i++)
        deep[i] = i % 2 == 0 ? '8' : '1';
    deep[sizeof(deep) - 1] = 0;
    assert_string_equal(cbor(scene, deep), "wrong");
}

static void cbor_has_a_limit(void **state) {
    struct scene *scene = *state;
    size_t len = 5 + CBOR_VALUES_MAX + 1;
    uint8_t *bytes = calloc(1, len); /* a list of zeros */
    bytes[0] = 0x9A;
    store_u32_be(bytes + 1, CBOR_VALUES_MAX);
    assert_non_null(cbor_tree_read(&scene->arena, slice_of(bytes, len - 1)));
    store_u32_be(bytes + 1, CBOR_VALUES_MAX + 1);
    assert_null(cbor_tree_read(&scene->arena, slice_of(bytes, len)));
    free(bytes);
}

/* ---- the memory of what is read ---- */

/* A body that repeats `unit` between a head and an end. */
static struct slice repeated(struct scene *scene, struct slice head, struct slice unit,
                             struct slice end, size_t count) {
    uint8_t *bytes = arena_alloc(&scene->arena, head.len + count * unit.len + end.len), *at = bytes;
    memcpy(at, head.data, head.len);
    at += head.len;
    for (size_t i = 0; i < count; i++, at += unit.len)
        memcpy(at, unit.data, unit.len);
    memcpy(at, end.data, end.len);
    return slice_of(bytes, (size_t)(at - bytes) + end.len);
}

#define REPEATED(head, unit, end, count) \
    repeated(scene, SLICE_LITERAL(head), SLICE_LITERAL(unit), SLICE_LITERAL(end), (count))

/* What it takes to read them, besides themselves. */
static size_t held_by_cbor(struct slice body, bool expected) {
    struct arena arena;
    arena_init(&arena);
    assert_int_equal(cbor_tree_read(&arena, body) != NULL, expected);
    size_t held = arena.held;
    arena_release(&arena);
    return held;
}

static void strings_in_pieces_take_what_they_are_long(void **state) {
    struct scene *scene = *state;
    enum { COUNT = 30000, EACH = 160 }; /* with the red zones of a sanitizer build */
    struct slice empty = REPEATED("\x9f", "\x7f\xff", "\xff", COUNT);
    assert_in_range(held_by_cbor(empty, true), 1, COUNT * EACH);
    struct slice short_ones = REPEATED("\x9f", "\x7f\x61x\x60\x62yz\xff", "\xff", COUNT);
    assert_in_range(held_by_cbor(short_ones, true), 1, COUNT * EACH);
    struct slice open = REPEATED("\x9f", "\x7f\x61x", "", COUNT);
    assert_in_range(held_by_cbor(open, false), 1, COUNT * EACH);
    assert_string_equal(cbor(scene, "7f6161606262637f"), "wrong");
    assert_string_equal(cbor(scene, "5f4101404202ffff"), "'AQL/'");
}

/* A megabyte of fields whose paths have many parts, and share the first one only. */
static struct slice form_of_long_paths(struct scene *scene) {
    char path[] = "aaaa.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a&";
    size_t len = sizeof(path) - 1, count = SERVICE_BODY_BYTES_MAX / len;
    uint8_t *body = arena_alloc(&scene->arena, count * len);
    for (size_t i = 0; i < count; i++) {
        for (size_t digit = 0, rest = i; digit < 4; digit++, rest /= 26)
            path[digit] = (char)('a' + rest % 26);
        memcpy(body + i * len, path, len);
    }
    return slice_of(body, count * len);
}

/* Reading the largest body takes at most half of a request's memory. The operation has the rest. */
static void the_largest_bodies_are_within_the_limit(void **state) {
    struct scene *scene = *state;
    enum { MB = SERVICE_BODY_BYTES_MAX, HALF = LIMIT_SERVICE_MEMORY_BYTES / 2 };
    struct slice floats = REPEATED("\x9f", "\xf9\x12\x34", "\xff", MB / 3 - 1);
    struct slice pieces = REPEATED("\xbf", "\x7f\xff\xf6", "\xff", MB / 3 - 1);
    struct slice too_many = REPEATED("\x9f", "\x20", "\xff", MB - 2);
    struct arena arena;
    struct form read;
    assert_in_range(held_by_cbor(floats, true), MB, HALF);
    assert_in_range(held_by_cbor(pieces, true), MB, HALF);
    assert_in_range(held_by_cbor(too_many, false), MB, HALF);
    arena_init(&arena);
    assert_non_null(json_tree_read(&arena, REPEATED("[0", ",0", "]", MB / 2 - 2), NULL));
    assert_in_range(arena.held, MB, HALF);
    arena_release(&arena);
    assert_true(form_read_within(&arena, form_of_long_paths(scene), MB, 100000, &read));
    assert_non_null(form_tree(&arena, &read));
    assert_in_range(arena.held, MB, HALF);
    arena_release(&arena);
}

static const char *form(struct scene *scene, const char *body) {
    struct form fields;
    assert_true(form_read(&scene->arena, slice_text(body), &fields));
    return text_of(scene, form_tree(&scene->arena, &fields));
}

static void forms_are_trees(void **state) {
    struct scene *scene = *state;
    assert_string_equal(form(scene, "Action=A&Version=1"), "{Action:'A' Version:'1'}");
    assert_string_equal(form(scene, "D.member.2.V=b&D.member.10.V=c&D.member.1.V=a&D.member.1.N=n"),
                        "{D:[{N:'n' V:'a'} {V:'b'} {V:'c'}]}");
    assert_string_equal(
        form(scene, "M.member.1.V.member.1=1.5&M.member.1.V.member.2=2&M.member.2.V="),
        "{M:[{V:['1.5' '2']} {V:''}]}");
    assert_string_equal(form(scene, "a=1&a=2&&"), "{a:'1'}");
    assert_string_equal(form(scene, "a.b.c=1&a.d=2&a.b.e=3"), "{a:{b:{c:'1' e:'3'} d:'2'}}");
    assert_string_equal(form(scene, "a=1&a.b=2"), "wrong");
    assert_string_equal(form(scene, "a.b=1&a.member.1=2"), "wrong");
    assert_string_equal(form(scene, "a.member.x=1"), "wrong");
    assert_string_equal(form(scene, "a=%ff"), "wrong");
    assert_string_equal(form(scene, "a..b=1"), "wrong");
}

/* ---- answers ---- */

static struct slice answered(struct scene *scene, enum answer_form protocol) {
    struct answer answer;
    buffer_reset(&scene->out);
    answer_init(&answer, protocol, &scene->out);
    answer_text(&answer, "t", SLICE_LITERAL("<\"x\">"));
    answer_list(&answer, "l");
    answer_object(&answer, NULL);
    answer_number(&answer, "n", 1.5);
    answer_integer(&answer, "i", -300);
    answer_end(&answer);
    answer_object(&answer, NULL);
    answer_bool(&answer, "b", true);
    answer_end(&answer);
    answer_end(&answer);
    answer_list(&answer, "v");
    answer_number(&answer, NULL, 3);
    answer_number(&answer, NULL, 1e100);
    answer_end(&answer);
    answer_time(&answer, "at", 1794744000000);
    answer_time(&answer, "ms", 1794744000123);
    answer_finish(&answer);
    assert_false(scene->out.overflow);
    return arena_printf(&scene->arena, "%.*s", SLICE_ARGS(buffer_slice(&scene->out)));
}

static void an_answer_has_three_forms(void **state) {
    struct scene *scene = *state;
    assert_string_equal((const char *)answered(scene, ANSWER_JSON).data,
                        "{\"t\":\"<\\\"x\\\">\",\"l\":[{\"n\":1.5,\"i\":-300},{\"b\":true}],"
                        "\"v\":[3.0,1e+100],\"at\":1794744000,\"ms\":1794744000.123}");
    assert_string_equal(
        (const char *)answered(scene, ANSWER_XML).data,
        "<t>&lt;&quot;x&quot;&gt;</t><l><member><n>1.5</n><i>-300</i></member><member>"
        "<b>true</b></member></l><v><member>3.0</member><member>1e+100</member></v>"
        "<at>2026-11-15T12:00:00Z</at><ms>2026-11-15T12:00:00.123Z</ms>");
    answered(scene, ANSWER_CBOR);
    struct slice bytes = arena_slice(&scene->arena, buffer_slice(&scene->out));
    assert_string_equal(text_of(scene, cbor_tree_read(&scene->arena, bytes)),
                        "{t:'<\"x\">' l:[{n:1.5 i:-300} {b:true}] v:[3 1e+100] "
                        "at:1794744000 ms:1794744000.1229999}");
}

/* ---- input ---- */

static const struct input_field dimension[] = {
    INPUT("Name", INPUT_TEXT, .required = true, .min = 1, .max = 5),
    INPUT("Value", INPUT_TEXT, .max = 5),
    INPUT_END,
};

static const struct input_field fields[] = {
    INPUT("Period", INPUT_INTEGER, .min = 1, .max = 100),
    INPUT("Unit", INPUT_TEXT, .words = "[Bytes, Count/Second]"),
    INPUT("At", INPUT_TIME),
    INPUT("On", INPUT_BOOL),
    INPUT("N", INPUT_NUMBER),
    INPUT("Stats", INPUT_LIST, .max = 2, .items = INPUT_TEXT, .item_words = "[Sum, Average]"),
    INPUT("Dimensions", INPUT_LIST, .max = 2, .items = INPUT_OBJECT, .members = dimension),
    INPUT_END,
};

static const char *check(struct scene *scene, const char *json, enum error_code missing) {
    const struct json_value *input = json_tree_read(&scene->arena, slice_text(json), NULL);
    const struct input_rules rules = {false, missing};
    struct error *error = input_check(&scene->arena, input, fields, &rules);
    return error == NULL
               ? "fine"
               : (const char *)arena_printf(&scene->arena, "%.*s", SLICE_ARGS(error->message)).data;
}

static void inputs_are_checked(void **state) {
    struct scene *scene = *state;
    enum error_code missing = ERROR_CLOUDWATCH_MISSING_PARAMETER;
    assert_string_equal(check(scene, "{}", missing), "fine");
    assert_string_equal(check(scene,
                              "{\"Period\":60,\"Unit\":\"Bytes\",\"At\":1.5,\"On\":true,"
                              "\"N\":1e3,\"Stats\":[\"Sum\"],\"Dimensions\":[{\"Name\":"
                              "\"a\",\"Value\":null}],\"Other\":{}}",
                              missing),
                        "fine");
    assert_string_equal(check(scene, "{\"Period\":\"60\"}", missing), "Period has another type");
    assert_string_equal(check(scene, "{\"Dimensions\":[{\"Name\":\"a\"},{}]}", missing),
                        "The parameter Dimensions.member.2.Name is required.");
    assert_string_equal(check(scene, "{\"Dimensions\":[{\"Name\":\"a\"},{}]}", ERROR_VALIDATION),
                        "1 validation error detected: Value null at 'dimensions.2.member.name' "
                        "failed to satisfy constraint: Member must not be null");
    assert_string_equal(
        check(scene, "{\"Period\":0,\"Stats\":[\"Sum\",\"Max\",\"Sum\"]}", missing),
        "3 validation errors detected: Value '0' at 'period' failed to satisfy constraint: Member "
        "must have value greater than or equal to 1; Value 'Max' at 'stats.2.member' failed to "
        "satisfy constraint: Member must satisfy enum value set: [Sum, Average]; Value '[...]' at "
        "'stats' failed to satisfy constraint: Member must have length less than or equal to 2");
    assert_string_equal(
        check(scene, "{\"Dimensions\":[{\"Name\":\"\xc3\xa4\xc3\xa4\xc3\xa4\"}]}", missing),
        "fine");
}

static void a_form_is_read_by_its_table(void **state) {
    struct scene *scene = *state;
    struct form read;
    const struct input_rules rules = {true, ERROR_VALIDATION};
    int64_t at;
    assert_true(form_read(&scene->arena,
                          slice_text("Period=60&On=true&N=2.5&At=2026-11-15T12%3A00%3A00.5Z"
                                     "&Dimensions=&Unit=Bytes"),
                          &read));
    const struct json_value *input = form_tree(&scene->arena, &read);
    assert_null(input_check(&scene->arena, input, fields, &rules));
    assert_int_equal(input_integer(input, "Period", 1), 60);
    assert_true(input_bool(input, "On", false));
    assert_true(input_number(input, "N", 0) == 2.5);
    assert_true(input_time(input, "At", &at));
    assert_int_equal(at, 1794744000500);
    assert_int_equal(input_count(input, "Dimensions"), 0);
    assert_int_equal(input_integer(input, "Other", 7), 7);
    assert_false(input_has(input, "Stats"));
    assert_true(form_read(&scene->arena, slice_text("Period=6x"), &read));
    assert_non_null(input_check(&scene->arena, form_tree(&scene->arena, &read), fields, &rules));
}

/* The end of the text is watched. */
static bool read_time(const char *text, int64_t *ret_ms) {
    size_t len = strlen(text);
    uint8_t *bytes = malloc(len);
    struct json_value at = {.kind = JSON_STRING,
                            .name = SLICE_LITERAL("At"),
                            .text = slice_of(memcpy(bytes, text, len), len)};
    const struct json_value input = {.kind = JSON_OBJECT_BEGIN, .first = &at};
    bool fine = input_time(&input, "At", ret_ms);
    free(bytes);
    return fine;
}

static void times_are_read_to_their_end(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* -1: it is no time */
    } times[] = {
        {"2026-11-15T12:00:00", 1794744000000},
        {"2026-11-15T12:00:00Z", 1794744000000},
        {"2026-11-15T12:00:00.5+00:00", 1794744000500},
        {"2026-11-15T12:00:00.1239999999999999999999Z", 1794744000123},
        {"2026-11-15T12:00:00.", 1794744000000},
        {"2026-11-15T12:00:00.1.2", -1},
        {"2026-11-15T12:00:00.5+01:00", -1},
    };
    int64_t ms;
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        bool fine = read_time(times[i].text, &ms);
        assert_int_equal(fine ? ms : -1, times[i].ms);
    }
    char dots[60] = "2026-11-15T12:00:00.";
    for (size_t len = strlen(dots); len < sizeof(dots) - 1; len++) {
        dots[len] = '.';
        assert_false(read_time(dots, &ms));
    }
}

static void errors_have_codes_of_old(void **state) {
    struct scene *scene = *state;
    static const struct {
        enum error_code code;
        const char *query;
    } pairs[] = {
        {ERROR_CLOUDWATCH_INVALID_VALUE, "InvalidParameterValue"},
        {ERROR_CLOUDWATCH_INVALID_COMBINATION, "InvalidParameterCombination"},
        {ERROR_CLOUDWATCH_NOT_FOUND, "ResourceNotFound"},
        {ERROR_CLOUDWATCH_LIMIT_EXCEEDED, "LimitExceeded"},
        {ERROR_VALIDATION, "ValidationError"},
        {ERROR_EXPIRED_TOKEN, "ExpiredToken"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        struct error *error = error_without_text(&scene->arena, pairs[i].code);
        assert_true(slice_is(service_query_code(&scene->arena, error), pairs[i].query));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cbor_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_cbor_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cbor_has_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strings_in_pieces_take_what_they_are_long, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_largest_bodies_are_within_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forms_are_trees, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_answer_has_three_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inputs_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_form_is_read_by_its_table, set_up, tear_down),
        cmocka_unit_test(times_are_read_to_their_end),
        cmocka_unit_test_setup_teardown(errors_have_codes_of_old, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
