/* report_json.c - the results with everything, for programs. Times are in microseconds. */
#include <sys/utsname.h>

#include "bench/report.h"
#include "json/writer.h"

static void put_text(struct json_writer *json, const char *name, const char *text) {
    json_name(json, slice_text(name));
    json_string(json, slice_text(text));
}

static void put_count(struct json_writer *json, const char *name, uint64_t n) {
    json_name(json, slice_text(name));
    json_integer(json, (int64_t)n);
}

static void put_number(struct json_writer *json, const char *name, double n) {
    json_name(json, slice_text(name));
    json_double(json, n);
}

static void put_us(struct json_writer *json, const char *name, uint64_t ns) {
    put_number(json, name, (double)ns / 1000);
}

/* ---- how it was done ---- */

static void put_config(struct json_writer *json, const struct report *report) {
    const struct run_settings *settings = report->settings;
    JSON_NAME_LITERAL(json, "config");
    json_object_begin(json);
    put_text(json, "endpoint", settings->endpoint->url);
    put_text(json, "workload", settings->workload->name);
    if (report->table != NULL) {
        put_text(json, "table", report->table);
        put_count(json, "item_size", report->item_bytes);
    }
    put_count(json, "keys", settings->keys->count);
    put_text(json, "distribution", key_order_names[settings->keys->order]);
    put_count(json, "payload_size", settings->payload_bytes);
    put_count(json, "connections", settings->connections);
    put_count(json, "threads", settings->threads);
    JSON_NAME_LITERAL(json, "signed");
    json_bool(json, settings->is_signed);
    put_number(json, "rate", settings->rate);
    put_count(json, "count", settings->count);
    put_number(json, "duration_s", settings->count > 0 ? 0 : settings->seconds);
    put_number(json, "warmup_s", settings->warmup_s);
    put_count(json, "timeout_ms", settings->timeout_ms);
    put_count(json, "seed", settings->seed);
    json_object_end(json);
}

static void put_versions(struct json_writer *json) {
    struct utsname system;
    JSON_NAME_LITERAL(json, "versions");
    json_object_begin(json);
    put_text(json, "gramme", GRAMME_VERSION);
    if (uname(&system) == 0)
        put_text(json, "system", system.release);
    json_object_end(json);
}

/* ---- what came of it ---- */

static void put_latency(struct json_writer *json, const struct histogram *latency) {
    JSON_NAME_LITERAL(json, "latency_us");
    json_object_begin(json);
    put_us(json, "min", histogram_min(latency));
    put_number(json, "mean", histogram_mean(latency) / 1000);
    put_us(json, "p50", histogram_quantile(latency, 0.5));
    put_us(json, "p90", histogram_quantile(latency, 0.9));
    put_us(json, "p99", histogram_quantile(latency, 0.99));
    put_us(json, "p99.9", histogram_quantile(latency, 0.999));
    put_us(json, "p99.99", histogram_quantile(latency, 0.9999));
    put_us(json, "max", histogram_max(latency));
    json_object_end(json);
}

/* [latency, how many] of every bucket that has any. */
static void put_histogram(struct json_writer *json, const struct histogram *latency) {
    JSON_NAME_LITERAL(json, "histogram_us");
    json_array_begin(json);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t count = histogram_count(latency, i);
        if (count == 0)
            continue;
        json_array_begin(json);
        json_double(json, (double)histogram_value(i) / 1000);
        json_integer(json, (int64_t)count);
        json_array_end(json);
    }
    json_array_end(json);
}

static void put_kind(struct json_writer *json, const struct report *report, size_t at) {
    const struct kind_tally *kind = &report->result->tally->kinds[at];
    uint64_t replies = histogram_total(&kind->latency);
    json_object_begin(json);
    put_text(json, "operation", report->settings->workload->kinds[at].name);
    put_count(json, "replies", replies);
    put_number(json, "rate", (double)replies / report->result->duration_s);
    put_count(json, "errors", tally_get(&kind->errors));
    put_count(json, "misses", tally_get(&kind->misses));
    put_count(json, "unprocessed", tally_get(&kind->unprocessed));
    put_latency(json, &kind->latency);
    put_histogram(json, &kind->latency);
    json_object_end(json);
}

static void put_errors(struct json_writer *json, const struct tally *tally) {
    JSON_NAME_LITERAL(json, "errors_by_type");
    json_object_begin(json);
    for (size_t i = 0; i < tally->type_count; i++)
        put_count(json, tally->types[i].name, tally->types[i].count);
    json_object_end(json);
    if (tally->first_error[0] != '\0')
        put_text(json, "first_error", tally->first_error);
}

static void put_series(struct json_writer *json, const struct run_result *result) {
    JSON_NAME_LITERAL(json, "series");
    json_array_begin(json);
    for (size_t i = 0; i < result->second_count; i++) {
        const struct run_second *second = &result->seconds[i];
        json_object_begin(json);
        put_number(json, "at_s", second->at_s);
        put_number(json, "length_s", second->length_s);
        put_count(json, "replies", second->replies);
        put_count(json, "errors", second->errors);
        put_us(json, "p50_us", second->p50_ns);
        put_us(json, "p90_us", second->p90_ns);
        put_us(json, "p99_us", second->p99_ns);
        put_us(json, "p99.9_us", second->p999_ns);
        put_us(json, "max_us", second->max_ns);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_totals(struct json_writer *json, const struct report *report) {
    const struct run_result *result = report->result;
    uint64_t replies = tally_replies(result->tally);
    struct arena arena;
    arena_init(&arena);
    struct histogram *all = ARENA_NEW(&arena, struct histogram);
    histogram_init(all);
    for (size_t i = 0; i < WORKLOAD_KINDS_MAX; i++)
        histogram_merge(all, &result->tally->kinds[i].latency);
    put_number(json, "seconds", result->duration_s);
    put_count(json, "replies", replies);
    put_number(json, "rate", (double)replies / result->duration_s);
    put_count(json, "errors", tally_get(&result->tally->errors));
    put_count(json, "warmup_replies", tally_get(&result->tally->warmup));
    put_count(json, "behind", result->tally->behind);
    JSON_NAME_LITERAL(json, "interrupted");
    json_bool(json, result->stop != RUN_GOES_ON);
    put_number(json, "client_cpu_us", result->cpu_us);
    put_number(json, "client_cpu_share", result->cpu_share);
    put_latency(json, all);
    arena_release(&arena);
}

void report_json(const struct report *report, struct buffer *out) {
    struct json_writer json;
    json_writer_init(&json, out);
    json_object_begin(&json);
    put_versions(&json);
    JSON_NAME_LITERAL(&json, "begun");
    json_timestamp(&json, report->begun_ms);
    put_config(&json, report);
    put_totals(&json, report);
    put_errors(&json, report->result->tally);
    JSON_NAME_LITERAL(&json, "operations");
    json_array_begin(&json);
    for (size_t i = 0; i < report->settings->workload->kind_count; i++)
        put_kind(&json, report, i);
    json_array_end(&json);
    put_series(&json, report->result);
    json_object_end(&json);
    buffer_append_byte(out, '\n');
}
