/* test_statistic.c - names of statistics, valid and invalid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cloudwatch/statistic.h"

/* `expected` is "kind low high %" or "kind low high values"; "" for an invalid name. */
static void expect(const char *name, const char *expected) {
    struct statistic statistic;
    char found[128] = "";
    if (statistic_read_extended(slice_text(name), &statistic))
        snprintf(found, sizeof(found), "%d %g %g %s", (int)statistic.kind, statistic.low,
                 statistic.high, statistic.values ? "values" : "%");
    if (strcmp(found, expected) != 0)
        fail_msg("%s: '%s' instead of '%s'", name, found, expected);
}

static void plain_statistics(void **state) {
    (void)state;
    static const char *const names[] = {"SampleCount", "Average", "Sum", "Minimum", "Maximum"};
    struct statistic statistic;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        assert_true(statistic_read_plain(slice_text(names[i]), &statistic));
        assert_int_equal(statistic.kind, STATISTIC_SAMPLE_COUNT + i);
    }
    assert_false(statistic_read_plain(SLICE_LITERAL("sum"), &statistic));
    assert_false(statistic_read_plain(SLICE_LITERAL("p99"), &statistic));
    assert_false(statistic_read_plain(SLICE_LITERAL(""), &statistic));
}

static void extended_statistics(void **state) {
    (void)state;
    expect("p0", "5 0 0 %");
    expect("p99.9", "5 0 99.9 %");
    expect("p100", "5 0 100 %");
    expect("tm99", "6 0 99 %");
    expect("TM(10%:90%)", "6 10 90 %");
    expect("tm(10%:)", "6 10 100 %");
    expect("tm(:90%)", "6 0 90 %");
    expect("TM(10:100)", "6 10 100 values");
    expect("iqm", "6 25 75 %");
    expect("IQM", "6 25 75 %");
    expect("wm98", "7 0 98 %");
    expect("WM(10%:90%)", "7 10 90 %");
    expect("tc90", "8 0 90 %");
    expect("TC(0.5:10)", "8 0.5 10 values");
    expect("ts90", "9 0 90 %");
    expect("TS(80%:)", "9 80 100 %");
    expect("PR(10:100)", "10 10 100 values");
    expect("pr(:300)", "10 -1.79769e+308 300 values");
    expect("PR(10:)", "10 10 1.79769e+308 values");
}

static void invalid_names(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",          "p",          "p100.1",      "p-1",       "p9x",       "p1.2.3",
        "tm",        "tm0",        "tm101",       "tm9x",      "tm1e1",     "tm 5",
        "tm()",      "tm(:)",      "tm(1)",       "tm(1:2",    "tm(1:2))",  "tm(1:2)x",
        "tm(10%:9)", "tm(10:90%)", "tm(90%:10%)", "tm(5%:5%)", "tm(x:1)",   "tm(1:x)",
        "tm(-1:1)",  "tm(%:1%)",   "tm(0%:101%)", "wm(1:2)",   "wm101",     "tc(",
        "ts)",       "pr90",       "pr(1%:2%)",   "xx90",      "xx(1%:2%)", "iqm1",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        expect(wrong[i], "");
    expect("tm(00000000000000000000000000000000000000000000000000000001%:2%)", "6 1 2 %");
    expect("tm(000000000000000000000000000000000000000000000000000000001%:2%)", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_statistics),
        cmocka_unit_test(extended_statistics),
        cmocka_unit_test(invalid_names),
    };
    return cmocka_run_group_tests_name("statistic", tests, NULL, NULL);
}
