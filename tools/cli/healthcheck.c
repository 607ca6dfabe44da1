/* healthcheck.c - `gramme healthcheck`: whether a running server serves, told by the exit status.
 *
 * It is what a container's HEALTHCHECK runs: no other program is needed for it, and whatever does
 * not answer, a name's server included, ends it in time. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/ask.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/serve_options.h"
#include "cli/server_url.h"
#include "cli/service.h"
#include "server/server.h"
#include "top/fetch.h"

struct healthcheck_options {
    const char *server;
    double timeout_s;
};

/* The one thing that ends every wait, in libraries too. */
static void give_up(int number) {
    static const char text[] = "gramme: no answer in time\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)written;
    _exit(1);
}

static void end_in(double seconds) {
    struct sigaction end = {.sa_handler = give_up};
    struct itimerval timer = {.it_value = {(time_t)seconds, 0}};
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    sigaction(SIGALRM, &end, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static const char *own_url(struct arena *arena, const struct server_config *config) {
    char *url = ARENA_ARRAY(arena, char, SERVER_URL_CHARS);
    server_url_print(url, config->tls_certificate != NULL, server_url_host(config->host),
                     config->port);
    return url;
}

/* The one that a server with the same variables and the same file is, as in a container: the
 * control socket of its directory if somebody is there, or else its port. */
static struct error *find_server(struct arena *arena, const char **ret_server, bool *ret_own) {
    struct invocation settings;
    TRY(options_read_settings(arena, &command_serve, &settings));
    const struct serve_options *serve = settings.values;
    *ret_own = options_given(&settings, "port") || options_given(&settings, "host") ||
               options_given(&settings, "tls-cert") || options_given(&settings, "data");
    if (options_given(&settings, "data") && ask_is_there(arena, serve->data))
        *ret_server = serve->data;
    else
        *ret_server = *ret_own ? own_url(arena, &serve->config) : service_endpoint(NULL);
    return NULL;
}

/* The control socket is there from when the server serves until it begins to stop. */
static struct error *check(struct arena *arena, const char *server) {
    struct slice text;
    bool is_own = false;
    if (server == NULL)
        TRY(find_server(arena, &server, &is_own));
    bool is_url = strstr(server, "://") != NULL;
    if (!is_url && access(server, F_OK) != 0)
        return error_local(arena, "%s is neither a URL, as http://127.0.0.1:8000, nor a directory",
                           server);
    if (!is_url)
        return ask_directory(arena, server, SERVER_METRICS_SERVICE, &text);
    return fetch(arena, server, "/health/ready", is_own, &text);
}

static int run_healthcheck(const struct invocation *invocation) {
    const struct healthcheck_options *options = invocation->values;
    end_in(options->timeout_s);
    struct error *error = check(invocation->arena, options->server);
    if (error != NULL)
        say(stderr, "gramme: %.*s\n", SLICE_ARGS(error->message));
    return error == NULL ? 0 : 1;
}

static const struct argument healthcheck_arguments[] = {
    {"SERVER", "its URL, or its data directory", OPTION_TEXT,
     OPTION_AT(struct healthcheck_options, server),
     .otherwise = "the server of GRAMME_DATA, GRAMME_HOST, GRAMME_PORT, GRAMME_TLS_CERT, "
                  "GRAMME_CONFIG; "
                  "else " SERVICE_ENDPOINT_DEFAULT},
    {.name = NULL},
};

static const struct option healthcheck_options[] = {
    {"timeout", "SECONDS", .kind = OPTION_SECONDS, OPTION_AT(struct healthcheck_options, timeout_s),
     .decimal = {0.1, FETCH_SECONDS}, .preset = "3", .help = "how long to wait for the answer"},
    {.name = NULL},
};

const struct command command_healthcheck = {
    .name = "healthcheck",
    .summary = "tell by the exit status whether a server serves, for containers",
    .about = "Ends with 0 when the server serves requests and with 1, and a line that says why, "
             "when it does not: because it starts, stops, waits for another one that leads, or "
             "does not answer. SERVER is asked for GET /health/ready, or through the control "
             "socket in its data directory, which works whatever clients have to show. Without it "
             "it is the server that the variables of gramme serve tell of. Certificates of "
             "other servers are verified, unless at a loopback address, by AWS_CA_BUNDLE if it is "
             "there.",
    .closing = "In a Dockerfile: HEALTHCHECK CMD [\"gramme\", \"healthcheck\"]",
    .arguments = healthcheck_arguments,
    .options = healthcheck_options,
    .values_size = sizeof(struct healthcheck_options),
    .run = run_healthcheck,
};
