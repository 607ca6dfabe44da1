/* test_reader.c - the JSON reader: tokens, strings, limits, and everything it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "json/reader.h"

static void print_token(struct buffer *out, const struct json_reader *reader) {
    static const char *const names[] = {
        [JSON_ERROR] = "error",      [JSON_END] = "end",        [JSON_OBJECT_BEGIN] = "{",
        [JSON_OBJECT_END] = "}",     [JSON_ARRAY_BEGIN] = "[",  [JSON_ARRAY_END] = "]",
        [JSON_NAME] = "name:",       [JSON_STRING] = "string:", [JSON_INTEGER] = "integer:",
        [JSON_DECIMAL] = "decimal:", [JSON_TRUE] = "true",      [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    if (out->len > 0)
        buffer_append_byte(out, ' ');
    buffer_append_text(out, names[reader->token]);
    if (reader->token >= JSON_NAME && reader->token <= JSON_DECIMAL)
        buffer_append_slice(out, reader->text);
}

/* The input's tokens as text. The input is copied to memory of just its size, so that a read past
 * its end is noticed. */
static void check_tokens(struct slice input, struct slice expected) {
    uint8_t *copy = malloc(input.len + (input.len == 0));
    assert_non_null(copy);
    memcpy(copy, input.data, input.len);
    struct arena arena;
    arena_init(&arena);
    struct buffer text;
    buffer_init(&text, 1 << 20);
    struct json_reader reader;
    json_reader_init(&reader, slice_of(copy, input.len), &arena);
    do {
        json_next(&reader);
        print_token(&text, &reader);
    } while (reader.token != JSON_END && reader.token != JSON_ERROR);
    if (!slice_equal(buffer_slice(&text), expected))
        print_error("%.*s\n  gives    %.*s\n  expected %.*s\n", SLICE_ARGS(input),
                    SLICE_ARGS(buffer_slice(&text)), SLICE_ARGS(expected));
    assert_true(slice_equal(buffer_slice(&text), expected));
    buffer_release(&text);
    arena_release(&arena);
    free(copy);
}

static void tokens_of_every_kind(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"1", "integer:1 end"},
        {" \t\r\n-0 \n", "integer:-0 end"},
        {"-12.50", "decimal:-12.50 end"},
        {"1e5", "decimal:1e5 end"},
        {"0E-7", "decimal:0E-7 end"},
        {"1.5e+300", "decimal:1.5e+300 end"},
        {"true", "true end"},
        {"false", "false end"},
        {"null", "null end"},
        {"\"\"", "string: end"},
        {"\"abc\"", "string:abc end"},
        {"[]", "[ ] end"},
        {"{}", "{ } end"},
        {"[ 1 , [ ] , { } ]", "[ integer:1 [ ] { } ] end"},
        {"{\"a\":1,\"b\":{\"c\":[true,null]},\"d\":\"x\"}",
         "{ name:a integer:1 name:b { name:c [ true null ] } name:d string:x } end"},
        {" { \"a\" : { \"S\" : \"x\" } } ", "{ name:a { name:S string:x } } end"},
        {"[\"a long string that is scanned eight bytes at a time\"]",
         "[ string:a long string that is scanned eight bytes at a time ] end"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_tokens(slice_text(cases[i][0]), slice_text(cases[i][1]));
}

static void syntax_errors(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "error"},
        {"  ", "error"},
        {"nul", "error"},
        {"True", "error"},
        {"+1", "error"},
        {".5", "error"},
        {"-", "error"},
        {"01", "error"},
        {"-01", "error"},
        {"1.", "error"},
        {"1.e5", "error"},
        {"1e", "error"},
        {"1e+", "error"},
        {"0x10", "integer:0 error"},
        {"NaN", "error"},
        {"1 2", "integer:1 error"},
        {"[1,]", "[ integer:1 error"},
        {"[,1]", "[ error"},
        {"[1 2]", "[ integer:1 error"},
        {"[1}", "[ integer:1 error"},
        {"{\"a\":1]", "{ name:a integer:1 error"},
        {"[", "[ error"},
        {"[1", "[ integer:1 error"},
        {"{", "{ error"},
        {"{\"a\"", "{ error"},
        {"{\"a\":", "{ name:a error"},
        {"{\"a\":1", "{ name:a integer:1 error"},
        {"{\"a\":1,}", "{ name:a integer:1 error"},
        {"{,}", "{ error"},
        {"{a:1}", "{ error"},
        {"{'a':1}", "{ error"},
        {"{\"a\" 1}", "{ error"},
        {"{1:1}", "{ error"},
        {"]", "error"},
        {"}", "error"},
        {"[1]]", "[ integer:1 ] error"},
        {"// comment\n1", "error"},
        {"\"abc", "error"},
        {"\"abc\\\"", "error"},
        {"\"abc\\", "error"},
        {"\"a\nb\"", "error"},
        {"\"a\tb\"", "error"},
        {"\"abcdefgh\x1fijklmnop\"", "error"},
        {"\"\\x41\"", "error"},
        {"\"\\u12g4\"", "error"},
        {"\"\\u123\"", "error"},
        {"\"\\u12", "error"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_tokens(slice_text(cases[i][0]), slice_text(cases[i][1]));
    check_tokens(slice_of("1\0", 2), slice_text("integer:1 error"));
    check_tokens(slice_of("\"a\0b\"", 5), slice_text("error"));
    check_tokens(slice_of("\xEF\xBB\xBF"
                          "1",
                          4),
                 slice_text("error"));
}

