/* serve_options.c - see serve_options.h: the table, and the forms of values. */
#include "cli/serve_options.h"

#include <stdlib.h>

#include "admin/remote_store.h"
#include "cli/options.h"

/* ---- forms ---- */

/* Whatever else there is is libpq's to read. */
static bool is_store(const char *text) {
    return (strncmp(text, "rocksdb:", 8) == 0 && text[8] != '\0') || strcmp(text, "memory:") == 0 ||
           remote_store_is_url(text);
}

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

const struct option serve_options[] = {
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
    {"stop-with-stdin", .kind = OPTION_FLAG, AT(stop_with_stdin),
     .help =
         "stop when standard input ends, as by SIGTERM: for a program that starts a server, holds "
         "a pipe to it open, and may be killed"},
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
     .excludes = "store", .help = "keep data in DIR; made when it is not there"},
    {"memory", .kind = OPTION_FLAG, AT(memory), .excludes = "data",
     .help = "keep data in memory: gone when the server stops"},
    {"store", "URL", .kind = OPTION_TEXT, AT(store), .excludes = "memory",
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
    {"name-spaces-max", "N", .kind = OPTION_NUMBER, AT(config.name_spaces_max), .number = {1, 1000},
     .preset = "200",
     .help = "of them that are open at a time; then one makes room that is empty, or on disk was "
             "not used for some seconds"},
    {"test-clock", .kind = OPTION_FLAG, AT(config.test_clock),
     .help = "time can be read and moved forward, so that items expire at once: GET and POST of "
             "/_gramme/clock with {\"Now\": SECONDS}, {\"Advance\": SECONDS} or {\"Running\": "
             "false}; see docs/OPERATIONS.md"},
    {.name = NULL},
};
