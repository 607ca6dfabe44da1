/* test_exposition.c - metric families, labels and values in both text formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prometheus/exposition.h"

static struct buffer out;
static struct exposition plain, open_metrics;

static int setup(void **state) {
    (void)state;
    buffer_init(&out, 64 * 1024);
    plain = (struct exposition){.out = &out};
    open_metrics = (struct exposition){.out = &out, .open_metrics = true};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    buffer_release(&out);
    return 0;
}

/* Compares all output since the last call. */
static void expect_text(const char *text) {
    buffer_append_byte(&out, '\0');
    assert_false(out.overflow);
    assert_string_equal((const char *)out.data, text);
    buffer_reset(&out);
}

static void formats_declare_counters_differently(void **state) {
    (void)state;
    exposition_single(&plain, "calls", EXPOSITION_COUNTER, "Calls.", 3);
    expect_text("# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 3\n");
    exposition_single(&open_metrics, "calls", EXPOSITION_COUNTER, "Calls.", 3);
    expect_text("# HELP calls Calls.\n# TYPE calls counter\ncalls_total 3\n");
    exposition_single(&plain, "size", EXPOSITION_GAUGE, "Size.", 3);
    expect_text("# HELP size Size.\n# TYPE size gauge\nsize 3\n");
    exposition_single(&open_metrics, "size", EXPOSITION_GAUGE, "Size.", 3);
    expect_text("# HELP size Size.\n# TYPE size gauge\nsize 3\n");
}

static void only_open_metrics_ends_with_eof(void **state) {
    (void)state;
    exposition_end(&plain);
    expect_text("");
    exposition_end(&open_metrics);
    expect_text("# EOF\n");
}

static void family_without_samples_is_omitted(void **state) {
    (void)state;
    struct exposition_labels none = NO_LABELS;
    exposition_family(&plain, "first", EXPOSITION_GAUGE, "First.");
    exposition_family(&plain, "second", EXPOSITION_SUMMARY, "Second.");
    exposition_sample(&plain, "_sum", &none, 1);
    exposition_sample(&plain, "_count", &none, 2);
    exposition_family(&plain, "third", EXPOSITION_HISTOGRAM, "Third.");
    expect_text("# HELP second Second.\n# TYPE second summary\nsecond_sum 1\nsecond_count 2\n");
}

static void family_is_declared_once(void **state) {
    (void)state;
    struct exposition_labels none = NO_LABELS;
    exposition_family(&plain, "calls", EXPOSITION_COUNTER, "Calls.");
    for (int i = 0; i < 2; i++)
        exposition_sample(&plain, "", &none, i);
    expect_text("# HELP calls_total Calls.\n# TYPE calls_total counter\n"
                "calls_total 0\ncalls_total 1\n");
    exposition_family(&plain, "calls", EXPOSITION_COUNTER, "Calls.");
    exposition_sample(&plain, "", &none, 2);
    expect_text("# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 2\n");
}

/* ---- labels ---- */

static void expect_labels(struct exposition_labels labels, const char *line) {
    exposition_family(&plain, "m", EXPOSITION_GAUGE, "M.");
    exposition_sample(&plain, "", &labels, 1);
    const char head[] = "# HELP m M.\n# TYPE m gauge\n";
    assert_memory_equal(out.data, head, sizeof(head) - 1);
    memmove(out.data, out.data + sizeof(head) - 1, out.len - sizeof(head) + 1);
    out.len -= sizeof(head) - 1;
    expect_text(line);
}

static void labels_keep_their_order(void **state) {
    (void)state;
    struct exposition_labels labels = labels_with(NO_LABELS, "b", SLICE_LITERAL("1"));
    labels = labels_with(labels, "a", SLICE_LITERAL("2"));
    expect_labels(labels, "m{b=\"1\",a=\"2\"} 1\n");
    labels = labels_with(labels, "d", SLICE_LITERAL("3"));
    labels = labels_with(labels, "c", SLICE_LITERAL("4"));
    assert_int_equal(labels.count, EXPOSITION_LABELS_MAX);
    expect_labels(labels, "m{b=\"1\",a=\"2\",d=\"3\",c=\"4\"} 1\n");
}