static void escapes(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "string:\"\\/\b\f\n\r\t end"},
        {"\"before \\u0041 after\"", "string:before A after end"},
        {"\"\\u00e9\\u00E9\"", "string:\xC3\xA9\xC3\xA9 end"},
        {"\"\\u20ac\"", "string:\xE2\x82\xAC end"},
        {"\"\\ud83d\\ude00!\"", "string:\xF0\x9F\x98\x80! end"},
        {"\"\\uDBFF\\uDFFF\"", "string:\xF4\x8F\xBF\xBF end"},
        {"{\"\\u0061\\\"b\":\"\\n\"}", "{ name:a\"b string:\n } end"},
        /* Surrogates without their partner. */
        {"\"\\ud83d\"", "error"},
        {"\"\\ud83d \\ude00\"", "error"},
        {"\"\\ud83d\\n\"", "error"},
        {"\"\\ud83d\\ud83d\"", "error"},
        {"\"\\ud83d\\u0041\"", "error"},
        {"\"\\ude00\"", "error"},
        {"\"\\ude00\\ud83d\"", "error"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_tokens(slice_text(cases[i][0]), slice_text(cases[i][1]));
    check_tokens(slice_text("\"\\u0000\""), slice_of("string:\0 end", 12));
}

static void utf8_is_checked(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        bool valid;
    } cases[] = {
        {"\xC2\x80", true},
        {"\xDF\xBF", true},
        {"\xE0\xA0\x80", true},
        {"\xED\x9F\xBF", true},
        {"\xEE\x80\x80", true},
        {"\xEF\xBF\xBF", true},
        {"\xF0\x90\x80\x80", true},
        {"\xF4\x8F\xBF\xBF", true},
        {"\x7F", true},
        {"\x80", false},
        {"\xBF", false},
        {"\xC0\x80", false},
        {"\xC1\xBF", false},
        {"\xC2", false},
        {"\xC2\x41", false},
        {"\xE0\x9F\xBF", false},
        {"\xED\xA0\x80", false},
        {"\xED\xBF\xBF", false},
        {"\xE2\x82", false},
        {"\xE2\x82\x41", false},
        {"\xF0\x8F\xBF\xBF", false},
        {"\xF4\x90\x80\x80", false},
        {"\xF5\x80\x80\x80", false},
        {"\xF0\x90\x80", false},
        {"\xFF", false},
        {"\xC3\xA9\xC3", false},
        {"\xFE\x80\x80\x80", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        /* At every place of a word, with and without text after it. */
        for (int before = 0; before < 9; before++) {
            char input[64], expected[64];
            snprintf(input, sizeof(input), "\"%.*s%s\"", before, "abcdefghi", cases[i].bytes);
            snprintf(expected, sizeof(expected), "string:%.*s%s end", before, "abcdefghi",
                     cases[i].bytes);
            check_tokens(slice_text(input), slice_text(cases[i].valid ? expected : "error"));
            snprintf(input, sizeof(input), "\"%.*s%s tail of text\"", before, "abcdefghi",
                     cases[i].bytes);
            snprintf(expected, sizeof(expected), "string:%.*s%s tail of text end", before,
                     "abcdefghi", cases[i].bytes);
            check_tokens(slice_text(input), slice_text(cases[i].valid ? expected : "error"));
        }
    }
}

static void plain_strings_are_not_copied(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct json_reader reader;
    struct slice input = SLICE_LITERAL("[\"plain text, \xC3\xA9\", \"with\\nescape\"]");
    json_reader_init(&reader, input, &arena);
    json_next(&reader);
    assert_int_equal(json_next(&reader), JSON_STRING);
    assert_ptr_equal(reader.text.data, input.data + 2);
    assert_null(arena.chunks);
    assert_int_equal(json_next(&reader), JSON_STRING);
    assert_non_null(arena.chunks);
    arena_release(&arena);
}

