/* test_chart.c - axes: where values lie and which labels they get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/chart.h"

static void ends_of_axes_are_round(void **state) {
    (void)state;
    static const double cases[][2] = {
        {1, 1},          {1.1, 2},     {2, 2},         {4, 5},          {5.1, 10},
        {81234, 100000}, {0.03, 0.05}, {0.001, 0.001}, {0.0011, 0.002}, {200001, 500000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double high = chart_nice_high(cases[i][0]);
        assert_true(high > cases[i][1] * 0.999999 && high < cases[i][1] * 1.000001);
    }
}

static const char *drawn(struct buffer *out, struct chart_axis x, struct chart_axis y,
                         const double (*points)[2], size_t count) {
    struct chart chart = {.out = out, .top = 100, .height = 200, .title = "t", .x = x, .y = y};
    chart_begin(&chart);
    chart_line_begin(&chart, 0, "l");
    for (size_t i = 0; i < count; i++)
        chart_point(&chart, points[i][0], points[i][1]);
    chart_line_end(&chart);
    buffer_append_byte(out, '\0');
    return (const char *)out->data;
}

/* The frame is from 84 to 936 and from 300 up to 100. */
static void points_lie_where_they_should(void **state) {
    (void)state;
    static const double linear[][2] = {{0, 0}, {5, 50}, {10, 100}, {20, 200}};
    static const double steps[][2] = {{0, 1}, {0.9, 10}, {0.99, 100}};
    struct buffer out;
    buffer_init(&out, 100000);
    assert_non_null(strstr(drawn(&out, (struct chart_axis){CHART_LINEAR, 0, 10, "x"},
                                 (struct chart_axis){CHART_LINEAR, 0, 100, "y"}, linear, 4),
                           "points=\"84.0,300.0 510.0,200.0 936.0,100.0 936.0,100.0 \""));
    buffer_reset(&out);
    assert_non_null(strstr(drawn(&out, (struct chart_axis){CHART_NINES, 0, 0.99, "x"},
                                 (struct chart_axis){CHART_LOG, 1, 100, "y"}, steps, 3),
                           "points=\"84.0,300.0 510.0,200.0 936.0,100.0 \""));
    buffer_release(&out);
}

static void assert_labels(const char *svg, const char *const *labels) {
    for (; *labels != NULL; labels++) {
        char text[40];
        snprintf(text, sizeof(text), ">%s</text>", *labels);
        svg = strstr(svg, text);
        assert_non_null(svg);
    }
}

static void labels_are_round(void **state) {
    (void)state;
    struct buffer out;
    buffer_init(&out, 100000);
    const char *svg = drawn(&out, (struct chart_axis){CHART_NINES, 0, 0.9995, "x"},
                            (struct chart_axis){CHART_LOG, 0.3, 4, "y"}, NULL, 0);
    assert_labels(svg, (const char *const[]){"0 %", "50 %", "90 %", "99 %", "99.9 %", "0.2", "0.5",
                                             "1", "2", "5", NULL});
    buffer_reset(&out);
    svg = drawn(&out, (struct chart_axis){CHART_LINEAR, 0, 60, "x"},
                (struct chart_axis){CHART_LOG, 0.01, 1000, "y"}, NULL, 0);
    assert_labels(svg, (const char *const[]){"0", "10", "20", "60", "0.01", "0.1", "1", "10", "100",
                                             "1000", NULL});
    assert_null(strstr(svg, ">0.02<"));
    buffer_release(&out);
}

static void texts_are_escaped(void **state) {
    (void)state;
    struct buffer out;
    buffer_init(&out, 10000);
    chart_page_begin(&out, 100, "a<b>&c", "line");
    buffer_append_byte(&out, '\0');
    assert_non_null(strstr((const char *)out.data, ">a&#60;b&#62;&#38;c</text>"));
    buffer_release(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_axes_are_round),
        cmocka_unit_test(points_lie_where_they_should),
        cmocka_unit_test(labels_are_round),
        cmocka_unit_test(texts_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
