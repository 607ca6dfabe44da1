/* bench_options.c - what `gramme bench` takes, and what of it does not go together. */
#include "cli/bench.h"
#include "cli/help.h"

enum { WORKLOAD_COLUMN = 18 };

/* ---- values ---- */

static bool is_table_name(const char *text) {
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return text[len] == '\0' && len >= 3 && len <= 255;
}

#define AT(member) OPTION_AT(struct bench_options, member)

const struct option bench_options[] = {
    {"workload", "NAME", .group = "What to send", .kind = OPTION_TEXT, AT(workload),
     .help = "one of the list below; `list` prints only that"},
    {"operation", "NAME", .kind = OPTION_TEXT, AT(operation), .needs = "body",
     .excludes = "workload", .help = "a request of your own instead, with the body"},
    {"body", "TEXT", .kind = OPTION_TEXT, AT(body), .needs = "operation", .excludes = "workload",
     .help = "in which %n is the next key, %k the same again, %s the one after it, %g the key "
             "divided by --group, %h the next key divided by it, %i a new key, %p the payload, %l "
             "a number from 1 to 100, %% a percent sign"},
    {"keys", "N", .kind = OPTION_NUMBER, AT(keys), .number = {1, KEYS_MAX}, .preset = "100000",
     .help = "number of keys"},
    {"distribution", "NAME", .kind = OPTION_CHOICE, AT(order), .words = key_order_names,
     .otherwise = "the workload's own; uniform, and zipfian for ycsb",
     .help = "uniform, zipfian, latest, or sequential: each once before it repeats"},
    {"item-size", "N", .kind = OPTION_NUMBER, AT(item_bytes),
     .number = {WORKLOAD_ITEM_BYTES + 1, 400 * 1024}, .preset = "300",
     .help = "bytes of an item as DynamoDB counts them"},
    {"payload-size", "N", .kind = OPTION_NUMBER, AT(payload_bytes), .number = {0, PAYLOAD_MAX},
     .preset = "100", .help = "bytes of %p, for --body"},
    {"group", "N", .kind = OPTION_NUMBER, AT(group), .number = {1, KEYS_MAX}, .preset = "100",
     .help = "what %g and %h divide by, for --body"},
    {"batch", "N", .kind = OPTION_NUMBER, AT(batch), .number = {1, 100}, .needs = "workload",
     .otherwise = "as many as are listed below",
     .help = "items in a request of batch-get, batch-write, transact-write"},
    {"endpoint", "URL", .group = "Where to", .kind = OPTION_TEXT, AT(endpoint),
     .otherwise = SERVICE_ENDPOINT_DEFAULT, .help = "http://HOST:PORT or https://HOST"},
    {"region", "NAME", .kind = OPTION_TEXT, AT(region), .otherwise = SERVICE_REGION_DEFAULT,
     .help = "region to sign for"},
    {"sign", .kind = OPTION_FLAG, AT(sign), .excludes = "no-sign",
     .otherwise = "unless the endpoint is this machine",
     .help = "sign each request with the credentials of the environment"},
    {"no-sign", .kind = OPTION_FLAG, AT(no_sign),
     .help = "send a constant that no one checks instead"},
    {"connections", "N", .group = "How much of it", .kind = OPTION_NUMBER, AT(connections),
     .number = {1, 10000}, .preset = "64", .help = "clients at the same time"},
    {"threads", "N", .kind = OPTION_NUMBER, AT(threads), .number = {1, 64}, .preset = "1",
     .help = "threads to share them"},
    {"rate", "N", .kind = OPTION_DECIMAL, AT(rate), .decimal = {0.1, 1e7},
     .otherwise = "the next when the last is answered",
     .help = "operations due per second in all, and latency counted from when each was due"},
    {"duration", "SECONDS", .kind = OPTION_SECONDS, AT(seconds), .decimal = {0.01, RUN_SECONDS_MAX},
     .preset = "10", .excludes = "count", .help = "how long"},
    {"warmup", "SECONDS", .kind = OPTION_SECONDS, AT(warmup_s), .decimal = {0, 3600}, .preset = "1",
     .excludes = "count", .help = "before that, not counted"},
    {"count", "N", .kind = OPTION_NUMBER, AT(count), .number = {1, UINT64_C(1000000000000)},
     .help = "end after so many operations instead, without warm-up"},
    {"timeout", "SECONDS", .kind = OPTION_SECONDS, AT(timeout_s), .decimal = {0.01, 3600},
     .preset = "10", .help = "longest wait for a reply"},
    {"seed", "N", .kind = OPTION_NUMBER, AT(seed), .number = {0, INT64_MAX}, .otherwise = "any",
     .help = "the same keys in the same order again"},
    {"table", "NAME", .group = "The table", .kind = OPTION_TEXT, AT(table),
     .form = {"3 to 255 letters, digits, _, - and .", is_table_name}, .preset = "gramme-bench",
     .help = "made when it is not there"},
    {"load", .kind = OPTION_FLAG, AT(load), .needs = "workload",
     .otherwise = "when it has fewer items than --keys", .help = "fill it first"},
    {"keep", .kind = OPTION_FLAG, AT(keep), .needs = "workload",
     .help = "do not delete it at the end. One that was there before is always kept"},
    {"json", "FILE", .group = "Results", .kind = OPTION_FILE, AT(json),
     .help = "everything as JSON; - is standard output, the table then goes to standard error"},
    {"plot", "FILE.svg", .kind = OPTION_FILE, AT(plot),
     .help = "throughput, latency over time and by percentile as a picture"},
    {"quiet", .kind = OPTION_FLAG, AT(quiet), .help = "no table and no progress"},
    {.name = NULL},
};

void bench_print_workloads(FILE *out) {
    const char *name, *description;
    for (size_t i = 0; workload_listing(i, &name, &description); i++)
        help_entry(out, WORKLOAD_COLUMN, name, description);
}

/* ---- what does not go together ---- */

static struct error *check_workload(struct invocation *invocation) {
    const struct bench_options *options = invocation->values;
    struct arena *arena = invocation->arena;
    const char *name = options->workload;
    const struct workload *workload =
        workload_find(arena, name, options->table, (unsigned)options->batch);
    if (workload == NULL)
        return error_local(arena, "there is no workload '%s'", name);
    if (options->batch > 0 && workload_batch_max(name) == 0)
        return error_local(arena, "--batch is not for '%s'", name);
    if (options->batch > workload_batch_max(name))
        return error_local(arena, "--batch is too large for '%s'", name);
    if (options->keys < workload->keys_min)
        return error_local(arena, "--keys must be at least as many as are in a batch of '%s'",
                           name);
    return NULL;
}

struct error *bench_check(struct invocation *invocation) {
    const struct bench_options *options = invocation->values;
    if (options->workload == NULL && options->operation == NULL)
        return error_local(invocation->arena,
                           "say what to send: --workload NAME, or --operation NAME --body TEXT");
    if (options->threads > options->connections)
        return error_local(invocation->arena,
                           "every thread needs a connection: --threads and --connections");
    if (options->workload == NULL || strcmp(options->workload, "list") == 0)
        return NULL;
    return check_workload(invocation);
}
