/* bench.c - `gramme bench`: prepares the table, measures, and tells the results. */
#include "cli/bench.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/random.h"
#include "cli/say.h"
#include "client/settings.h"

enum {
    LOAD_CONNECTIONS = 16,
    FILES_BESIDE_SOCKETS = 64,
    TABLE_TIMEOUT_S = 300,
    SEED_BITS = 31, /* a number that is easily typed again */
};

struct bench {
    struct arena *arena;
    const struct bench_options *options;
    const char *url;    /* of the endpoint */
    const char *region; /* to sign for */
    struct endpoint endpoint;
    struct run_settings settings;
    struct key_space keys;
    struct bench_table table;
};

static int failed(const struct error *error) {
    fflush(stdout);
    say(stderr, "gramme bench: %.*s\n", SLICE_ARGS(error->message));
    return 1;
}

/* ---- the line that shows how it goes ---- */

struct display {
    struct run_observer observer;
    struct bench *bench;
    uint64_t goal; /* replies; 0: it is not known */
    bool shown;
};

static void show_second(struct run_observer *observer, const struct run_second *second,
                        uint64_t replies, uint64_t errors) {
    struct display *display = container_of(observer, struct display, observer);
    struct arena arena;
    arena_init(&arena);
    uint64_t rate = (uint64_t)((double)second->replies / second->length_s);
    if (second->at_s <= 0)
        fprintf(stderr, "\rwarming up");
    else if (display->goal > 0)
        fprintf(stderr, "\rloading: %.0f %%  %s batches/s",
                100.0 * (double)replies / (double)display->goal, report_number(&arena, rate));
    else
        fprintf(stderr, "\r%5.0f s  %s/s  p50 %.3f ms  p99 %.3f ms", second->at_s,
                report_number(&arena, rate), (double)second->p50_ns / 1e6,
                (double)second->p99_ns / 1e6);
    fprintf(stderr, "  errors %s\033[K", report_number(&arena, errors));
    display->shown = true;
    arena_release(&arena);
}

static void hide(const struct display *display) {
    if (display->shown)
        fputs("\r\033[K", stderr);
}

static struct error *run_shown(struct bench *bench, const struct run_settings *settings,
                               uint64_t goal, struct run_result *ret_result) {
    struct display display = {{show_second}, bench, goal, false};
    bool terminal = isatty(STDERR_FILENO) != 0 && !bench->options->quiet;
    if (terminal) {
        fputs(goal > 0 ? "loading" : settings->warmup_s > 0 ? "warming up" : "", stderr);
        display.shown = true;
    }
    struct error *error =
        run(bench->arena, settings, terminal ? &display.observer : NULL, ret_result);
    hide(&display);
    return error;
}

/* ---- where and as whom ---- */

static const char *environment(const char *name) {
    return getenv(name);
}

/* Where nobody checks a signature the credentials are only to be there. */
static struct error *find_credentials(struct bench *bench) {
    struct ddb_options options = {.endpoint = bench->url, .region = bench->region};
    struct settings found;
    if (!bench->settings.is_signed)
        options.access_key_id = options.secret_access_key = "bench";
    const char *problem = settings_load(bench->arena, &options, environment, &found);
    if (problem != NULL)
        return error_local(bench->arena, "%s", problem);
    bench->settings.credentials = found.credentials;
    if (!bench->settings.is_signed)
        bench->settings.credentials.token = NULL;
    bench->settings.ca_file = found.ca_file;
    return NULL;
}

static struct error *connect_to(struct bench *bench) {
    const struct bench_options *options = bench->options;
    TRY(endpoint_parse(bench->arena, bench->url, &bench->endpoint));
    bench->settings.is_signed =
        options->sign || (!options->no_sign && !endpoint_is_loopback(&bench->endpoint));
    TRY(find_credentials(bench));
    return endpoint_find(bench->arena, &bench->endpoint);
}

/* Every connection is an open file. */
static void allow_files(uint64_t connections) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    rlim_t wanted = connections + FILES_BESIDE_SOCKETS;
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- the measurement ---- */

static enum key_order choose_order(const struct bench *bench, const struct invocation *invocation) {
    if (options_given(invocation, "distribution"))
        return bench->options->order;
    return bench->options->workload == NULL ? KEYS_UNIFORM : bench->settings.workload->order;
}

static void choose_settings(struct bench *bench, const struct invocation *invocation) {
    const struct bench_options *options = bench->options;
    struct run_settings *settings = &bench->settings;
    settings->endpoint = &bench->endpoint;
    settings->workload =
        options->workload == NULL
            ? workload_own(bench->arena, (struct request_text){options->operation, options->body})
            : workload_find(bench->arena, options->workload, options->table,
                            (unsigned)options->batch);
    CHECK(settings->workload != NULL);
    settings->keys = &bench->keys;
    settings->connections = (unsigned)options->connections;
    settings->threads = (unsigned)options->threads;
    settings->count = options->count;
    settings->seconds = options->seconds;
    settings->warmup_s = options->count > 0 ? 0 : options->warmup_s;
    settings->rate = options->rate;
    settings->timeout_ms = (uint32_t)(options->timeout_s * 1000);
    settings->payload_bytes = options->workload == NULL ? options->payload_bytes
                                                        : options->item_bytes - WORKLOAD_ITEM_BYTES;
    settings->group = options->group;
    settings->random = &system_random;
    settings->seed = options_given(invocation, "seed")
                         ? options->seed
                         : random_below(settings->random, UINT64_C(1) << SEED_BITS);
    key_space_init(&bench->keys, choose_order(bench, invocation), options->keys);
}

typedef void report_writer(const struct report *report, struct buffer *out);

