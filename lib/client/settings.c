/* settings.c - looking each setting up, in the AWS tools' order. */
#include "client/settings.h"

#include <stdlib.h>

#include "client/credentials.h"

enum {
    CONNECT_TIMEOUT_MS = 3000,
    REQUEST_TIMEOUT_MS = 30000,
    ATTEMPTS_DEFAULT = 6,
    ATTEMPTS_MAX = 1000,
    BACKOFF_BASE_MS = 50,
    BACKOFF_MAX_MS = 5000,
    RETRY_BUDGET = 500,
    REPLY_SIZE_MAX = 64 * 1024 * 1024,
    REGION_LEN_MAX = 63,
};

/* ---- region ---- */

static bool is_region(const char *text) {
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return len > 0 && len <= REGION_LEN_MAX && text[len] == '\0';
}

static const char *load_region(const struct lookup *lookup, struct settings *settings) {
    const char *environment = lookup_either(lookup_variable(lookup, "AWS_REGION"),
                                            lookup_variable(lookup, "AWS_DEFAULT_REGION"));
    const char *region = lookup_either(lookup->options->region, environment);
    if (region == NULL)
        region = lookup_config(lookup, "region");
    if (region == NULL)
        return "no region: set AWS_REGION, or `region` in the profile, or the option";
    if (!is_region(region))
        return lookup_printf(lookup, "\"%s\" is no region", region);
    settings->credentials.region = region;
    settings->credentials.service = lookup_either(lookup->options->signing_name, NULL);
    return NULL;
}

/* ---- endpoints ---- */

static bool is_endpoint(const char *text) {
    const char *host = strncmp(text, "http://", 7) == 0    ? text + 7
                       : strncmp(text, "https://", 8) == 0 ? text + 8
                                                           : "";
    return host[0] != '\0' && host[0] != '/' && host[0] != ':' && lookup_printable(text) &&
           strpbrk(host, "@?#") == NULL;
}

/* China has a domain of its own. */
static const char *service_endpoint(const struct lookup *lookup, const char *service,
                                    const char *region) {
    const char *suffix = strncmp(region, "cn-", 3) == 0 ? ".cn" : "";
    return lookup_printf(lookup, "https://%s.%s.amazonaws.com%s", service, region, suffix);
}

