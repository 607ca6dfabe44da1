/* test_value_json_write.c - items to JSON at every length and alignment.
 *
 * The writer copies texts in blocks that reach over their ends, so the items here are in memory of
 * exactly their size, texts of every length stand in every place, and buffers have every maximum.
 * What is expected is put together one character at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/value_json.h"

enum { TEXT_MAX = 40, JSON_MAX = 1 << 16 };

struct fixture {
    struct arena arena;
    struct buffer flat, expected;
    struct value_builder builder;
};

static void fixture_init(struct fixture *f) {
    arena_init(&f->arena);
    buffer_init(&f->flat, JSON_MAX);
    buffer_init(&f->expected, JSON_MAX);
    value_builder_init(&f->builder, &f->flat, &f->arena);
    value_builder_open(&f->builder, VALUE_M);
    buffer_append_byte(&f->expected, '{');
}

static void fixture_release(struct fixture *f) {
    arena_release(&f->arena);
    buffer_release(&f->flat);
    buffer_release(&f->expected);
}

static void expect_text(struct buffer *out, struct slice text) {
    buffer_append_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n') {
            buffer_append_text(out, "\\n");
            continue;
        }
        if (text.data[i] == '"' || text.data[i] == '\\')
            buffer_append_byte(out, '\\');
        buffer_append_byte(out, text.data[i]);
    }
    buffer_append_byte(out, '"');
}

static void expect_name(struct fixture *f, struct slice name) {
    if (f->expected.len > 1)
        buffer_append_byte(&f->expected, ',');
    expect_text(&f->expected, name);
    buffer_append_byte(&f->expected, ':');
}

static void add_text(struct fixture *f, struct slice name, struct slice text) {
    value_builder_entry(&f->builder, name, VALUE_S, text);
    expect_name(f, name);
    buffer_append_text(&f->expected, "{\"S\":");
    expect_text(&f->expected, text);
    buffer_append_byte(&f->expected, '}');
}

static void add_number(struct fixture *f, struct slice name, const char *text) {
    struct number number;
    assert_int_equal(number_parse(slice_text(text), &number), NUMBER_OK);
    value_builder_entry(&f->builder, name, VALUE_N, number_slice(&number));
    expect_name(f, name);
    buffer_printf(&f->expected, "{\"N\":\"%s\"}", text);
}

static void add_bool(struct fixture *f, struct slice name, bool truth) {
    value_builder_name(&f->builder, name);
    value_builder_bool(&f->builder, truth);
    expect_name(f, name);
    buffer_append_text(&f->expected, truth ? "{\"BOOL\":true}" : "{\"BOOL\":false}");
}

/* Writes what was built to a buffer with that maximum; true when it fits, and then it is what was
 * expected. */
static bool fits(const struct fixture *f, size_t size_max) {
    uint8_t *bytes = malloc(f->flat.len);
    memcpy(bytes, f->flat.data, f->flat.len);
    struct buffer out;
    struct json_writer writer;
    buffer_init(&out, size_max);
    json_writer_init(&writer, &out);
    item_write_json(&writer, (struct value){bytes, f->flat.len});
    bool fit = !out.overflow;
    if (fit)
        assert_true(slice_equal(buffer_slice(&out), buffer_slice(&f->expected)));
    buffer_release(&out);
    free(bytes);
    return fit;
}

static void finish(struct fixture *f) {
    value_builder_close(&f->builder);
    buffer_append_byte(&f->expected, '}');
    assert_true(value_check(buffer_slice(&f->flat), 3));
}

static void check(struct fixture *f) {
    finish(f);
    assert_true(fits(f, JSON_MAX));
    fixture_release(f);
}

/* Letters and bytes that are not ASCII, with something to escape at `special`, if that is inside.
 */
static struct slice text_of(uint8_t text[TEXT_MAX], int len, int special) {
    for (int i = 0; i < len; i++)
        text[i] = (uint8_t)(i % 11 == 7 ? 0xE9 : 'b' + i % 24);
    if (special < len)
        text[special] = (uint8_t) "\n\"\\"[special % 3];
    return slice_of(text, (size_t)len);
}

/* The text under test is a value or a name, in the middle of the item or at its end. */
static void texts_of_every_length(void **state) {
    (void)state;
    for (int len = 0; len <= TEXT_MAX; len++) {
        for (int special = 0; special <= len; special++) {
            uint8_t memory[TEXT_MAX];
            struct slice text = text_of(memory, len, special);
            struct fixture f;
            fixture_init(&f);
            add_text(&f, SLICE_LITERAL("A"), text);
            add_text(&f, SLICE_LITERAL("B"), SLICE_LITERAL("long enough to read on after it"));
            check(&f);
            fixture_init(&f);
            add_text(&f, SLICE_LITERAL("A"), SLICE_LITERAL(""));
            add_text(&f, SLICE_LITERAL("B"), text);
            check(&f);
            fixture_init(&f);
            add_bool(&f, text, true);
            check(&f);
            fixture_init(&f);
            add_bool(&f, SLICE_LITERAL(""), false);
            add_number(&f, text.len == 0 ? SLICE_LITERAL("a") : text, "-12.5");
            check(&f);
        }
    }
}

static void numbers_of_every_form(void **state) {
    (void)state;
    static const char *const numbers[] = {
        "0",       "7",
        "10",      "-1",
        "100",     "1249.95",
        "0.5",     "-0.05",
        "0.001",   "1234567890123456789012345678.9012345678",
        "-1.5",    "99.99",
        "0.1",     "3000000",
        "-100000", "12345678901234567890123456789012345678",
    };
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_number(&f, arena_printf(&f.arena, "n%02zu", i), numbers[i]);
    char long_number[131] = "-0.";
    memset(long_number + 3, '0', 127);
    long_number[129] = '3';
    add_number(&f, SLICE_LITERAL("small"), long_number);
    memset(long_number, '0', 126);
    memcpy(long_number, "12", 2);
    long_number[126] = '\0';
    add_number(&f, SLICE_LITERAL("t"), long_number);
    check(&f);
}

/* A buffer that is just large enough is enough, whatever the short ways would like to have. */
static void every_maximum(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    add_bool(&f, SLICE_LITERAL("a"), true);
    add_text(&f, SLICE_LITERAL("b"), SLICE_LITERAL("a text of more than sixteen bytes"));
    add_text(&f, SLICE_LITERAL("c\"d"), SLICE_LITERAL("with a line\nand \"quotes\""));
    add_number(&f, SLICE_LITERAL("e"), "1249.95");
    add_text(&f, SLICE_LITERAL("f"), SLICE_LITERAL("short"));
    finish(&f);
    for (size_t size_max = 0; size_max < f.expected.len + 300; size_max++)
        assert_int_equal(fits(&f, size_max), size_max >= f.expected.len);
    fixture_release(&f);
}

/* More than one growth of the buffer on the way. */
static void many_entries(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    for (int i = 0; i < 500; i++) {
        struct slice name = arena_printf(&f.arena, "name%04d", i);
        if (i % 3 == 0)
            add_bool(&f, name, i % 2 == 0);
        else
            add_text(&f, name, i % 50 == 1 ? SLICE_LITERAL("\n") : name);
    }
    check(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_every_length),
        cmocka_unit_test(numbers_of_every_form),
        cmocka_unit_test(every_maximum),
        cmocka_unit_test(many_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
