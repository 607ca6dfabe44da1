/* settings.c - looking each setting up, in the AWS tools' order. */
#include "client/settings.h"

#include <stdlib.h>

#include "client/profile.h"

enum {
    CONNECT_TIMEOUT_MS = 3000,
    REQUEST_TIMEOUT_MS = 30000,
    ATTEMPTS_MAX = 6,
    BACKOFF_BASE_MS = 50,
    BACKOFF_MAX_MS = 5000,
    RETRY_BUDGET = 500,
    REPLY_SIZE_MAX = 64 * 1024 * 1024,
    REGION_LEN_MAX = 63,
};

struct lookup {
    struct arena *arena;
    const struct ddb_options *options;
    settings_variable *variable;
    const char *profile;
    struct profile_file credentials;
    struct profile_file config;
};

/* ---- where to look ---- */

/* Empty counts as not set, as in the AWS tools. */
static const char *present(const char *text) {
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char *either(const char *first, const char *second) {
    return present(first) != NULL ? first : present(second);
}

static const char *variable(const struct lookup *lookup, const char *name) {
    return present(lookup->variable(name));
}

static struct slice read_profile_file(const struct lookup *lookup, const char *path_variable,
                                      const char *path_at_home) {
    const char *path = variable(lookup, path_variable), *home = variable(lookup, "HOME");
    if (path == NULL && home != NULL)
        path = (const char *)arena_printf(lookup->arena, "%s/%s", home, path_at_home).data;
    return path == NULL ? SLICE_NONE : profile_file_read(lookup->arena, path);
}

static const char *load_profile(struct lookup *lookup) {
    const char *named = either(lookup->options->profile, variable(lookup, "AWS_PROFILE"));
    lookup->profile = named == NULL ? "default" : named;
    lookup->credentials.text =
        read_profile_file(lookup, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
    lookup->config.text = read_profile_file(lookup, "AWS_CONFIG_FILE", ".aws/config");
    lookup->config.named_with_prefix = true;
    if (named == NULL || profile_exists(&lookup->credentials, named) ||
        profile_exists(&lookup->config, named))
        return NULL;
    return (const char *)arena_printf(lookup->arena,
                                      "profile \"%s\" is neither in the credentials file nor in "
                                      "the config file",
                                      named)
        .data;
}

static const char *profile_value(const struct lookup *lookup, const struct profile_file *file,
                                 const char *name) {
    return profile_setting(lookup->arena, file, lookup->profile, name);
}

/* ---- region and endpoint ---- */

static bool is_region(const char *text) {
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return len > 0 && len <= REGION_LEN_MAX && text[len] == '\0';
}

static const char *load_region(const struct lookup *lookup, struct settings *settings) {
    const char *environment =
        either(variable(lookup, "AWS_REGION"), variable(lookup, "AWS_DEFAULT_REGION"));
    const char *region = either(lookup->options->region, environment);
    if (region == NULL)
        region = profile_value(lookup, &lookup->config, "region");
    if (region == NULL)
        return "no region: set AWS_REGION, or `region` in the profile, or the option";
    if (!is_region(region))
        return (const char *)arena_printf(lookup->arena, "\"%s\" is no region", region).data;
    settings->credentials.region = region;
    settings->credentials.service = present(lookup->options->signing_name);
    return NULL;
}

static bool is_printable(const char *text) {
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

static bool is_endpoint(const char *text) {
    const char *host = strncmp(text, "http://", 7) == 0    ? text + 7
                       : strncmp(text, "https://", 8) == 0 ? text + 8
                                                           : "";
    return host[0] != '\0' && host[0] != '/' && host[0] != ':' && is_printable(text) &&
           strpbrk(host, "@?#") == NULL;
}

/* China has a domain of its own. */
static const char *service_endpoint(const struct lookup *lookup, const char *region) {
    const char *suffix = strncmp(region, "cn-", 3) == 0 ? ".cn" : "";
    return (const char *)arena_printf(lookup->arena, "https://dynamodb.%s.amazonaws.com%s", region,
                                      suffix)
        .data;
}

static const char *load_endpoint(const struct lookup *lookup, struct settings *settings) {
    const char *environment =
        either(variable(lookup, "AWS_ENDPOINT_URL_DYNAMODB"), variable(lookup, "AWS_ENDPOINT_URL"));
    const char *endpoint = either(lookup->options->endpoint, environment);
    if (endpoint == NULL)
        endpoint = service_endpoint(lookup, settings->credentials.region);
    if (!is_endpoint(endpoint))
        return (const char *)arena_printf(lookup->arena,
                                          "\"%s\" is no endpoint: it is written "
                                          "http://host:port or https://host",
                                          endpoint)
            .data;
    settings->endpoint = endpoint;
    return NULL;
}

/* ---- credentials ---- */

static struct credentials file_credentials(const struct lookup *lookup,
                                           const struct profile_file *file) {
    return (struct credentials){.id = profile_value(lookup, file, "aws_access_key_id"),
                                .secret = profile_value(lookup, file, "aws_secret_access_key"),
                                .token = profile_value(lookup, file, "aws_session_token")};
}

/* Both halves, in characters that a header may hold: a line end would start another header. */
static const char *use_credentials(struct credentials found, const char *where,
                                   const struct lookup *lookup, struct settings *settings) {
    const char *problem = NULL;
    if (found.id == NULL)
        problem = "have a secret access key, but no access key id";
    else if (found.secret == NULL)
        problem = "have an access key id, but no secret access key";
    else if (!is_printable(found.id) || !is_printable(found.secret) ||
             (found.token != NULL && !is_printable(found.token)))
        problem = "contain a blank or a character that is not ASCII";
    if (problem != NULL)
        return (const char *)arena_printf(lookup->arena, "the credentials in %s %s", where, problem)
            .data;
    found.region = settings->credentials.region;
    found.service = settings->credentials.service;
    settings->credentials = found;
    return NULL;
}

static const char *load_credentials(const struct lookup *lookup, struct settings *settings) {
    const struct ddb_options *options = lookup->options;
    const struct {
        const char *where;
        struct credentials found;
    } sources[] = {
        {"the options",
         {.id = present(options->access_key_id),
          .secret = present(options->secret_access_key),
          .token = present(options->session_token)}},
        {"the environment",
         {.id = variable(lookup, "AWS_ACCESS_KEY_ID"),
          .secret = variable(lookup, "AWS_SECRET_ACCESS_KEY"),
          .token = variable(lookup, "AWS_SESSION_TOKEN")}},
        {"the credentials file", file_credentials(lookup, &lookup->credentials)},
        {"the config file", file_credentials(lookup, &lookup->config)},
    };
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (sources[i].found.id != NULL || sources[i].found.secret != NULL)
            return use_credentials(sources[i].found, sources[i].where, lookup, settings);
    return "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or keys in the "
           "profile, or the options; a local server is content with any";
}

/* ---- everything ---- */

static int positive(int value, int otherwise) {
    return value > 0 ? value : otherwise;
}

static void load_patience(const struct ddb_options *options, struct settings *settings) {
    settings->connect_timeout_ms = positive(options->connect_timeout_ms, CONNECT_TIMEOUT_MS);
    settings->request_timeout_ms = positive(options->request_timeout_ms, REQUEST_TIMEOUT_MS);
    settings->call_timeout_ms = positive(options->call_timeout_ms, 0);
    settings->attempts_max = positive(options->attempts_max, ATTEMPTS_MAX);
    settings->backoff_base_ms = positive(options->backoff_base_ms, BACKOFF_BASE_MS);
    settings->backoff_max_ms = positive(options->backoff_max_ms, BACKOFF_MAX_MS);
    settings->retry_budget =
        options->retry_budget < 0 ? -1 : positive(options->retry_budget, RETRY_BUDGET);
    settings->reply_size_max =
        options->reply_size_max > 0 ? options->reply_size_max : REPLY_SIZE_MAX;
}

static void copy_text(struct arena *arena, const char **text) {
    if (*text != NULL)
        *text = arena_copy(arena, *text, strlen(*text) + 1);
}

/* Options and variables belong to others. */
static void copy_texts(struct arena *arena, struct settings *settings) {
    copy_text(arena, &settings->endpoint);
    copy_text(arena, &settings->credentials.region);
    copy_text(arena, &settings->credentials.service);
    copy_text(arena, &settings->credentials.id);
    copy_text(arena, &settings->credentials.secret);
    copy_text(arena, &settings->credentials.token);
    copy_text(arena, &settings->ca_file);
}

const char *settings_load(struct arena *arena, const struct ddb_options *options,
                          settings_variable *lookup_variable, struct settings *ret_settings) {
    static const struct ddb_options defaults;
    struct arena scratch;
    arena_init(&scratch);
    struct lookup lookup = {.arena = &scratch, .variable = lookup_variable};
    lookup.options = options == NULL ? &defaults : options;
    struct settings settings = {0};
    load_patience(lookup.options, &settings);
    settings.ca_file = either(lookup.options->ca_file, variable(&lookup, "AWS_CA_BUNDLE"));
    const char *problem = load_profile(&lookup);
    if (problem == NULL)
        problem = load_region(&lookup, &settings);
    if (problem == NULL)
        problem = load_endpoint(&lookup, &settings);
    if (problem == NULL)
        problem = load_credentials(&lookup, &settings);
    copy_texts(arena, &settings);
    copy_text(arena, &problem);
    arena_release(&scratch);
    *ret_settings = settings;
    return problem;
}
