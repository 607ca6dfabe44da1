/* serve.c - `gramme serve`: starts the server, waits for signals, stops. */
#include <stdlib.h>

#include "admin/remote_store.h"
#include "base/container.h"
#include "base/leniency.h"
#include "base/log.h"
#include "base/secret.h"
#include "cli/manager.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "server/server.h"

struct serve_options {
    struct server_config config; /* but for the data directory */
    const char *data;
    const char *store;
    const char *settings;
    bool memory;
    bool no_auth;
    bool like_local;
    enum log_level log_level;
    enum log_format log_format;
};

static bool is_loopback(const char *host) {
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
}

/* Where a client on this machine finds the server. */
static const char *host_to_try(const char *host) {
    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "localhost") == 0)
        return "127.0.0.1";
    return strcmp(host, "::") == 0 ? "::1" : host;
}

static void print_url(char *text, size_t size, bool secure, const char *host, uint16_t port) {
    bool v6 = strchr(host, ':') != NULL;
    snprintf(text, size, v6 ? "%s://[%s]:%u" : "%s://%s:%u", secure ? "https" : "http", host, port);
}

static void print_data(const struct server_config *config, const struct server *server) {
    struct slice place = server_place(server);
    if (slice_present(place))
        printf("  data        %.*s, which this server leads\n", SLICE_ARGS(place));
    else if (config->data_directory != NULL)
        printf("  data        %s\n", config->data_directory);
    else
        printf("  data        in memory: gone when the server stops\n");
}

static void print_durability(const struct server_config *config) {
    static const char *const words[][2] = {
        {"sync: a write is on disk before it is acknowledged",
         "relaxed: a power loss may take the last 100 ms of writes"},
        {"sync: a write is committed, as durably as that server commits, before it is acknowledged",
         "relaxed: a failure of that server may take the last 100 ms of writes"}};
    if (config->data_directory != NULL || config->store_url != NULL)
        printf("  durability  %s\n",
               words[config->store_url != NULL][config->durability != SERVER_SYNC]);
}

/* Names stand for themselves, but for localhost, of which a machine may have less. */
static void print_listening(const struct server_config *config, const struct server *server) {
    bool secure = config->tls_certificate != NULL;
    const char *scheme = secure ? "https" : "http", *address;
    char url[300];
    if (strcmp(config->host, "localhost") != 0 && config->passed_fds == 0) {
        print_url(url, sizeof(url), secure, config->host, server_port(server));
        printf("gramme " GRAMME_VERSION " listening on %s\n", url);
        return;
    }
    printf("gramme " GRAMME_VERSION " listening on %s://%s\n", scheme, server_address(server, 0));
    for (unsigned i = 1; (address = server_address(server, i)) != NULL; i++)
        printf("  also on     %s://%s\n", scheme, address);
}

static void print_banner(const struct server_config *config, const struct server *server) {
    uint16_t port = server_port(server);
    bool secure = config->tls_certificate != NULL;
    char endpoint[300];
    print_listening(config, server);
    if (config->auth)
        printf("  access      by signature: who has no key is refused\n");
    else if (!is_loopback(config->host))
        printf("  open        to whoever reaches this address: signatures are not verified\n");
    print_url(endpoint, sizeof(endpoint), secure, host_to_try(config->host), port);
    if (secure)
        printf("  tls         1.2 and 1.3, with the certificate in %s\n", config->tls_certificate);
    if (config->tls_client_ca != NULL)
        printf("  clients     need a certificate of %s\n", config->tls_client_ca);
    print_data(config, server);
    if (config->encrypt_with != NULL && config->store_url != NULL)
        printf("  encryption  AES-256: the secrets of access keys\n");
    else if (config->encrypt_with != NULL)
        printf("  encryption  AES-256: everything in that directory, and backups of it\n");
    else if (server_tables_unencrypted(server) > 0)
        printf("  encryption  none, though tables ask for it: %zu\n",
               server_tables_unencrypted(server));
    print_durability(config);
    if (config->throttle)
        printf("  throttling  as provisioned, with a burst of %u s\n", config->burst_seconds);
    if (config->metrics_port != 0) {
        char metrics[300];
        print_url(metrics, sizeof(metrics), false, host_to_try(config->host), config->metrics_port);
        printf("  metrics     %s/metrics\n", metrics);
    }
    if (!config->no_console)
        printf("  console     %s/_gramme/\n", endpoint);
    printf("  region      %s\n", config->region);
    if (config->policy != NULL)
        printf("  policy      %s\n", config->policy);
    printf("  try         aws dynamodb list-tables --endpoint-url %s --region %s\n", endpoint,
           config->region);
    if (!config->auth)
        printf("              (any credentials will do: AWS_ACCESS_KEY_ID=local "
               "AWS_SECRET_ACCESS_KEY=local)\n");
    fflush(stdout);
}