static struct error *write_report(struct arena *arena, const struct report *report,
                                  report_writer *writer, FILE *file, const char *name) {
    struct buffer out CLEANUP(buffer_release);
    buffer_init(&out, REPORT_BYTES_MAX);
    writer(report, &out);
    if (out.overflow)
        return error_local(arena, "%s: the report is too long", name);
    if (fwrite(out.data, 1, out.len, file) != out.len || fflush(file) != 0)
        return error_local(arena, "%s: %s", name, strerror(errno));
    return NULL;
}

/* To a file of that name, or nowhere. */
static struct error *write_report_to(struct arena *arena, const struct report *report,
                                     report_writer *writer, const char *name) {
    if (name == NULL)
        return NULL;
    if (strcmp(name, "-") == 0)
        return write_report(arena, report, writer, stdout, "standard output");
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return error_local(arena, "%s: %s", name, strerror(errno));
    struct error *error = write_report(arena, report, writer, file, name);
    fclose(file);
    return error;
}

static struct error *tell(struct bench *bench, const struct run_result *result, int64_t begun_ms) {
    const struct bench_options *options = bench->options;
    struct report report = {.settings = &bench->settings,
                            .result = result,
                            .table = options->workload == NULL ? NULL : options->table,
                            .item_bytes = options->item_bytes,
                            .begun_ms = begun_ms};
    bool json_to_output = options->json != NULL && strcmp(options->json, "-") == 0;
    if (!options->quiet)
        TRY(write_report(bench->arena, &report, report_text, json_to_output ? stderr : stdout,
                         "the table"));
    TRY(write_report_to(bench->arena, &report, report_json, options->json));
    return write_report_to(bench->arena, &report, report_plot, options->plot);
}

/* Returns the exit status. */
static int measure(struct bench *bench) {
    struct run_result result;
    int64_t begun_ms = clock_now_ms(&system_clock);
    struct error *error = run_shown(bench, &bench->settings, 0, &result);
    if (error == NULL)
        error = tell(bench, &result, begun_ms);
    if (error != NULL)
        return failed(error);
    if (tally_replies(result.tally) > 0)
        return 0;
    if (bench->options->quiet)
        say(stderr, "gramme bench: nothing was answered: %s\n", result.tally->first_error);
    return 1;
}

/* ---- with a table ---- */

static struct error *fill(struct bench *bench) {
    struct run_settings settings = bench->settings;
    struct key_space keys;
    struct run_result result;
    uint64_t count = bench->options->keys;
    settings.workload = workload_load(bench->arena, bench->options->table, count);
    key_space_init(&keys, KEYS_SEQUENTIAL, count);
    settings.keys = &keys;
    settings.count = (count + WORKLOAD_LOAD_BATCH - 1) / WORKLOAD_LOAD_BATCH;
    settings.repeat = true;
    settings.rate = settings.warmup_s = 0;
    settings.connections = LOAD_CONNECTIONS;
    settings.threads = 1;
    TRY(run_shown(bench, &settings, settings.count, &result));
    if (result.stop == RUN_INTERRUPTED)
        return error_local(bench->arena, "stopped while loading the table");
    if (result.stop != RUN_GOES_ON)
        return error_local(bench->arena, "cannot load the table: %s", result.tally->first_error);
    return NULL;
}

static struct error *prepare_table(struct bench *bench) {
    const struct bench_options *options = bench->options;
    bool full = false;
    TRY(bench_table_prepare(&bench->table, options->keys, &full));
    return full && !options->load ? NULL : fill(bench);
}

/* The table is made by who measures: some servers keep the tables of each access key apart. */
static int measure_table(struct bench *bench) {
    const struct bench_options *options = bench->options;
    bench->table = (struct bench_table){.arena = bench->arena, .name = options->table};
    struct service_options service = {
        .endpoint = bench->url, .region = bench->region, .timeout_s = TABLE_TIMEOUT_S};
    if (!bench->settings.is_signed) {
        service.access_key_id = bench->settings.credentials.id;
        service.secret_access_key = bench->settings.credentials.secret;
    }
    struct error *error = service_open(&bench->table.service, bench->arena, &service);
    if (error == NULL)
        error = prepare_table(bench);
    int status = error == NULL ? measure(bench) : failed(error);
    if (bench->table.made && !options->keep) {
        error = bench_table_delete(&bench->table);
        if (error != NULL && status == 0)
            status = failed(error);
    }
    service_close(&bench->table.service);
    return status;
}

static int run_bench(const struct invocation *invocation) {
    const struct bench_options *options = invocation->values;
    if (options->workload != NULL && strcmp(options->workload, "list") == 0) {
        bench_print_workloads(stdout);
        return 0;
    }
    struct bench bench = {.arena = invocation->arena,
                          .options = options,
                          .url = service_endpoint(options->endpoint),
                          .region = service_region(options->region)};
    signal(SIGPIPE, SIG_IGN);
    allow_files(options->connections);
    struct error *error = connect_to(&bench);
    if (error != NULL)
        return failed(error);
    choose_settings(&bench, invocation);
    return options->workload == NULL ? measure(&bench) : measure_table(&bench);
}

static void print_more(FILE *out) {
    fputs("\nWorkloads:\n", out);
    bench_print_workloads(out);
}

const struct command command_bench = {
    .name = "bench",
    .summary = "measure a DynamoDB endpoint",
    .about = "Measures a DynamoDB endpoint: sends requests of one kind or a mix of them, and tells "
             "how many were answered and how fast. What to send is a --workload, or an --operation "
             "with its --body. docs/BENCH.md tells how to read the results.",
    .closing = "Exit status: 0 measured, 1 failed or nothing was answered, 2 wrong arguments.",
    .options = bench_options,
    .values_size = sizeof(struct bench_options),
    .check = bench_check,
    .run = run_bench,
    .print_more = print_more,
};
