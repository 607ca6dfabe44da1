/* bench_options.c - reads the arguments of `gramme bench`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/bench.h"

static const char help[] =
    "Usage: gramme bench --workload NAME [OPTIONS]\n"
    "       gramme bench --operation NAME --body TEXT [OPTIONS]\n"
    "\n"
    "Measures a DynamoDB endpoint: sends requests of one kind or a mix of them, and tells how "
    "many\n"
    "were answered and how fast. docs/BENCH.md tells how to read it.\n"
    "\n"
    "What to send\n"
    "  --endpoint URL       http://HOST:PORT or https://HOST (default: AWS_ENDPOINT_URL_DYNAMODB "
    "or\n"
    "                       AWS_ENDPOINT_URL, else http://127.0.0.1:8000)\n"
    "  --workload NAME      one of the list below; `list` prints only that\n"
    "  --operation NAME     a request of your own instead, with the body\n"
    "  --body TEXT          in which %n is the next key, %k the same again, %s the one after it,\n"
    "                       %g the key divided by --group, %h the next key divided by it, %i a "
    "new\n"
    "                       key, %p the payload, %l a number from 1 to 100, %% a percent sign\n"
    "  --keys N             number of keys (default 100000)\n"
    "  --distribution NAME  uniform, zipfian, latest, or sequential: each once before it repeats\n"
    "                       (default: the workload's own; uniform, and zipfian for ycsb)\n"
    "  --item-size N        bytes of an item as DynamoDB counts them (default 300)\n"
    "  --payload-size N     bytes of %p, for --body (default 100)\n"
    "  --group N            what %g and %h divide by, for --body (default 100)\n"
    "  --batch N            items in a request of batch-get, batch-write, transact-write\n"
    "  --sign, --no-sign    sign each request with the credentials of the environment, or send a\n"
    "                       constant that no one checks (default: sign unless the endpoint is "
    "this\n"
    "                       machine)\n"
    "  --region NAME        region to sign for (default: AWS_REGION or AWS_DEFAULT_REGION, else\n"
    "                       us-east-1)\n"
    "\n"
    "How much of it\n"
    "  --connections N      clients at the same time (default 64)\n"
    "  --threads N          threads to share them (default 1)\n"
    "  --rate N             operations due per second in all, and latency counted from when each "
    "was\n"
    "                       due (default: the next when the last is answered)\n"
    "  --duration SECONDS   how long (default 10)\n"
    "  --warmup SECONDS     before that, not counted (default 1)\n"
    "  --count N            end after so many operations instead, without warm-up\n"
    "  --timeout SECONDS    longest wait for a reply (default 10)\n"
    "  --seed N             the same keys in the same order again (default: any)\n"
    "\n"
    "The table\n"
    "  --table NAME         made when it is not there (default gramme-bench)\n"
    "  --load               fill it first (default: when it has fewer items than --keys)\n"
    "  --keep               do not delete it at the end. One that was there before is always kept\n"
    "\n"
    "Results\n"
    "  --json FILE          everything as JSON; - is standard output, the table then goes to\n"
    "                       standard error\n"
    "  --plot FILE.svg      throughput, latency over time and by percentile as a picture\n"
    "  --quiet              no table and no progress\n"
    "\n"
    "Exit status: 0 measured, 1 failed or nothing was answered, 2 wrong arguments.\n"
    "\n"
    "Workloads\n";

static int wrong(const char *what, const char *argument) {
    fprintf(stderr, "gramme bench: %s '%s'; see gramme bench --help\n", what, argument);
    return 2;
}

static void print_workloads(void) {
    const char *name, *description;
    for (size_t i = 0; workload_listing(i, &name, &description); i++)
        printf("  %-15s  %s\n", name, description);
}

/* ---- values ---- */

#define AT(member) offsetof(struct bench_options, member)

