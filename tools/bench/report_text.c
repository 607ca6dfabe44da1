/* report_text.c - the results as a table for people. */
#include <stdio.h>

#include "bench/report.h"

const char *report_number(struct arena *arena, uint64_t number) {
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
    char *text = arena_alloc(arena, sizeof(digits) * 2), *at = text;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}

/* ---- what was done ---- */

static void write_setup(const struct report *report, struct arena *arena, struct buffer *out) {
    const struct run_settings *settings = report->settings;
    buffer_printf(out, "%s: %s; %s keys, %s", settings->workload->name,
                  settings->workload->description, report_number(arena, settings->keys->count),
                  key_order_names[settings->keys->order]);
    if (report->table != NULL)
        buffer_printf(out, "; items of %s bytes", report_number(arena, report->item_bytes));
    buffer_printf(out, "\n%s, %s; %u connection%s, %u thread%s, ", settings->endpoint->url,
                  settings->is_signed ? "signed" : "not signed", settings->connections,
                  settings->connections == 1 ? "" : "s", settings->threads,
                  settings->threads == 1 ? "" : "s");
    if (settings->rate > 0)
        buffer_printf(out, "%g operations due per second", settings->rate);
    else
        buffer_append_text(out, "closed loop");
    buffer_printf(out, "; %.1f s", report->result->duration_s);
    if (settings->warmup_s > 0)
        buffer_printf(out, " after %.1f s of warm-up", settings->warmup_s);
    buffer_append_text(out, "\n\n");
}

/* ---- the table ---- */

/* Three digits that matter. */
static void write_ms(struct buffer *out, uint64_t ns) {
    double ms = (double)ns / 1e6;
    int decimals = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
    buffer_printf(out, "  %8.*f", decimals, ms);
}

static void write_row(const struct report *report, const char *name,
                      const struct histogram *latency, uint64_t errors, struct buffer *out) {
    static const double shares[] = {0.5, 0.9, 0.99, 0.999};
    struct arena arena;
    arena_init(&arena);
    uint64_t total = histogram_total(latency);
    uint64_t rate = (uint64_t)((double)total / report->result->duration_s + 0.5);
    buffer_printf(out, "%-20s%13s%12s", name, report_number(&arena, total),
                  report_number(&arena, rate));
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        write_ms(out, histogram_quantile(latency, shares[i]));
    write_ms(out, histogram_max(latency));
    buffer_printf(out, "%10s\n", report_number(&arena, errors));
    arena_release(&arena);
}

static void write_table(const struct report *report, struct arena *arena, struct buffer *out) {
    const struct workload *workload = report->settings->workload;
    const struct tally *tally = report->result->tally;
    struct histogram *all = ARENA_NEW(arena, struct histogram);
    histogram_init(all);
    buffer_printf(out, "%-20s%13s%12s  %8s  %8s  %8s  %8s  %8s%10s\n", "operation", "replies",
                  "per second", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms", "errors");
    for (size_t i = 0; i < workload->kind_count; i++) {
        const struct kind_tally *kind = &tally->kinds[i];
        write_row(report, workload->kinds[i].name, &kind->latency, tally_get(&kind->errors), out);
        histogram_merge(all, &kind->latency);
    }
    if (workload->kind_count > 1)
        write_row(report, "all", all, tally_get(&tally->errors), out);
}

/* ---- what to know about it ---- */

static void write_errors(const struct tally *tally, struct arena *arena, struct buffer *out) {
    if (tally->type_count > 0)
        buffer_append_text(out, "\nerrors\n");
    for (size_t i = 0; i < tally->type_count; i++)
        buffer_printf(out, "%12s  %s\n", report_number(arena, tally->types[i].count),
                      tally->types[i].name);
    if (tally->first_error[0] != '\0')
        buffer_printf(out, "the first error: %s\n", tally->first_error);
}

static void write_note(struct buffer *out, struct arena *arena, uint64_t count, const char *text) {
    if (count > 0)
        buffer_printf(out, "%s %s\n", report_number(arena, count), text);
}

static void write_notes(const struct report *report, struct arena *arena, struct buffer *out) {
    const struct run_result *result = report->result;
    uint64_t misses = 0, unprocessed = 0;
    for (size_t i = 0; i < WORKLOAD_KINDS_MAX; i++) {
        misses += tally_get(&result->tally->kinds[i].misses);
        unprocessed += tally_get(&result->tally->kinds[i].unprocessed);
    }
    buffer_append_text(out, "\n");
    if (result->stop == RUN_INTERRUPTED)
        buffer_append_text(out, "stopped before the end\n");
    if (result->stop == RUN_STALLED)
        buffer_append_text(out, "given up: nothing was answered for 30 seconds\n");
    write_note(out, arena, misses, "items that were asked for are not there");
    write_note(out, arena, unprocessed, "batches came back with parts that were not processed");
    write_note(out, arena, result->tally->behind,
               "operations were due and never sent: the endpoint cannot keep this rate, and the "
               "latencies leave these out");
    buffer_printf(out, "the client took %.1f us of processor time per request, %.0f %% of its %s\n",
                  result->cpu_us, result->cpu_share * 100,
                  report->settings->threads == 1 ? "thread" : "threads");
    if (result->cpu_share > 0.9)
        buffer_append_text(out, "the client itself may be the limit: give it more --threads\n");
}

void report_text(const struct report *report, struct buffer *out) {
    struct arena arena;
    arena_init(&arena);
    write_setup(report, &arena, out);
    write_table(report, &arena, out);
    write_errors(report->result->tally, &arena, out);
    write_notes(report, &arena, out);
    arena_release(&arena);
}
