/* serve_options.h - what `gramme serve` takes. */
#ifndef GRAMME_CLI_SERVE_OPTIONS_H
#define GRAMME_CLI_SERVE_OPTIONS_H

#include "base/log.h"
#include "cli/command.h"
#include "server/server.h"

struct serve_options {
    struct server_config config; /* but for the data directory */
    const char *data;
    const char *store;
    const char *settings;
    bool memory;
    bool no_auth;
    bool like_local;
    bool stop_with_stdin;
    enum log_level log_level;
    enum log_format log_format;
};

extern const struct option serve_options[];

#endif
