/* test_writer.c - the JSON writer: commas, escapes, numbers, and the buffer's maximum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "json/writer.h"

struct output {
    struct buffer buffer;
    struct json_writer writer;
};

static int setup(void **state) {
    static struct output output;
    buffer_init(&output.buffer, 4096);
    json_writer_init(&output.writer, &output.buffer);
    *state = &output;
    return 0;
}

static int teardown(void **state) {
    struct output *output = *state;
    buffer_release(&output->buffer);
    return 0;
}

static void assert_output(struct output *output, const char *expected) {
    buffer_append_byte(&output->buffer, 0);
    assert_string_equal((const char *)output->buffer.data, expected);
    buffer_reset(&output->buffer);
    json_writer_init(&output->writer, &output->buffer);
}

static void commas_are_put_where_they_belong(void **state) {
    struct output *output = *state;
    struct json_writer *w = &output->writer;
    json_object_begin(w);
    JSON_NAME_LITERAL(w, "a");
    json_integer(w, 1);
    JSON_NAME_LITERAL(w, "b");
    json_array_begin(w);
    json_array_begin(w);
    json_array_end(w);
    json_object_begin(w);
    json_object_end(w);
    json_string(w, slice_text("x"));
    json_bool(w, true);
    json_bool(w, false);
    json_array_end(w);
    JSON_NAME_LITERAL(w, "c");
    json_object_begin(w);
    JSON_NAME_LITERAL(w, "d");
    json_base64(w, slice_text("hi"));
    JSON_NAME_LITERAL(w, "e");
    json_double(w, 1);
    json_object_end(w);
    JSON_NAME_LITERAL(w, "f");
    json_timestamp(w, 1715875234567);
    json_object_end(w);
    assert_output(output,
                  "{\"a\":1,\"b\":[[],{},\"x\",true,false],\"c\":{\"d\":\"aGk=\",\"e\":1.0},"
                  "\"f\":1715875234.567}");
}

static void strings_are_escaped(void **state) {
    struct output *output = *state;
    json_string(&output->writer, slice_text("plain, long enough for whole words / \xC3\xA9"));
    assert_output(output, "\"plain, long enough for whole words / \xC3\xA9\"");
    json_string(&output->writer, slice_text("\"\\\b\f\n\r\t\x01\x1f\x7f"));
    assert_output(output, "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    json_string(&output->writer, slice_of("a\0b", 3));
    assert_output(output, "\"a\\u0000b\"");
    json_string(&output->writer, slice_text(""));
    assert_output(output, "\"\"");
    json_name(&output->writer, slice_text("it's \"quoted\""));
    assert_output(output, "\"it's \\\"quoted\\\"\":");
}

/* Every length around the writer's words and blocks, with a special character at every place or
 * nowhere, and another one that must not hide it. */
static void escapes_are_found_at_every_place(void **state) {
    struct output *output = *state;
    static const char special[] = {'\n', '"', '\\'}, written[] = {'n', '"', '\\'};
    for (int len = 0; len <= 40; len++) {
        for (int at = 0; at <= len; at++) {
            char text[48], expected[64] = "\"";
            size_t end = 1;
            int kind = (len + at) % 3;
            for (int i = 0; i < len; i++) {
                bool escaped = i == at || i == at + 5;
                text[i] = (char)(escaped ? special[kind] : i % 7 == 3 ? '\xE9' : 'a' + i % 26);
                if (escaped)
                    expected[end++] = '\\';
                expected[end++] = escaped ? written[kind] : text[i];
            }
            memcpy(expected + end, "\"", 2);
            json_string(&output->writer, slice_of(text, (size_t)len));
            assert_output(output, expected);
        }
    }
}

static void numbers(void **state) {
    struct output *output = *state;
    static const struct {
        int64_t n;
        const char *text;
    } integers[] = {{0, "0"},
                    {7, "7"},
                    {-7, "-7"},
                    {1234567890, "1234567890"},
                    {INT64_MAX, "9223372036854775807"},
                    {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        json_integer(&output->writer, integers[i].n);
        assert_output(output, integers[i].text);
    }
    static const struct {
        double n;
        const char *text;
    } doubles[] = {{0, "0.0"},           {0.5, "0.5"},
                   {1, "1.0"},           {12.5, "12.5"},
                   {40000, "40000.0"},   {0.1, "0.1"},
                   {-2, "-2.0"},         {1.0 / 3, "0.3333333333333333"},
                   {-0.25, "-0.25"},     {1e300, "1e+300"},
                   {5e9, "5000000000.0"}};
    for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
        json_double(&output->writer, doubles[i].n);
        assert_output(output, doubles[i].text);
    }
    static const struct {
        int64_t ms;
        const char *text;
    } times[] = {{0, "0.000"}, {5, "0.005"}, {1715875234567, "1715875234.567"}, {-1500, "-1.500"}};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        json_timestamp(&output->writer, times[i].ms);
        assert_output(output, times[i].text);
    }
}

static void the_buffer_may_be_filled_to_its_maximum(void **state) {
    (void)state;
    struct buffer buffer;
    struct json_writer writer;
    buffer_init(&buffer, 9);
    json_writer_init(&writer, &buffer);
    json_string(&writer, slice_text("abcde\n"));
    assert_false(buffer.overflow);
    assert_int_equal(buffer.len, 9);
    json_string(&writer, slice_text(""));
    assert_true(buffer.overflow);
    buffer_reset(&buffer);
    json_writer_init(&writer, &buffer);
    json_base64(&writer, slice_text("0123456"));
    assert_true(buffer.overflow);
    buffer_release(&buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commas_are_put_where_they_belong, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_are_escaped, setup, teardown),
        cmocka_unit_test_setup_teardown(escapes_are_found_at_every_place, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers, setup, teardown),
        cmocka_unit_test(the_buffer_may_be_filled_to_its_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