/* `depth` arrays, one in the other. */
static bool nested_arrays_are_read(size_t depth) {
    struct arena arena;
    arena_init(&arena);
    uint8_t *text = arena_alloc(&arena, 2 * depth);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    struct json_reader reader;
    json_reader_init(&reader, slice_of(text, 2 * depth), &arena);
    bool ok = json_finish(&reader);
    arena_release(&arena);
    return ok;
}

static void nesting_is_limited(void **state) {
    (void)state;
    assert_true(nested_arrays_are_read(1));
    assert_true(nested_arrays_are_read(JSON_DEPTH_MAX));
    assert_false(nested_arrays_are_read(JSON_DEPTH_MAX + 1));
    assert_false(nested_arrays_are_read(100000));
}

static void skip_ends_after_the_value(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct json_reader reader;
    json_reader_init(
        &reader, slice_text("{\"a\":{\"b\":[1,{\"c\":\"\\n\"}]},\"d\":\"\\t\",\"e\":[],\"f\":[1,}"),
        &arena);
    json_next(&reader);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(json_next(&reader), JSON_NAME);
        assert_int_equal(reader.text.data[0], "ade"[i]);
        json_next(&reader);
        assert_true(json_skip(&reader));
    }
    assert_int_equal(json_next(&reader), JSON_NAME);
    json_next(&reader);
    assert_false(json_skip(&reader));
    assert_int_equal(json_next(&reader), JSON_ERROR);
    assert_false(json_skip(&reader));
    assert_false(json_finish(&reader));
    arena_release(&arena);
}

static void tagged_strings_are_taken_whole(void **state) {
    (void)state;
    static const struct {
        const char *json;
        uint8_t letter;
        const char *text;
    } cases[] = {
        {"[{\"S\":\"text\"},1]        ", 'S', "text"},
        {"[{\"N\": \"\"},1]          ", 'N', ""},
        {"[{\"S\":\"x\"},1]", 'S', "x"},
        {"[{\"S\":\"x\"", 0, NULL},
        {"[{\"S\":\"x", 0, NULL},
        {"[{\"S\": ", 0, NULL},
        {"[{\"S\":\"a text of several words\"},1]        ", 'S', "a text of several words"},
        {"[{\"B\":\"text\"},1]        ", 0, NULL},
        {"[{\"S\":\"te\\n\"},1]       ", 0, NULL},
        {"[{\"S\":\"\xC3\xA9\"},1]       ", 0, NULL},
        {"[{\"S\":\"x\" },1]         ", 0, NULL},
        {"[{\"S\":\"x\",\"N\":\"1\"},1]        ", 0, NULL},
        {"[{\"SS\":\"x\"},1]         ", 0, NULL},
        {"[{\"S\":1},1]            ", 0, NULL},
        {"[{}                     ", 0, NULL},
        {"[{\"S", 0, NULL},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct json_reader reader;
        json_reader_init(&reader, slice_text(cases[i].json), &arena);
        json_next(&reader);
        json_next(&reader);
        const uint8_t *next = reader.next;
        assert_int_equal(json_take_tagged(&reader, 'S', 'N'), cases[i].letter);
        if (cases[i].letter == 0) {
            assert_ptr_equal(reader.next, next);
            assert_int_equal(reader.token, JSON_OBJECT_BEGIN);
            continue;
        }
        assert_true(slice_is(reader.text, cases[i].text));
        assert_int_equal(reader.token, JSON_OBJECT_END);
        assert_int_equal(json_next(&reader), JSON_INTEGER);
        assert_true(json_finish(&reader));
    }
    arena_release(&arena);
}

/* Of an object's members, how many are taken at once; the others are read token by token. However
 * they are read, the tokens after them are the same. */
