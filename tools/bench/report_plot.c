/* report_plot.c - the results as a picture: throughput and latency over time, and the distribution
 * of the latency. */
#include "bench/chart.h"
#include "bench/report.h"

enum { PAGE_HEIGHT = 960, CHART_HEIGHT = 210, FIRST_TOP = 100, NEXT_TOP = 300 };

/* Shorter stretches are noise: what is left of the last second. */
static bool is_shown(const struct run_result *result, size_t at) {
    return result->seconds[at].length_s > 0.2 || result->second_count == 1;
}

static double rate_of(const struct run_second *second) {
    return (double)second->replies / second->length_s;
}

static struct chart over_time(const struct report *report, struct buffer *out, double top,
                              const char *title) {
    return (struct chart){
        .out = out,
        .top = top,
        .height = CHART_HEIGHT,
        .title = title,
        .x = {CHART_LINEAR, 0, report->result->duration_s, "seconds"},
    };
}

/* A step as long as the second was. */
static void plot_second(struct chart *chart, const struct run_second *second, double value) {
    chart_point(chart, second->at_s - second->length_s, value);
    chart_point(chart, second->at_s, value);
}

static void plot_rate(const struct report *report, struct buffer *out) {
    const struct run_result *result = report->result;
    struct chart chart = over_time(report, out, FIRST_TOP, "Throughput");
    double highest = 1;
    for (size_t i = 0; i < result->second_count; i++)
        if (is_shown(result, i) && rate_of(&result->seconds[i]) > highest)
            highest = rate_of(&result->seconds[i]);
    chart.y =
        (struct chart_axis){CHART_LINEAR, 0, chart_nice_high(highest * 1.02), "replies per second"};
    chart_begin(&chart);
    chart_line_begin(&chart, 0, "replies");
    for (size_t i = 0; i < result->second_count; i++)
        if (is_shown(result, i))
            plot_second(&chart, &result->seconds[i], rate_of(&result->seconds[i]));
    chart_line_end(&chart);
}

static double ms(uint64_t ns) {
    return ns < 1000 ? 0.001 : (double)ns / 1e6;
}

/* ---- latency over time ---- */

enum { SHOWN_P50, SHOWN_P99, SHOWN_MAX, SHOWN_COUNT };

static uint64_t shown(const struct run_second *second, int which) {
    return which == SHOWN_P50   ? second->p50_ns
           : which == SHOWN_P99 ? second->p99_ns
                                : second->max_ns;
}

static void widen(struct chart_axis *axis, uint64_t low_ns, uint64_t high_ns) {
    if (ms(low_ns) < axis->low)
        axis->low = ms(low_ns);
    if (ms(high_ns) > axis->high)
        axis->high = ms(high_ns);
}

static void plot_latency(const struct report *report, struct buffer *out) {
    static const char *const names[] = {"median", "99 %", "slowest"};
    const struct run_result *result = report->result;
    struct chart chart = over_time(report, out, FIRST_TOP + NEXT_TOP, "Latency over time");
    chart.y = (struct chart_axis){CHART_LOG, 1e6, 0.001, "milliseconds"};
    for (size_t i = 0; i < result->second_count; i++)
        if (result->seconds[i].replies > 0)
            widen(&chart.y, result->seconds[i].p50_ns, result->seconds[i].max_ns);
    chart.y.low = chart.y.low > chart.y.high ? 0.001 : chart.y.low;
    chart_begin(&chart);
    for (int which = SHOWN_COUNT - 1; which >= 0; which--) {
        chart_line_begin(&chart, (unsigned)which, names[which]);
        for (size_t i = 0; i < result->second_count; i++)
            if (result->seconds[i].replies > 0 && is_shown(result, i))
                plot_second(&chart, &result->seconds[i], ms(shown(&result->seconds[i], which)));
        chart_line_end(&chart);
    }
}

/* ---- the distribution ---- */

/* Up to the second slowest: the share of the slowest is 1, which is infinitely far to the right. */
static void plot_kind(struct chart *chart, const struct histogram *latency) {
    uint64_t seen = 0, total = histogram_total(latency);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS && seen < total; i++) {
        uint64_t count = histogram_count(latency, i);
        if (count == 0)
            continue;
        if (seen == 0)
            chart_point(chart, 0, ms(histogram_value(i)));
        seen += count;
        if (seen < total)
            chart_point(chart, (double)seen / (double)total, ms(histogram_value(i)));
    }
}

static void plot_distribution(const struct report *report, struct buffer *out) {
    const struct workload *workload = report->settings->workload;
    struct chart chart = {.out = out,
                          .top = FIRST_TOP + 2 * NEXT_TOP,
                          .height = CHART_HEIGHT,
                          .title = "Latency by percentile",
                          .x = {CHART_NINES, 0, 0.99, "share of the replies that were as fast"},
                          .y = {CHART_LOG, 1e6, 0.001, "milliseconds"}};
    for (size_t i = 0; i < workload->kind_count; i++) {
        const struct histogram *latency = &report->result->tally->kinds[i].latency;
        uint64_t total = histogram_total(latency);
        if (total > 100 && 1 - 1 / (double)total > chart.x.high)
            chart.x.high = 1 - 1 / (double)total;
        if (total > 0)
            widen(&chart.y, histogram_min(latency), histogram_max(latency));
    }
    chart.y.low = chart.y.low > chart.y.high ? 0.001 : chart.y.low;
    chart_begin(&chart);
    for (size_t i = workload->kind_count; i-- > 0;) {
        chart_line_begin(&chart, (unsigned)i, workload->kinds[i].name);
        plot_kind(&chart, &report->result->tally->kinds[i].latency);
        chart_line_end(&chart);
    }
}

void report_plot(const struct report *report, struct buffer *out) {
    const struct run_settings *settings = report->settings;
    struct arena arena;
    arena_init(&arena);
    struct slice title =
        arena_printf(&arena, "%s: %s", settings->workload->name, settings->workload->description);
    struct slice load = settings->rate > 0
                            ? arena_printf(&arena, "%g operations due per second", settings->rate)
                            : arena_printf(&arena, "closed loop");
    struct slice line = arena_printf(
        &arena, "gramme bench, %s; %u connections, %s; %s keys, %s", settings->endpoint->url,
        settings->connections, (const char *)load.data,
        report_number(&arena, settings->keys->count), key_order_names[settings->keys->order]);
    chart_page_begin(out, PAGE_HEIGHT, (const char *)title.data, (const char *)line.data);
    plot_rate(report, out);
    plot_latency(report, out);
    plot_distribution(report, out);
    chart_page_end(out);
    arena_release(&arena);
}
