/* settings.h - where to connect, as whom, and how patiently: options, environment, profile.
 *
 * Each part is looked up as the AWS tools do it. What is missing is an error that says where it was
 * looked for. */
#ifndef GRAMME_CLIENT_SETTINGS_H
#define GRAMME_CLIENT_SETTINGS_H

#include "base/arena.h"
#include "client/gramme_client.h"
#include "crypto/signer.h"

/* Texts live in the arena that settings_load() was given, and end with a NUL. */
struct settings {
    const char *endpoint; /* scheme://host, with a port and a path or without */
    struct credentials credentials;
    const char *ca_file; /* NULL: the system's */
    int connect_timeout_ms;
    int request_timeout_ms;
    int call_timeout_ms; /* 0: none */
    int attempts_max;
    int backoff_base_ms;
    int backoff_max_ms;
    int retry_budget; /* -1: without end */
    size_t reply_size_max;
};

/* A variable of the environment; NULL when it is not set. Injected for tests. */
typedef const char *settings_variable(const char *name);

/* Returns NULL, or what is wrong, in the arena. */
const char *settings_load(struct arena *arena, const struct ddb_options *options,
                          settings_variable *variable, struct settings *ret_settings);

#endif