static void tagged_members_are_taken_whole(void **state) {
    (void)state;
    static const struct {
        const char *json;
        int taken, others;
    } cases[] = {
        {"{}", 0, 0},
        {"{\"pk\":{\"S\":\"x\"}}", 1, 0},
        {"{\"pk\": {\"S\": \"x\"}, \"n\": {\"N\": \"12\"}}", 2, 0},
        {"{\"\":{\"S\":\"\"},\"a name of several words\":{\"S\":\"a text of several words\"}}", 2,
         0},
        {"{ \"a\":{\"S\":\"x\"} ,\"b\":{\"S\":\"x\"}}", 0, 2},
        {"{\"a\" :{\"S\":\"x\"},\"b\":{\"S\":\"x\" },\"c\":{\"S\" :\"x\"},\"d\":{\"S\":\"x\"}}", 1,
         3},
        {"{\"a\":{\"B\":\"eA==\"},\"b\":{\"SS\":[\"x\"]},\"c\":{\"S\":\"x\",\"N\":\"1\"}}", 0, 3},
        {"{\"a\":{\"S\":\"\\n\"},\"\\u0062\":{\"S\":\"x\"},\"\xC3\xA9\":{\"S\":\"x\"},\"d\":{\"S\":"
         "\"\xC3\xA9\"}}",
         0, 4},
        {"{\"a\":null,\"b\":{\"S\":null},\"c\":{\"S\":1},\"d\":[],\"e\":{\"N\":\"1\"}}", 1, 4},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct json_reader reader;
        json_reader_init(&reader, slice_text(cases[i].json), &arena);
        assert_int_equal(json_next(&reader), JSON_OBJECT_BEGIN);
        int taken = 0, others = 0;
        struct slice name;
        for (;;) {
            if (json_take_tagged_member(&reader, 'S', 'N', &name)) {
                taken++;
                continue;
            }
            if (!json_next_name(&reader))
                break;
            others++;
            json_next(&reader);
            assert_true(json_skip(&reader));
        }
        assert_int_equal(taken, cases[i].taken);
        assert_int_equal(others, cases[i].others);
        assert_int_equal(reader.token, JSON_OBJECT_END);
        assert_true(json_finish(&reader));
    }
    arena_release(&arena);
}

/* Whatever is cut off, the short ways take nothing that is not there, and the rest is an error. */
static void members_that_are_cut_off(void **state) {
    (void)state;
    static const char whole[] = "{\"pk\": {\"S\": \"text\"}, \"n\":{\"N\":\"12\"}}";
    struct arena arena;
    arena_init(&arena);
    for (size_t len = 1; len < sizeof(whole) - 1; len++) {
        uint8_t *json = malloc(len); /* where reading on would be noticed */
        memcpy(json, whole, len);
        struct json_reader reader;
        json_reader_init(&reader, slice_of(json, len), &arena);
        json_next(&reader);
        struct slice name;
        while (json_take_tagged_member(&reader, 'S', 'N', &name))
            continue;
        assert_true(reader.next <= json + len);
        assert_false(json_finish(&reader));
        json_reader_init(&reader, slice_of(json, len), &arena);
        json_next(&reader);
        while (json_next_name(&reader) && json_next(&reader) != JSON_ERROR && json_skip(&reader))
            continue;
        assert_int_equal(reader.token, JSON_ERROR);
        free(json);
    }
    arena_release(&arena);
}

/* Names and values may go as deep as brackets do, by either way. */
static void members_are_limited_in_depth(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (uint32_t depth = JSON_DEPTH_MAX - 1; depth <= JSON_DEPTH_MAX; depth++) {
        uint8_t *json = arena_alloc(&arena, 5 * (size_t)depth + 64);
        uint8_t *at = json;
        for (uint32_t i = 0; i + 1 < depth; i++, at += 5)
            memcpy(at, "{\"a\":", 5);
        memcpy(at, "{\"b\":{\"S\":\"x\"},\"c\":1            ", 32);
        struct json_reader reader;
        json_reader_init(&reader, slice_of(json, (size_t)(at - json) + 32), &arena);
        for (uint32_t i = 0; i < 2 * depth - 1; i++)
            json_next(&reader);
        assert_int_equal(reader.depth, depth);
        struct slice name;
        assert_int_equal(json_take_tagged_member(&reader, 'S', 'N', &name),
                         depth < JSON_DEPTH_MAX ? 'S' : 0);
        assert_int_equal(json_next(&reader), JSON_NAME);
    }
    arena_release(&arena);
}

static void finish_reads_to_the_end(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct json_reader reader;
    json_reader_init(&reader, slice_text("{\"a\":[1,2,{}]} \n"), &arena);
    json_next(&reader);
    json_next(&reader);
    assert_true(json_finish(&reader));
    assert_true(json_finish(&reader));
    json_reader_init(&reader, slice_text("{\"a\":[1,2,{}]} x"), &arena);
    json_next(&reader);
    assert_false(json_finish(&reader));
    json_reader_init(&reader, SLICE_NONE, &arena);
    assert_false(json_finish(&reader));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_of_every_kind),
        cmocka_unit_test(syntax_errors),
        cmocka_unit_test(escapes),
        cmocka_unit_test(utf8_is_checked),
        cmocka_unit_test(plain_strings_are_not_copied),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(skip_ends_after_the_value),
        cmocka_unit_test(tagged_strings_are_taken_whole),
        cmocka_unit_test(tagged_members_are_taken_whole),
        cmocka_unit_test(members_that_are_cut_off),
        cmocka_unit_test(members_are_limited_in_depth),
        cmocka_unit_test(finish_reads_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
