/* telemetry.h - the page of numbers that a server shows: its meters, its tables, its process.
 *
 * Threads: any. */
#ifndef GRAMME_SERVER_TELEMETRY_H
#define GRAMME_SERVER_TELEMETRY_H

#include "base/buffer.h"

struct catalog_view;
struct control_tally;
struct endpoint;
struct engine;
struct meters;
struct reading;
struct relay_tally;
struct store;
struct workers;

/* A database of the server. */
struct telemetry_part {
    struct slice name_space; /* empty: the server's own, which is the first */
    struct meters *meters;
    struct engine *engine;
    struct catalog_view *catalog; /* the caller's */
};

struct telemetry {
    const struct telemetry_part *parts;
    size_t part_count;
    bool has_name_spaces;
    struct store *store; /* of the first */
    struct endpoint *endpoint;
    struct workers *workers;
    const struct control_tally *backups;
    const char *const *names; /* of operations, by number */
    const char *program;      /* its name and version */
    int64_t started_ms;
    const struct relay_tally *relay; /* of servers that share a store; or NULL */
    const struct reading *reading;   /* likewise, of one that does not lead; or NULL */
    const char *role;                /* likewise: "leading", "serving" or "waiting" */
};

/* Returns the content type; `accept` chooses between the two formats. */
struct slice telemetry_write(const struct telemetry *telemetry, struct slice accept,
                             struct buffer *out);

/* Likewise of a server that another one leads: what it hands on, its connections, also those to the
 * store, its process. */
struct slice telemetry_write_following(const struct telemetry *telemetry, struct slice accept,
                                       struct buffer *out);

#endif
