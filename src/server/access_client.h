/* access_client.h - a command about users, roles and keys (iam/command.h), from outside: asked of
 * the server that runs on the directory, or done on the directory when none does. On a store that
 * servers share it is done there: what only reads beside them, what changes something when no
 * server leads. */
#ifndef GRAMME_SERVER_ACCESS_CLIENT_H
#define GRAMME_SERVER_ACCESS_CLIENT_H

#include "base/error.h"

struct access_request {
    const char *directory;    /* or the postgres:// URL of a store that servers share */
    const char *encrypt_with; /* for a directory at rest that is encrypted, or a URL; or NULL */
    struct slice account;     /* likewise: what stands in ARNs */
    struct slice input;
    bool changes; /* the command may change something */
};

struct error *access_ask(struct arena *arena, const struct access_request *request,
                         struct slice *ret_output);

#endif
