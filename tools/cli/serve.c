/* serve.c - `gramme serve`: starts the server, waits for signals, stops. */
#include <errno.h>
#include <stdlib.h>

#include "admin/remote_store.h"
#include "base/container.h"
#include "base/leniency.h"
#include "base/log.h"
#include "base/secret.h"
#include "cli/manager.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/serve_options.h"
#include "cli/server_url.h"
#include "cli/signals.h"
#include "server/server.h"

static bool is_loopback(const char *host) {
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
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
    char url[SERVER_URL_CHARS];
    if (strcmp(config->host, "localhost") != 0 && config->passed_fds == 0) {
        server_url_print(url, secure, config->host, server_port(server));
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
    char endpoint[SERVER_URL_CHARS];
    print_listening(config, server);
    if (config->auth)
        printf("  access      by signature: who has no key is refused\n");
    else if (!is_loopback(config->host))
        printf("  open        to whoever reaches this address: signatures are not verified\n");
    server_url_print(endpoint, secure, server_url_host(config->host), port);
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
        char metrics[SERVER_URL_CHARS];
        server_url_print(metrics, false, server_url_host(config->host), config->metrics_port);
        printf("  metrics     %s/metrics\n", metrics);
    }
    if (!config->no_console)
        printf("  console     %s/_gramme/\n", endpoint);
    printf("  region      %s\n", config->region);
    if (config->policy != NULL)
        printf("  policy      %s\n", config->policy);
    if (config->name_spaces)
        printf("  tables      apart for each access key and region\n");
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
    struct server_config config = options->config;
    choose_store(options, &config);
    TRY(server_check(invocation->arena, &config));
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
static enum server_wish serve_waits(struct server_waiter *base, struct slice place, uint16_t port) {
    struct serve_waiter *waiter = container_of(base, struct serve_waiter, base);
    char endpoint[SERVER_URL_CHARS];
    if (!waiter->told) {
        server_url_print(endpoint, waiter->config->tls_certificate != NULL,
                         server_url_host(waiter->config->host), port);
        printf("gramme " GRAMME_VERSION " following: another server leads %.*s\n"
               "  endpoint    %s\n"
               "  health      %s/health/ready\n",
               SLICE_ARGS(place), endpoint, endpoint);
        fflush(stdout);
        manager_tell("READY=1\nSTATUS=following: another server leads");
        waiter->told = true;
    }
    enum signal_wish wish = signals_wait(waiter->signals, 1);
    waiter->stopped = wish == SIGNAL_STOP;
    return waiter->stopped ? SERVER_ENDS : wish == SIGNAL_RELOAD ? SERVER_RELOADS : SERVER_WAITS;
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
    if (invocation->excluded.len > 0)
        log_warning("left out, as the command line says otherwise: %.*s",
                    SLICE_ARGS(invocation->excluded));
    struct signals signals;
    if (!signals_block(&signals, options->stop_with_stdin)) {
        say(stderr, "gramme: signals cannot be waited for: %s\n", strerror(errno));
        return 1;
    }
    struct server *server = NULL;
    struct serve_waiter waiter = {.base.wish = serve_waits, .signals = &signals, .config = &config};
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

const struct command command_serve = {
    .name = "serve",
    .summary = "answer DynamoDB requests",
    .about = "Answers DynamoDB requests until it gets SIGTERM or SIGINT. SIGHUP has it read the "
             "policy and the certificate again, and open the audit log anew.\n"
             "Each option can be given by a variable as well, as GRAMME_PORT=8001, or by a line of "
             "a file, as port = 8001; the command line wins.",
    .options = serve_options,
    .values_size = sizeof(struct serve_options),
    .has_settings = true,
    .settings_file = offsetof(struct serve_options, settings),
    .check = check_serve,
    .run = run_serve,
};
