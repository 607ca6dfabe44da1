/* serve.c - `gramme serve`: reads the options, starts the server, waits for a signal, stops. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "server/server.h"

static const char help[] =
    "Usage: gramme serve [OPTIONS]\n"
    "\n"
    "Answers DynamoDB requests until it gets SIGTERM or SIGINT.\n"
    "\n"
    "  --port N            port to listen at; 0 picks a free one (default 8000)\n"
    "  --host HOST         address to listen at (default 127.0.0.1: this machine only)\n"
    "  --data DIR          keep data in DIR; made when it is not there (default ./data)\n"
    "  --memory            keep data in memory: gone when the server stops\n"
    "  --durability MODE   sync: a write is on disk before it is acknowledged (default)\n"
    "                      relaxed: on disk within 100 ms; a power loss may take the last writes,\n"
    "                      the end of the process does not\n"
    "  --cache SIZE        memory for data that was read from disk, as in 512M or 4G (default: a\n"
    "                      quarter of the machine's); taken when it is needed\n"
    "  --region NAME       region in ARNs (default us-east-1)\n"
    "  --policy FILE       IAM policy of all callers: what it does not allow is refused (default:\n"
    "                      everything is allowed); see docs/POLICIES.md\n"
    "  --threads N         I/O threads (default: one per core)\n"
    "  --transaction-conflicts\n"
    "                      for tests of clients: a write or transaction on an item of another\n"
    "                      transaction that runs at the same time fails with TransactionConflict\n"
    "                      (default: it waits its turn)\n"
    "  --test-clock        for tests of clients: time can be read and moved forward, so that "
    "items\n"
    "                      expire at once: GET and POST of /_gramme/clock with {\"Now\": "
    "SECONDS},\n"
    "                      {\"Advance\": SECONDS} or {\"Running\": false}; see "
    "docs/OPERATIONS.md\n";

static int wrong(const char *what, const char *argument) {
    fprintf(stderr, "gramme serve: %s '%s'; see gramme serve --help\n", what, argument);
    return 2;
}

static bool parse_number(const char *text, unsigned long low, unsigned long high,
                         unsigned long *ret_n) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || n < low || n > high)
        return false;
    *ret_n = n;
    return true;
}

/* "512M" or "4G". */
static bool parse_size(const char *text, uint64_t *ret_bytes) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || n == 0 || n > 1024 * 1024 || end[0] == '\0' || end[1] != '\0')
        return false;
    *ret_bytes = (uint64_t)n << (*end == 'G' ? 30 : 20);
    return *end == 'G' || *end == 'M';
}

struct serve_options {
    struct server_config config;
    const char *data;
    bool memory;
};

/* One option with its value; 0 when it is fine. */
static int set_option(struct serve_options *options, const char *name, const char *value) {
    struct server_config *config = &options->config;
    unsigned long n;
    if (strcmp(name, "--port") == 0) {
        if (!parse_number(value, 0, 65535, &n))
            return wrong("--port takes a number from 0 to 65535, not", value);
        config->port = (uint16_t)n;
    } else if (strcmp(name, "--threads") == 0) {
        if (!parse_number(value, 1, 256, &n))
            return wrong("--threads takes a number from 1 to 256, not", value);
        config->threads = (unsigned)n;
    } else if (strcmp(name, "--cache") == 0) {
        if (!parse_size(value, &config->cache_bytes))
            return wrong("--cache takes a size such as 512M or 4G, not", value);
    } else if (strcmp(name, "--durability") == 0) {
        if (strcmp(value, "sync") != 0 && strcmp(value, "relaxed") != 0)
            return wrong("--durability is sync or relaxed, not", value);
        config->durability = strcmp(value, "relaxed") == 0 ? SERVER_RELAXED : SERVER_SYNC;
    } else if (strcmp(name, "--host") == 0) {
        config->host = value;
    } else if (strcmp(name, "--data") == 0) {
        options->data = value;
    } else if (strcmp(name, "--policy") == 0) {
        config->policy = value;
    } else if (strcmp(name, "--region") == 0) {
        config->region = value;
    } else {
        return wrong("there is no option", name);
    }
    return 0;
}