static const struct {
    const char *name;
    size_t at; /* const char * */
} texts[] = {
    {"--endpoint", AT(endpoint)},   {"--region", AT(region)}, {"--workload", AT(workload)},
    {"--operation", AT(operation)}, {"--body", AT(body)},     {"--table", AT(table)},
    {"--json", AT(json)},           {"--plot", AT(plot)},
};

static const struct {
    const char *name;
    size_t at; /* uint64_t */
    uint64_t low;
    uint64_t high;
} numbers[] = {
    {"--connections", AT(connections), 1, 10000},
    {"--threads", AT(threads), 1, 64},
    {"--count", AT(count), 1, UINT64_C(1000000000000)},
    {"--keys", AT(keys), 1, KEYS_MAX},
    {"--item-size", AT(item_bytes), WORKLOAD_ITEM_BYTES + 1, 400 * 1024},
    {"--payload-size", AT(payload_bytes), 0, PAYLOAD_MAX},
    {"--group", AT(group), 1, KEYS_MAX},
    {"--batch", AT(batch), 1, 100},
    {"--seed", AT(seed), 0, INT64_MAX},
};

static const struct {
    const char *name;
    size_t at; /* double */
    double low;
    double high;
} decimals[] = {
    {"--duration", AT(seconds), 0.01, RUN_SECONDS_MAX},
    {"--warmup", AT(warmup_s), 0, 3600},
    {"--rate", AT(rate), 0.1, 1e7},
    {"--timeout", AT(timeout_s), 0.01, 3600},
};

static const struct {
    const char *name;
    size_t at; /* bool */
} flags[] = {
    {"--sign", AT(sign)}, {"--no-sign", AT(no_sign)}, {"--load", AT(load)},
    {"--keep", AT(keep)}, {"--quiet", AT(quiet)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int out_of_range(const char *name, double low, double high, const char *value) {
    fprintf(stderr,
            "gramme bench: %s takes a number from %.15g to %.15g, not '%s'; see gramme bench "
            "--help\n",
            name, low, high, value);
    return 2;
}

static int set_number(char *options, size_t row, const char *value) {
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || strlen(value) > 19 ||
        n < numbers[row].low || n > numbers[row].high)
        return out_of_range(numbers[row].name, (double)numbers[row].low, (double)numbers[row].high,
                            value);
    *(uint64_t *)(void *)(options + numbers[row].at) = n;
    return 0;
}

static int set_decimal(char *options, size_t row, const char *value) {
    char *end;
    double n = strtod(value, &end);
    if (*value < '0' || *value > '9' || *end != '\0' ||
        !(n >= decimals[row].low && n <= decimals[row].high))
        return out_of_range(decimals[row].name, decimals[row].low, decimals[row].high, value);
    *(double *)(void *)(options + decimals[row].at) = n;
    return 0;
}

/* -1: there is no such option. */
static int set_option(struct bench_options *options, const char *name, const char *value) {
    char *base = (char *)options;
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (strcmp(name, numbers[i].name) == 0)
            return set_number(base, i, value);
    for (size_t i = 0; i < COUNT(decimals); i++)
        if (strcmp(name, decimals[i].name) == 0)
            return set_decimal(base, i, value);
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (strcmp(name, texts[i].name) != 0)
            continue;
        *(const char **)(void *)(base + texts[i].at) = value;
        return *value == '\0' ? wrong("a value is missing after", name) : 0;
    }
    if (strcmp(name, "--distribution") != 0)
        return -1;
    options->has_order = key_order_find(value, &options->order);
    return options->has_order
               ? 0
               : wrong("--distribution is uniform, zipfian, latest or sequential, not", value);
}

static bool set_flag(struct bench_options *options, const char *name) {
    for (size_t i = 0; i < COUNT(flags); i++) {
        if (strcmp(name, flags[i].name) == 0) {
            *((bool *)(void *)((char *)options + flags[i].at)) = true;
            return true;
        }
    }
    return false;
}

