/* test_printable.c - what a terminal would act on is not shown to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/printable.h"

static void expect(const char *given, const char *lines, const char *line) {
    char text[64];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s", given);
    make_printable(text, len, true);
    assert_string_equal(text, lines);
    snprintf(text, sizeof(text), "%s", given);
    make_printable(text, len, false);
    assert_string_equal(text, line);
}

static void texts(void **state) {
    (void)state;
    expect("", "", "");
    expect("plain ~ text", "plain ~ text", "plain ~ text");
    expect("gr\u00e4mme \u20ac \U0001f600", "gr\u00e4mme \u20ac \U0001f600",
           "gr\u00e4mme \u20ac \U0001f600");
    expect("two\nlines\tand", "two\nlines\tand", "two?lines?and");
    expect("\033[2J\033]0;title\007", "?[2J?]0;title?", "?[2J?]0;title?");
    expect("a\rb\bc\177", "a?b?c?", "a?b?c?");
    expect("\xc2\x9b"
           "31m\xc2\x80",
           "??31m??", "??31m??"); /* the same as one character */
    expect("\u202egpj.exe\u202c \u2066x\u2069", "???gpj.exe??? ???x???", "???gpj.exe??? ???x???");
    expect("\u2029\u202f\u2065", "\u2029\u202f\u2065", "\u2029\u202f\u2065");
    expect("cut \xe2\x80", "cut \xe2\x80", "cut \xe2\x80");
    expect("cut \xc2", "cut \xc2", "cut \xc2");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts)};
    return cmocka_run_group_tests_name("printable", tests, NULL, NULL);
}
