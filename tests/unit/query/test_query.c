/* test_query.c - forms as clients send them, and texts as XML has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/form.h"
#include "query/xml.h"

static void forms(void **state) {
    (void)state;
    struct arena arena;
    struct form form;
    arena_init(&arena);
    assert_true(form_read(&arena, SLICE_LITERAL("Action=A&b=1+2%2B3&&c&=x&d=&b=2"), &form));
    assert_int_equal(form.count, 6);
    assert_true(slice_is(form_find(&form, "Action"), "A"));
    assert_true(slice_is(form_find(&form, "b"), "1 2+3"));
    assert_true(slice_is(form_find(&form, "c"), ""));
    assert_true(slice_is(form_find(&form, ""), "x"));
    assert_true(slice_is(form_find(&form, "d"), ""));
    assert_false(slice_present(form_find(&form, "e")));
    assert_true(form_read(&arena, SLICE_LITERAL(""), &form));
    assert_int_equal(form.count, 0);
    arena_release(&arena);
}

static void a_form_is_bounded(void **state) {
    (void)state;
    struct arena arena;
    struct form form;
    arena_init(&arena);
    uint8_t *body = arena_alloc(&arena, FORM_FIELDS_MAX);
    memset(body, '&', FORM_FIELDS_MAX);
    assert_true(form_read(&arena, slice_of(body, FORM_FIELDS_MAX - 1), &form));
    assert_false(form_read(&arena, slice_of(body, FORM_FIELDS_MAX), &form));
    uint8_t *longer = arena_zalloc(&arena, FORM_BYTES_MAX + 1);
    assert_true(form_read(&arena, slice_of(longer, FORM_BYTES_MAX), &form));
    assert_false(form_read(&arena, slice_of(longer, FORM_BYTES_MAX + 1), &form));
    arena_release(&arena);
}

static void texts(void **state) {
    (void)state;
    struct buffer out;
    buffer_init(&out, 1024);
    xml_open_root(&out, "R", "https://x/");
    xml_text(&out, "A", SLICE_LITERAL("<a href=\"x\">&\n\r\x01"));
    xml_close(&out, "R");
    assert_true(
        slice_is(buffer_slice(&out),
                 "<R xmlns=\"https://x/\"><A>&lt;a href=&quot;x&quot;&gt;&amp;\n&#xD;?</A></R>"));
    buffer_release(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(a_form_is_bounded),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
