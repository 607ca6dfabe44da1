/* test_log.c - lines as text and as JSON, levels, what is too long, and how many there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/log.h"

static char written[8192];

/* What `write` logs, without the time that it begins with. */
static const char *lines_of(void (*write)(void)) {
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    write();
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    ssize_t len = read(ends[0], written, sizeof(written) - 1);
    close(ends[0]);
    written[len < 0 ? 0 : len] = '\0';
    return written;
}

/* From the first blank or the end of the time on. */
static const char *after_time(const char *line) {
    return line[0] == '{' ? line + strlen("{\"time\":\"2026-11-16T08:30:00.123Z\",") : line + 25;
}

static void write_three(void) {
    log_info("one %d", 1);
    log_warning("two \"quoted\" \\ and\ttab");
    log_error("three");
}

static void write_fields(void) {
    const struct log_field fields[] = {{.name = "table", .text = SLICE_LITERAL("mu\"sic")},
                                       {.name = "ms", .number = 1.25},
                                       {.name = "items", .number = 3}};
    log_fields(LOG_LEVEL_WARNING, "slow", fields, 3);
}

static void write_long(void) {
    char text[5000];
    memset(text, '"', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    log_error("%s", text);
}

static void test_text(void **state) {
    (void)state;
    log_configure(LOG_LEVEL_INFO, LOG_FORMAT_TEXT);
    assert_string_equal(after_time(lines_of(write_fields)),
                        "warning slow table=mu\"sic ms=1.25 items=3\n");
    assert_string_equal(strstr(lines_of(write_three), "Z error"), "Z error three\n");
    assert_non_null(strstr(written, "Z info one 1\n"));
}

static void test_json(void **state) {
    (void)state;
    log_configure(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    assert_string_equal(after_time(lines_of(write_fields)),
                        "\"level\":\"warning\",\"message\":\"slow\",\"table\":\"mu\\\"sic\","
                        "\"ms\":1.25,\"items\":3}\n");
    assert_non_null(strstr(lines_of(write_three), "\"two \\\"quoted\\\" \\\\ and\\u0009tab\"}\n"));
}

static void test_levels(void **state) {
    (void)state;
    log_configure(LOG_LEVEL_ERROR, LOG_FORMAT_TEXT);
    assert_string_equal(after_time(lines_of(write_three)), "error three\n");
}

static void test_a_long_line_stays_one(void **state) {
    (void)state;
    log_configure(LOG_LEVEL_INFO, LOG_FORMAT_JSON);
    size_t len = strlen(lines_of(write_long));
    assert_true(len > 2000 && len <= 2048);
    assert_string_equal(written + len - 5, "\\\"\"}\n");
    log_configure(LOG_LEVEL_INFO, LOG_FORMAT_TEXT);
    len = strlen(lines_of(write_long));
    assert_true(len > 2000 && len <= 2048 && written[len - 1] == '\n');
}

static void test_a_gate_counts_what_it_keeps_out(void **state) {
    (void)state;
    struct log_gate gate = {0};
    unsigned long long left_out = 0, passed = 0;
    for (int i = 0; i < 1000; i++)
        passed += log_gate_pass(&gate, 10, &left_out);
    assert_true(passed == 10 || passed == 20); /* the second may have changed */
    sleep(1);
    assert_true(log_gate_pass(&gate, 10, &left_out));
    assert_true(left_out + passed == 1000 || passed == 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_a_long_line_stays_one),
        cmocka_unit_test(test_a_gate_counts_what_it_keeps_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
