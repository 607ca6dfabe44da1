/* settings.h - where to connect, as whom, and how patiently: options, environment, profile.
 *
 * Each part is looked up as the AWS tools do it. What is missing is an error that says where it was
 * looked for. */
#ifndef GRAMME_CLIENT_SETTINGS_H
#define GRAMME_CLIENT_SETTINGS_H

#include "client/lookup.h"
#include "crypto/signer.h"

/* Texts live in the arena that settings_load() was given, and end with a NUL. */
struct settings {
    const char *endpoint;         /* scheme://host, with a port and a path or without */
    const char *streams_endpoint; /* of DynamoDB Streams, which is elsewhere in the AWS service */
    struct credentials credentials;
    const char *process;          /* gives the credentials; NULL: they are above */
    const char *profile;          /* that names the process */
    const char *ca_file;          /* NULL: the system's */
    const char *client_cert_file; /* NULL: none */
    const char *client_key_file;
    int connect_timeout_ms;
    int request_timeout_ms;
    int call_timeout_ms; /* 0: none */
    int attempts_max;
    int backoff_base_ms;
    int backoff_max_ms;
    int retry_budget; /* -1: without end */
    size_t reply_size_max;
};

/* Returns NULL, or what is wrong, in the arena. */
const char *settings_load(struct arena *arena, const struct ddb_options *options,
                          lookup_environment *variable, struct settings *ret_settings);

#endif
