/* access.h - the users and keys of a data directory, or of one server in memory: opened, and asked
 * for by commands. */
#ifndef GRAMME_SERVER_ACCESS_H
#define GRAMME_SERVER_ACCESS_H

#include "iam/command.h"

struct access_options {
    const char *directory;      /* NULL: in memory */
    const struct keyring *over; /* of an encrypted directory; or NULL */
    /* Of a store that several servers share: what seals its secrets; or NULL. */
    const struct keyring *shared;
    struct engine *engine;
    struct slice account; /* outlives it */
};

struct access;

struct error *access_open(struct arena *arena, const struct access_options *options,
                          struct access **ret_access);
/* access_close(NULL) is fine. Before the engine goes. */
void access_close(struct access *access);
struct iam *access_iam(const struct access *access);

/* Of an AWS credentials file: the key of its section "default", or of the only one, becomes the
 * owner's. A key that is there already stays. */
struct error *access_import_root_key(struct access *access, struct arena *arena, const char *path);

/* A command (iam/command.h), in the form of a control service. NULL: an error says why not. */
#define ACCESS_SERVICE "access"
struct error *access_run(void *access, struct arena *arena, struct slice input,
                         struct buffer *output);

#endif