/* On standard output and not in the log: the one time that it is shown. */
static void print_first_key(struct server *server) {
    char id[200], secret[200];
    if (!server_take_first_key(server, id, secret, sizeof(id)))
        return;
    printf("# There was no access key: this one was made. It may do everything, and is not shown "
           "again.\n"
           "# Put these lines into ~/.aws/credentials:\n"
           "[gramme]\n"
           "aws_access_key_id = %s\n"
           "aws_secret_access_key = %s\n\n",
           id, secret);
    secret_wipe(secret, sizeof(secret));
}

/* ---- where its data is ---- */

static const char *after(const char *text, const char *prefix) {
    size_t len = strlen(prefix);
    return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

/* Whatever else there is is libpq's to read. */
static bool is_store(const char *text) {
    const char *directory = after(text, "rocksdb:");
    return (directory != NULL && *directory != '\0') || strcmp(text, "memory:") == 0 ||
           remote_store_is_url(text);
}

static void choose_store(const struct serve_options *options, struct server_config *config) {
    config->data_directory = options->memory ? NULL : options->data;
    if (options->store == NULL)
        return;
    config->data_directory = after(options->store, "rocksdb:");
    if (remote_store_is_url(options->store))
        config->store_url = options->store;
}

/* What a directory has and a store elsewhere has not. */
static struct error *check_store(struct invocation *invocation) {
    const struct serve_options *options = invocation->values;
    if (options->store == NULL)
        return NULL;
    if (options->memory)
        return error_local(invocation->arena, "--store and --memory exclude each other");
    if (strcmp(options->store, "memory:") == 0 && options->config.encrypt_with != NULL)
        return error_local(invocation->arena, "memory is not encrypted");
    if (!remote_store_is_url(options->store) && options->config.read_store_url != NULL)
        return error_local(invocation->arena,
                           "--read-store goes with a store on a PostgreSQL server");
    if (remote_store_is_url(options->store) && options->config.auth &&
        options->config.encrypt_with == NULL)
        return error_local(
            invocation->arena,
            "the secrets of access keys would lie open in that store: --encrypt-with "
            "names the key that seals them, the same for all its servers");
    return NULL;
}

/* Beyond this machine a server is either guarded or said not to be. */
static struct error *check_serve(struct invocation *invocation) {
    const struct serve_options *options = invocation->values;
    TRY(check_store(invocation));
    if (options->config.auth || options->no_auth || is_loopback(options->config.host))
        return NULL;
    return error_local(invocation->arena,
                       "whoever reaches %s could read and write everything: verify signatures with "
                       "--auth, or say --no-auth",
                       options->config.host);
}

/* Another server leads its store: see serve_waits(). */
struct serve_waiter {
    struct server_waiter base;
    const struct signals *signals;
    const struct server_config *config;
    bool told;
    bool stopped;
};

/* To whoever started it that is as good as a start. */
static bool serve_waits(struct server_waiter *base, struct slice place, uint16_t port) {
    struct serve_waiter *waiter = container_of(base, struct serve_waiter, base);
    char endpoint[300];
    if (!waiter->told) {
        print_url(endpoint, sizeof(endpoint), waiter->config->tls_certificate != NULL,
                  host_to_try(waiter->config->host), port);
        printf("gramme " GRAMME_VERSION " following: another server leads %.*s\n"
               "  endpoint    %s\n"
               "  health      %s/health/ready\n",
               SLICE_ARGS(place), endpoint, endpoint);
        fflush(stdout);
        manager_tell("READY=1\nSTATUS=following: another server leads");
        waiter->told = true;
    }
    waiter->stopped = signals_wait(waiter->signals, 1) == SIGNAL_STOP;
    return !waiter->stopped;
}

/* The exit status: 0 when it was told to end. */
static int wait_for_end(const struct signals *signals, struct server *server) {
    unsigned timeout_ms = server_look_ms(server);
    for (enum signal_wish wish; (wish = signals_wait(signals, timeout_ms)) != SIGNAL_STOP;) {
        if (wish == SIGNAL_RELOAD)
            server_reload(server);
        else if (!server_look(server)) {
            log_error("this server leads its store no more, and ends: started again, it follows");
            return 1;
        }
    }
    return 0;
}

static int run_serve(const struct invocation *invocation) {
    const struct serve_options *options = invocation->values;
    struct server_config config = options->config;
    choose_store(options, &config);
    config.passed_fds = manager_sockets();
    config.leniencies = options->like_local ? LENIENT_ALL : 0;
    config.loopback_only = !config.auth && !options->no_auth;
    config.program = "gramme " GRAMME_VERSION;
    log_configure(options->log_level, options->log_format);
    struct signals signals;
    signals_block(&signals);
    struct server *server = NULL;
    struct serve_waiter waiter = {
        .base.goes_on = serve_waits, .signals = &signals, .config = &config};
    config.waiter = &waiter.base;
    struct error *error = server_start(invocation->arena, &config, &server);
    if (waiter.stopped)
        return 0;
    if (error != NULL) {
        say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
        return 1;
    }
    print_first_key(server);
    print_banner(&config, server);
    manager_tell("READY=1");
    int status = wait_for_end(&signals, server);
    manager_tell("STOPPING=1");
    printf("stopping: requests under way are finished first\n");
    fflush(stdout);
    server_stop(server);
    return status;
}

/* ---- what it takes ---- */

#define V6_CHARACTERS "0123456789abcdefABCDEF:."
#define NAME_CHARACTERS                                              \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
    "-._"

/* "db.example.com", "10.0.0.1", "fe80::1" with brackets or without. */
static bool is_host(const char *text) {
    size_t len = strlen(text), colons = 0;
    if (text[0] == '[' && text[len - 1] == ']')
        return len > 2 && strspn(text + 1, V6_CHARACTERS) == len - 2;
    for (size_t i = 0; i < len; i++)
        colons += text[i] == ':';
    return strspn(text, colons > 1 ? V6_CHARACTERS : NAME_CHARACTERS) == len;
}

static bool is_address(const char *text) {
    const char *colon = strrchr(text, ':');
    char host[256];
    if (colon == NULL || (size_t)(colon - text) >= sizeof(host) || colon == text)
        return false;
    snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
    size_t digits = strspn(colon + 1, "0123456789");
    return is_host(host) && digits > 0 && digits <= 5 && colon[1 + digits] == '\0' &&
           atoi(colon + 1) <= 65535;
}

/* As browsers send it: no path, and no slash at its end. "null" is one, too. */
static bool is_origin(const char *text) {
    const char *name = strstr(text, "://");
    if (name == NULL)
        return strcmp(text, "*") == 0 || strcmp(text, "null") == 0;
    name += strlen("://");
    return *name != '\0' && strspn(name, NAME_CHARACTERS ":[]") == strlen(name);
}

static bool is_url(const char *text) {
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* The rest is read when the server starts. */
static bool is_topic(const char *text) {
    const char *equals = strchr(text, '=');
    return strncmp(text, "arn:", 4) == 0 && equals != NULL &&
           (is_url(equals + 1) || strncmp(equals + 1, "exec:", 5) == 0);
}

#define AT(member) OPTION_AT(struct serve_options, member)

/* In the order of enum server_durability. */
static const char *const durabilities[] = {"sync", "relaxed", NULL};

static const char *const log_levels[] = {"info", "warning", "error", NULL};
static const char *const log_formats[] = {"text", "json", NULL};

static const struct option serve_options[] = {
    {"config", "FILE", .kind = OPTION_FILE, AT(settings), .otherwise = "none",
     .help = "a file with more options, one a line: NAME = VALUE"},
    {"port", "N", .kind = OPTION_NUMBER, AT(config.port), .number = {0, 65535}, .preset = "8000",
     .help = "port to listen at; 0 picks a free one"},
    {"host", "HOST", .kind = OPTION_TEXT, AT(config.host), .preset = "localhost",
     .help = "address to listen at; localhost, which is 127.0.0.1 and ::1, is reached from this "
             "machine only"},
    {"threads", "N", .kind = OPTION_NUMBER, AT(config.threads), .number = {1, 256},
     .otherwise = "one per core", .help = "I/O threads"},
    {"region", "NAME", .kind = OPTION_TEXT, AT(config.region), .preset = "us-east-1",
     .help = "region in ARNs"},
    {"account", "NUMBER", .kind = OPTION_TEXT, AT(config.account),
     .form = {"12 digits", option_is_account}, .preset = ACCOUNT_PRESET,
     .help = "account in ARNs, those of tables that are there already too"},
    {"auth", .group = "Access", .kind = OPTION_FLAG, AT(config.auth),
     .otherwise = "callers are believed",
     .help = "verify signatures: only who has a key is answered. The first start makes a key and "
             "prints it; gramme key, user and role make more"},
    {"no-auth", .kind = OPTION_FLAG, AT(no_auth), .excludes = "auth",
     .help = "believe callers also on an address that others reach"},
    {"root-key", "FILE", .kind = OPTION_FILE, AT(config.root_key), .needs = "auth",
     .help = "take the key in FILE, an AWS credentials file, as one that may do everything"},
    {"clock-skew", "MINUTES", .kind = OPTION_NUMBER, AT(config.skew_minutes), .number = {1, 1440},
     .preset = "15", .help = "how far the time of a signature may be off"},
    {"tls-cert", "FILE", .kind = OPTION_FILE, AT(config.tls_certificate), .needs = "tls-key",
     .otherwise = "plain HTTP",
     .help = "speak TLS with the certificate in FILE, and those between it and its authority; read "
             "again when it changes. gramme cert create makes one"},
    {"tls-key", "FILE", .kind = OPTION_FILE, AT(config.tls_key), .needs = "tls-cert",
     .help = "the key of that certificate"},
    {"tls-client-ca", "FILE", .kind = OPTION_FILE, AT(config.tls_client_ca), .needs = "tls-cert",
     .otherwise = "clients need none",
     .help = "refuse clients without a certificate of an authority in FILE"},
    {"policy", "FILE", .kind = OPTION_FILE, AT(config.policy), .otherwise = "everything is allowed",
     .help = "IAM policy of all callers: what it does not allow is refused; see "
             "docs/POLICIES.md"},
    {"audit", "FILE", .kind = OPTION_FILE, AT(config.audit), .otherwise = "none",
     .help = "append a line of JSON to FILE for each request that changes something or is denied; "
             "- is standard output; SIGHUP opens FILE anew; see docs/OPERATIONS.md"},
    {"allow-host", "NAME", .kind = OPTION_TEXTS, AT(config.allow_hosts),
     .form = {"a host's name without a port", is_host},
     .otherwise = "its own names, where only this machine reaches it; any, where others do",
     .help = "answer requests whose Host is NAME, too; any number of times"},
    {"allow-origin", "ORIGIN", .kind = OPTION_TEXTS, AT(config.allow_origins),
     .form = {"an origin such as https://app.example.com:3000, or *", is_origin},
     .otherwise = "no page",
     .help = "answer web pages of ORIGIN, such as http://localhost:3000; * is all; any number of "
             "times; see docs/OPERATIONS.md"},
    {"data", "DIR", .group = "Data", .kind = OPTION_DIRECTORY, AT(data), .preset = "./data",
     .help = "keep data in DIR; made when it is not there"},
    {"memory", .kind = OPTION_FLAG, AT(memory), .excludes = "data",
     .help = "keep data in memory: gone when the server stops"},
    {"store", "URL", .kind = OPTION_TEXT, AT(store), .excludes = "data",
     .form = {"rocksdb:DIR, memory: or a postgres:// URL", is_store}, .otherwise = "as --data says",
     .help =
         "keep data elsewhere: postgres://... is a PostgreSQL server, on which several servers "
         "may share a store, one leading and the others handing on to it and ready to take over; "
         "gramme store init makes it; see docs/CLUSTER.md. rocksdb:DIR and memory: are --data and "
         "--memory"},
    {"node", "HOST:PORT", .kind = OPTION_TEXT, AT(config.node), .form = {"HOST:PORT", is_address},
     .needs = "store", .otherwise = "the address by which it reaches the store, any free port",
     .help = "where other servers on the same store hand requests on to this one, encrypted, and "
             "known by a secret in the store; see docs/CLUSTER.md"},
    {"advertise", "HOST:PORT", .kind = OPTION_TEXT, AT(config.advertise),
     .form = {"HOST:PORT", is_address}, .needs = "store", .otherwise = "as --node says",
     .help = "what they are told instead, where addresses are translated"},
    {"read-store", "URL", .kind = OPTION_TEXT, AT(config.read_store_url),
     .form = {"a postgres:// URL", remote_store_is_url}, .needs = "store",
     .otherwise = "everything is read there",
     .help = "a standby of that PostgreSQL server, from which a server that does not lead reads "
             "what need not be consistent; see docs/CLUSTER.md"},
    {"read-lag", "DURATION", .kind = OPTION_DURATION, AT(config.read_lag_ms), .preset = "5s",
     .needs = "read-store", .help = "how far the standby may be behind to be read"},
    {"encrypt-with", "KEY", .kind = OPTION_TEXT, AT(config.encrypt_with), .excludes = "memory",
     .otherwise = "plain",
     .help = "encrypt everything in DIR with the key in a file that only its owner may read; or "
             "credential:NAME, from systemd, or command:COMMAND, which prints it; see "
             "docs/OPERATIONS.md"},
    {"durability", "MODE", .kind = OPTION_CHOICE, AT(config.durability), .words = durabilities,
     .preset = "sync",
     .help = "sync: a write is on disk before it is acknowledged\n"
             "relaxed: on disk within 100 ms; a power loss may take the last writes, the end of "
             "the process does not"},
    {"ttl-delay", "DURATION", .kind = OPTION_DURATION, AT(config.ttl_delay_ms), .preset = "0",
     .help = "keep items readable for so long after their time to live, as the service does for up "
             "to some days: 5m, 2d"},
    {"clock-hold", "DURATION", .kind = OPTION_DURATION, AT(config.clock_hold_ms), .preset = "1h",
     .help = "how long a jump of the system's clock by more than five minutes is doubted: until it "
             "has lasted so long nothing expires by it; 0 follows at once"},
    {"scrub", "DURATION", .kind = OPTION_DURATION, AT(config.scrub_ms), .preset = "7d",
     .help = "in how long all files in DIR are read through, again and again, to see that the disk "
             "has them as they were written; 0: never"},
    {"cache", "SIZE", .kind = OPTION_SIZE, AT(config.cache_bytes),
     .otherwise = "a quarter of the machine's",
     .help = "memory for data that was read from disk, as in 512M or 4G; taken when it is needed"},
    {"reserve", "MB", .kind = OPTION_NUMBER, AT(config.reserve_mb), .number = {0, 1 << 20},
     .preset = "16",
     .help =
         "megabytes that a file in DIR takes, to be given up when the disk is full, so that the "
         "server can start and data be deleted; 0: none"},
    {"request-memory", "SIZE", .kind = OPTION_SIZE, AT(config.request_bytes), .otherwise = "512M",
     .help =
         "memory for requests and replies under way, besides a little for each connection: what "
         "does not fit waits its turn"},
    {"connections", "N", .kind = OPTION_NUMBER, AT(config.connections), .number = {1, 1000000},
     .preset = "20000", .help = "open at a time; more are closed at once"},
    {"connections-per-peer", "N", .kind = OPTION_NUMBER, AT(config.connections_per_peer),
     .number = {1, 1000000}, .preset = "5000",
     .help = "of them from one address, or one /64 of IPv6; those of this machine are not counted"},
    {"throttle", .group = "Capacity", .kind = OPTION_FLAG, AT(config.throttle),
     .otherwise = "nothing is limited",
     .help = "refuse requests beyond what tables and indexes may do, as the service does: what is "
             "provisioned, maxima of on-demand tables, 3000 reads and 1000 writes a second of a "
             "partition key; see docs/THROTTLING.md"},
    {"burst", "SECONDS", .kind = OPTION_NUMBER, AT(config.burst_seconds), .number = {1, 300},
     .preset = "300", .needs = "throttle",
     .help = "how many seconds of provisioned units that were not used are kept"},
    {"log-level", "WORD", .group = "Watching it", .kind = OPTION_CHOICE, AT(log_level),
     .words = log_levels, .preset = "info", .help = "what is less than this is not logged"},
    {"log-format", "WORD", .kind = OPTION_CHOICE, AT(log_format), .words = log_formats,
     .preset = "text", .help = "lines of the log: text, or a JSON object each"},
    {"slow-ms", "N", .kind = OPTION_NUMBER, AT(config.slow_ms), .number = {1, 3600000},
     .otherwise = "none are told",
     .help = "log requests that take as many milliseconds or more, with where the time went"},
    {"metrics-port", "N", .kind = OPTION_NUMBER, AT(config.metrics_port), .number = {1, 65535},
     .otherwise = "on the main port only",
     .help = "answer GET /metrics and /health at this port, too, in plain HTTP to whoever reaches "
             "it, with a thread of its own; see docs/METRICS.md"},
    {"metrics-open", .kind = OPTION_FLAG, AT(config.metrics_open),
     .otherwise = "with --auth only this machine and the owner's keys",
     .help = "answer GET /metrics at the main port to everybody"},
    {"no-console", .kind = OPTION_FLAG, AT(config.no_console),
     .otherwise = "a browser shows it at /_gramme/", .help = "have no pages for browsers"},
    {"sns-endpoint", "URL", .group = "Alarms", .kind = OPTION_TEXT,
     AT(config.alarm_actions.sns_endpoint), .form = {"an http:// or https:// URL", is_url},
     .otherwise = "topics go nowhere",
     .help = "where messages of alarms to SNS topics are published; see docs/ALARMS.md"},
    {"sns-topic", "ARN=PLACE", .kind = OPTION_TEXTS, AT(config.alarm_actions.sns_topics),
     .form = {"ARN=URL or ARN=exec:COMMAND", is_topic},
     .help = "where those to one topic go instead: a URL, or a command that reads the message; any "
             "number of times"},
    {"alarm-host", "NAME", .kind = OPTION_TEXTS, AT(config.alarm_actions.hosts),
     .form = {"a host's name without a port", is_host}, .otherwise = "any host",
     .help = "send messages of alarms to URLs of this host only; any number of times"},
    {"no-alarm-actions", .kind = OPTION_FLAG, AT(config.alarm_actions.none),
     .help = "alarms change their state and send nothing"},
    {"transaction-conflicts", .group = "For tests of clients", .kind = OPTION_FLAG,
     AT(config.transaction_conflicts), .otherwise = "it waits its turn",
     .help = "a write or transaction on an item of another transaction that runs at the same time "
             "fails with TransactionConflict"},
    {"like-local", .kind = OPTION_FLAG, AT(like_local), .otherwise = "as the service",
     .help = "be as lenient as DynamoDB Local where tools rely on it, as gramme local is; see "
             "docs/COMPATIBILITY.md"},
    {"test-faults", .kind = OPTION_FLAG, AT(config.test_faults),
     .help = "requests fail, wait or lose their connection when they are told to: GET, POST and "
             "DELETE of /_gramme/faults, as in {\"Operation\": \"PutItem\", \"Error\": "
             "\"ThrottlingException\", \"Count\": 3}; see docs/THROTTLING.md"},
    {"test-reset", .kind = OPTION_FLAG, AT(config.test_reset),
     .help = "with --memory: everything is as new after a POST of /_gramme/reset, and as it was "
             "after one of /_gramme/snapshots/NAME/restore; see docs/TESTING.md"},
    {"name-spaces", .kind = OPTION_FLAG, AT(config.name_spaces), .otherwise = "all share all",
     .help = "each access key has tables of its own in each region, on disk in a directory below "
             "that of --data"},
    {"test-clock", .kind = OPTION_FLAG, AT(config.test_clock),
     .help = "time can be read and moved forward, so that items expire at once: GET and POST of "
             "/_gramme/clock with {\"Now\": SECONDS}, {\"Advance\": SECONDS} or {\"Running\": "
             "false}; see docs/OPERATIONS.md"},
    {.name = NULL},
};

const struct command command_serve = {
    .name = "serve",
    .summary = "answer DynamoDB requests",
    .about = "Answers DynamoDB requests until it gets SIGTERM or SIGINT. SIGHUP has it read again "
             "what may change while it runs.\n"
             "Each option can be given by a variable as well, as GRAMME_PORT=8001, or by a line of "
             "a file, as port = 8001; the command line wins.",
    .options = serve_options,
    .values_size = sizeof(struct serve_options),
    .has_settings = true,
    .settings_file = offsetof(struct serve_options, settings),
    .check = check_serve,
    .run = run_serve,
};