/* `--flag`, `--name=value` or `--name value`. */
static int take_argument(struct bench_options *options, int argc, char **argv, int *at) {
    char *argument = argv[*at], *equals = strchr(argument, '=');
    if (strncmp(argument, "--", 2) != 0)
        return wrong("unexpected argument", argument);
    if (set_flag(options, argument))
        return 0;
    const char *value = *at + 1 < argc ? argv[*at + 1] : "";
    if (equals != NULL) {
        *equals = '\0';
        value = equals + 1;
    }
    int status = set_option(options, argument, value);
    if (status < 0)
        return wrong("there is no option", argument);
    *at += equals == NULL;
    return status;
}

/* ---- what does not go together ---- */

static bool is_table_name(const char *text) {
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return text[len] == '\0' && len >= 3 && len <= 255;
}

static int check_workload(const struct bench_options *options) {
    struct arena arena;
    arena_init(&arena);
    const struct workload *workload =
        workload_find(&arena, options->workload, options->table, (unsigned)options->batch);
    uint64_t keys_min = workload == NULL ? 0 : workload->keys_min;
    arena_release(&arena);
    unsigned batch_max = workload_batch_max(options->workload);
    if (workload == NULL)
        return wrong("there is no workload", options->workload);
    if (!is_table_name(options->table))
        return wrong("--table takes 3 to 255 letters, digits, _, - and ., not", options->table);
    if (options->batch > batch_max)
        return wrong(batch_max == 0 ? "--batch is not for" : "--batch is too large for",
                     options->workload);
    if (options->keys < keys_min)
        return wrong("--keys must be at least as many as are in a batch of", options->workload);
    return 0;
}

static int check(const struct bench_options *options) {
    bool own = options->operation != NULL || options->body != NULL;
    if (own == (options->workload != NULL))
        return wrong("say once what to send:", "--workload NAME, or --operation NAME --body TEXT");
    if (own && (options->operation == NULL || options->body == NULL))
        return wrong("these go together:", "--operation and --body");
    if (own && (options->load || options->keep || options->batch > 0))
        return wrong("only a --workload has a table:", "--load, --keep, --batch");
    if (options->sign && options->no_sign)
        return wrong("these do not go together:", "--sign and --no-sign");
    if (options->count > 0 && (options->seconds >= 0 || options->warmup_s >= 0))
        return wrong("--count does not go with", "--duration and --warmup");
    if (options->threads > options->connections)
        return wrong("every thread needs a connection:", "--threads and --connections");
    return own ? 0 : check_workload(options);
}

static void set_defaults(struct bench_options *options) {
    if (options->seconds < 0)
        options->seconds = 10;
    if (options->warmup_s < 0)
        options->warmup_s = options->count > 0 ? 0 : 1;
    if (options->workload != NULL)
        options->payload_bytes = options->item_bytes - WORKLOAD_ITEM_BYTES;
    else
        options->table = NULL;
    options->endpoint = service_endpoint(options->endpoint);
    options->region = service_region(options->region);
}

static int parse(int argc, char **argv, struct bench_options *options) {
    for (int at = 0; at < argc; at++) {
        int status = take_argument(options, argc, argv, &at);
        if (status != 0)
            return status;
    }
    if (options->workload != NULL && strcmp(options->workload, "list") == 0) {
        print_workloads();
        return 0;
    }
    int status = check(options);
    if (status != 0)
        return status;
    set_defaults(options);
    return -1;
}

int bench_parse(int argc, char **argv, struct bench_options *ret_options) {
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            print_workloads();
            return 0;
        }
    }
    *ret_options = (struct bench_options){.table = "gramme-bench",
                                          .connections = 64,
                                          .threads = 1,
                                          .keys = 100000,
                                          .item_bytes = 300,
                                          .payload_bytes = 100,
                                          .group = WORKLOAD_GROUP,
                                          .seconds = -1,
                                          .warmup_s = -1,
                                          .timeout_s = 10};
    /* Up to 31 bits: a number that is easily typed again. */
    uint32_t seed;
    random_fill(&system_random, &seed, sizeof(seed));
    ret_options->seed = seed >> 1;
    return parse(argc, argv, ret_options);
}