/* Like set_option, for `--name=value` and `--name value`; takes one or two arguments. */
static int take_option(struct serve_options *options, int argc, char **argv, int *at) {
    char *argument = argv[*at];
    char *equals = strchr(argument, '=');
    if (strncmp(argument, "--", 2) != 0)
        return wrong("unexpected argument", argument);
    if (equals != NULL) {
        *equals = '\0';
        return set_option(options, argument, equals + 1);
    }
    if (strcmp(argument, "--memory") == 0) {
        options->memory = true;
        return 0;
    }
    if (strcmp(argument, "--transaction-conflicts") == 0) {
        options->config.transaction_conflicts = true;
        return 0;
    }
    if (strcmp(argument, "--test-clock") == 0) {
        options->config.test_clock = true;
        return 0;
    }
    if (*at + 1 >= argc) {
        int status = set_option(options, argument, "");
        return status != 0 ? status : wrong("a value is missing after", argument);
    }
    return set_option(options, argument, argv[++*at]);
}

static int parse(struct serve_options *options, int argc, char **argv) {
    *options = (struct serve_options){
        .config = {.host = "127.0.0.1",
                   .port = 8000,
                   .region = "us-east-1",
                   .program = "gramme " GRAMME_VERSION},
    };
    for (int at = 0; at < argc; at++) {
        int status = take_option(options, argc, argv, &at);
        if (status != 0)
            return status;
    }
    if (options->memory && options->data != NULL)
        return wrong("--memory keeps nothing: it does not go with --data", options->data);
    if (!options->memory)
        options->config.data_directory = options->data == NULL ? "./data" : options->data;
    return 0;
}

static bool is_loopback(const char *host) {
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
}

/* Where a client on this machine finds the server. */
static const char *host_to_try(const char *host) {
    if (strcmp(host, "0.0.0.0") == 0)
        return "127.0.0.1";
    return strcmp(host, "::") == 0 ? "::1" : host;
}

static void print_url(char *text, size_t size, const char *host, uint16_t port) {
    bool v6 = strchr(host, ':') != NULL;
    snprintf(text, size, v6 ? "http://[%s]:%u" : "http://%s:%u", host, port);
}

static void print_banner(const struct server_config *config, uint16_t port) {
    char endpoint[300];
    print_url(endpoint, sizeof(endpoint), config->host, port);
    printf("gramme " GRAMME_VERSION " listening on %s\n", endpoint);
    if (!is_loopback(config->host))
        printf("  open        to whoever reaches this address: signatures are not verified\n");
    print_url(endpoint, sizeof(endpoint), host_to_try(config->host), port);
    if (config->data_directory == NULL)
        printf("  data        in memory: gone when the server stops\n");
    else
        printf("  data        %s\n", config->data_directory);
    if (config->data_directory != NULL)
        printf("  durability  %s\n",
               config->durability == SERVER_SYNC
                   ? "sync: a write is on disk before it is acknowledged"
                   : "relaxed: a power loss may take the last 100 ms of writes");
    printf("  region      %s\n", config->region);
    if (config->policy != NULL)
        printf("  policy      %s\n", config->policy);
    printf("  try         aws dynamodb list-tables --endpoint-url %s --region %s\n", endpoint,
           config->region);
    printf("              (any credentials will do: AWS_ACCESS_KEY_ID=local "
           "AWS_SECRET_ACCESS_KEY=local)\n");
    fflush(stdout);
}

int command_serve(int argc, char **argv) {
    struct serve_options options;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return 0;
        }
    }
    int status = parse(&options, argc, argv);
    if (status != 0)
        return status;

    /* Blocked here, so that every thread inherits it and only this one waits for them. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an I/O error, not the end */

    struct arena arena;
    struct server *server = NULL;
    arena_init(&arena);
    struct error *error = server_start(&arena, &options.config, &server);
    if (error != NULL) {
        fprintf(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
        arena_release(&arena);
        return 1;
    }
    print_banner(&options.config, server_port(server));
    int received;
    sigwait(&signals, &received);
    printf("stopping: requests under way are finished first\n");
    fflush(stdout);
    server_stop(server);
    arena_release(&arena);
    return 0;
}