static void label_with_empty_value_is_omitted(void **state) {
    (void)state;
    struct exposition_labels labels = labels_with(NO_LABELS, "a", SLICE_LITERAL(""));
    expect_labels(labels, "m 1\n");
    labels = labels_with(labels, "b", SLICE_NONE);
    labels = labels_with(labels, "c", SLICE_LITERAL("x"));
    expect_labels(labels, "m{c=\"x\"} 1\n");
}

static void labels_with_does_not_change_its_argument(void **state) {
    (void)state;
    struct exposition_labels one = labels_with(NO_LABELS, "a", SLICE_LITERAL("1"));
    struct exposition_labels two = labels_with(one, "b", SLICE_LITERAL("2"));
    expect_labels(two, "m{a=\"1\",b=\"2\"} 1\n");
    expect_labels(one, "m{a=\"1\"} 1\n");
}

static void label_values_are_escaped(void **state) {
    (void)state;
    expect_labels(labels_with(NO_LABELS, "a", SLICE_LITERAL("\\ \" \n {,} \xc3\xa4")),
                  "m{a=\"\\\\ \\\" \\n {,} \xc3\xa4\"} 1\n");
}

/* ---- values ---- */

static void integers_below_1e15_keep_all_digits(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } all[] = {
        {0, "v 0\n"},
        {-1, "v -1\n"},
        {1234567890123.0, "v 1234567890123\n"},
        {999999999999999.0, "v 999999999999999\n"},
        {1e15, "v 1e+15\n"},
        {0.25, "v 0.25\n"},
        {-0.5, "v -0.5\n"},
        {1.0 / 3, "v 0.333333333333\n"},
        {1e-9, "v 1e-09\n"},
        {1e300, "v 1e+300\n"},
    };
    struct exposition_labels none = NO_LABELS;
    exposition_family(&plain, "v", EXPOSITION_GAUGE, "V.");
    exposition_sample(&plain, "", &none, 7);
    buffer_reset(&out);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        exposition_sample(&plain, "", &none, all[i].value);
        expect_text(all[i].text);
    }
}

static void too_long_page_sets_overflow(void **state) {
    (void)state;
    struct buffer small;
    struct exposition exposition = {.out = &small};
    buffer_init(&small, 32);
    exposition_single(&exposition, "calls", EXPOSITION_COUNTER, "Calls that were made.", 3);
    assert_true(small.overflow);
    assert_true(small.len <= 32);
    buffer_release(&small);
}

/* ---- content negotiation ---- */

static void accept_header_selects_the_format(void **state) {
    (void)state;
    static const struct {
        const char *accept;
        bool open;
    } all[] = {
        {"application/openmetrics-text", true},
        {"application/openmetrics-text; version=1.0.0,text/plain;version=0.0.4;q=0.5", true},
        {"text/plain;q=0.5, application/openmetrics-text;version=0.0.1", true},
        {"text/plain;version=0.0.4", false},
        {"application/openmetrics-tex", false},
        {"*/*", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_int_equal(exposition_wants_open_metrics(slice_text(all[i].accept)), all[i].open);
    assert_false(exposition_wants_open_metrics(SLICE_NONE));
    assert_true(
        slice_is(exposition_content_type(false), "text/plain; version=0.0.4; charset=utf-8"));
    assert_true(slice_is(exposition_content_type(true),
                         "application/openmetrics-text; version=1.0.0; charset=utf-8"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_declare_counters_differently),
        cmocka_unit_test(only_open_metrics_ends_with_eof),
        cmocka_unit_test(family_without_samples_is_omitted),
        cmocka_unit_test(family_is_declared_once),
        cmocka_unit_test(labels_keep_their_order),
        cmocka_unit_test(label_with_empty_value_is_omitted),
        cmocka_unit_test(labels_with_does_not_change_its_argument),
        cmocka_unit_test(label_values_are_escaped),
        cmocka_unit_test(integers_below_1e15_keep_all_digits),
        cmocka_unit_test(too_long_page_sets_overflow),
        cmocka_unit_test(accept_header_selects_the_format),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