static bool are_endpoints_ignored(const struct lookup *lookup) {
    const char *ignored =
        lookup_either(lookup_variable(lookup, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
                      lookup_config(lookup, "ignore_configured_endpoint_urls"));
    return ignored != NULL && strcasecmp(ignored, "true") == 0;
}

/* Of the section [services NAME] that the profile names. */
static const char *of_services(const struct lookup *lookup, const char *service) {
    const char *services = lookup_config(lookup, "services");
    if (services == NULL)
        return NULL;
    return profile_service_setting(lookup->arena, &lookup->config, services, service,
                                   "endpoint_url");
}

static const char *check_endpoint(const struct lookup *lookup, const char *endpoint) {
    if (is_endpoint(endpoint))
        return NULL;
    return lookup_printf(
        lookup, "\"%s\" is no endpoint: it is written http://host:port or https://host", endpoint);
}

/* Who has named a server for the tables means it for the streams, too. */
static const char *load_endpoints(const struct lookup *lookup, struct settings *settings) {
    const char *region = settings->credentials.region;
    const char *endpoint = lookup_either(lookup->options->endpoint, NULL), *streams = endpoint;
    if (endpoint == NULL && !are_endpoints_ignored(lookup)) {
        const char *any = lookup_either(lookup_variable(lookup, "AWS_ENDPOINT_URL_DYNAMODB"),
                                        lookup_variable(lookup, "AWS_ENDPOINT_URL"));
        const char *profile =
            lookup_either(of_services(lookup, "dynamodb"), lookup_config(lookup, "endpoint_url"));
        endpoint = lookup_either(any, profile);
        streams = lookup_either(lookup_variable(lookup, "AWS_ENDPOINT_URL_DYNAMODB_STREAMS"),
                                any == NULL ? of_services(lookup, "dynamodb_streams") : NULL);
        streams = lookup_either(streams, endpoint);
    }
    settings->endpoint = endpoint != NULL ? endpoint : service_endpoint(lookup, "dynamodb", region);
    settings->streams_endpoint =
        streams != NULL ? streams : service_endpoint(lookup, "streams.dynamodb", region);
    const char *problem = check_endpoint(lookup, settings->endpoint);
    return problem != NULL ? problem : check_endpoint(lookup, settings->streams_endpoint);
}

/* ---- patience ---- */

static int positive(int value, int otherwise) {
    return value > 0 ? value : otherwise;
}

static void load_patience(const struct ddb_options *options, struct settings *settings) {
    settings->connect_timeout_ms = positive(options->connect_timeout_ms, CONNECT_TIMEOUT_MS);
    settings->request_timeout_ms = positive(options->request_timeout_ms, REQUEST_TIMEOUT_MS);
    settings->call_timeout_ms = positive(options->call_timeout_ms, 0);
    settings->attempts_max = positive(options->attempts_max, ATTEMPTS_DEFAULT);
    settings->backoff_base_ms = positive(options->backoff_base_ms, BACKOFF_BASE_MS);
    settings->backoff_max_ms = positive(options->backoff_max_ms, BACKOFF_MAX_MS);
    settings->retry_budget =
        options->retry_budget < 0 ? -1 : positive(options->retry_budget, RETRY_BUDGET);
    settings->reply_size_max =
        options->reply_size_max > 0 ? options->reply_size_max : REPLY_SIZE_MAX;
}

/* The AWS tools' own way to say it. */
static const char *load_attempts(const struct lookup *lookup, struct settings *settings) {
    const char *text = lookup_either(lookup_variable(lookup, "AWS_MAX_ATTEMPTS"),
                                     lookup_config(lookup, "max_attempts"));
    if (lookup->options->attempts_max > 0 || text == NULL)
        return NULL;
    char *end;
    long attempts = strtol(text, &end, 10);
    if (*end != '\0' || attempts < 1 || attempts > ATTEMPTS_MAX)
        return lookup_printf(lookup, "AWS_MAX_ATTEMPTS or max_attempts is 1 to %d, not \"%s\"",
                             ATTEMPTS_MAX, text);
    settings->attempts_max = (int)attempts;
    return NULL;
}

/* ---- TLS ---- */

static const char *load_tls(const struct lookup *lookup, struct settings *settings) {
    const struct ddb_options *options = lookup->options;
    settings->ca_file = lookup_either(options->ca_file, lookup_variable(lookup, "AWS_CA_BUNDLE"));
    if (settings->ca_file == NULL)
        settings->ca_file = lookup_config(lookup, "ca_bundle");
    settings->client_cert_file = lookup_either(options->client_cert_file, NULL);
    settings->client_key_file = lookup_either(options->client_key_file, NULL);
    if (settings->client_key_file != NULL && settings->client_cert_file == NULL)
        return "client_key_file is given, but no client_cert_file";
    return NULL;
}

/* ---- credentials ---- */

static const char *load_credentials(const struct lookup *lookup, struct settings *settings) {
    settings->profile = lookup->profile;
    return credentials_load(lookup, &settings->credentials, &settings->process);
}

/* ---- everything ---- */

static void copy_text(struct arena *arena, const char **text) {
    if (*text != NULL)
        *text = arena_copy(arena, *text, strlen(*text) + 1);
}

/* Options and variables belong to others. */
static void copy_texts(struct arena *arena, struct settings *settings) {
    const char **const texts[] = {
        &settings->endpoint,
        &settings->streams_endpoint,
        &settings->credentials.region,
        &settings->credentials.service,
        &settings->credentials.id,
        &settings->credentials.secret,
        &settings->credentials.token,
        &settings->process,
        &settings->profile,
        &settings->ca_file,
        &settings->client_cert_file,
        &settings->client_key_file,
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        copy_text(arena, texts[i]);
}

const char *settings_load(struct arena *arena, const struct ddb_options *options,
                          lookup_environment *variable, struct settings *ret_settings) {
    static const struct ddb_options defaults;
    typedef const char *load(const struct lookup *lookup, struct settings *settings);
    static load *const loads[] = {load_region, load_endpoints, load_attempts, load_tls,
                                  load_credentials};
    struct arena scratch;
    struct lookup lookup;
    struct settings settings = {0};
    arena_init(&scratch);
    load_patience(options == NULL ? &defaults : options, &settings);
    const char *problem =
        lookup_init(&lookup, &scratch, options == NULL ? &defaults : options, variable);
    for (size_t i = 0; problem == NULL && i < sizeof(loads) / sizeof(*loads); i++)
        problem = loads[i](&lookup, &settings);
    copy_texts(arena, &settings);
    copy_text(arena, &problem);
    arena_release(&scratch);
    *ret_settings = settings;
    return problem;
}
