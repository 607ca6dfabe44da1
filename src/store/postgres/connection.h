/* connection.h - a session with the server, in pipeline mode from its start to its end.
 *
 * Commands are sent, closed by a sync, and collected: one round trip for all of them. Whatever goes
 * wrong is an outcome: the connection is lost, or the server refused a command, and then none after
 * it was run. Memory: malloc'ed. Threads: one at a time. */
#ifndef GRAMME_STORE_POSTGRES_CONNECTION_H
#define GRAMME_STORE_POSTGRES_CONNECTION_H

#include "store/postgres/library.h"

enum fate { FATE_DONE, FATE_REFUSED, FATE_LOST };

struct connection {
    struct connection *next; /* of a list that it is in */
    PGconn *libpq;
    size_t unread;    /* commands that were sent and synced, and whose results nobody needs */
    size_t refused;   /* the first command of the last exchange that was refused */
    char state[6];    /* its SQLSTATE */
    char text[400];   /* why it was refused or lost */
    unsigned version; /* of the server: 150004 */
    bool lost;        /* for good */
    bool is_yugabyte;
    bool has_no_advisory; /* the server is not PostgreSQL itself: it has no advisory locks */
};

/* A parameter in its binary form. Its bytes are copied when it is sent. */
struct parameter {
    const void *data;
    size_t len;
};

static inline struct parameter parameter_of(struct slice bytes) {
    return (struct parameter){bytes.data, bytes.len};
}

/* One try. The settings that a session of ours has are made. */
struct error *connection_open(struct arena *arena, const char *url, struct connection **ret);
/* connection_close(NULL) is fine. */
void connection_close(struct connection *connection);

void connection_prepare(struct connection *connection, const char *name, const char *sql);
/* Of a prepared statement; results are binary. */
void connection_send(struct connection *connection, const char *name,
                     const struct parameter *parameters, size_t count);
/* Of one that is not worth preparing. */
void connection_send_sql(struct connection *connection, const char *sql,
                         const struct parameter *parameters, size_t count);
void connection_sync(struct connection *connection);
/* The results of the `count` commands before the sync; NULL: only how they went. They are the
 * caller's to clear, and there are none unless it returns FATE_DONE. A server that says nothing for
 * so long is lost. */
enum fate connection_collect(struct connection *connection, uint32_t timeout_ms, size_t count,
                             PGresult **ret_results);
/* One command, from sending to collecting. */
enum fate connection_run(struct connection *connection, const char *sql,
                         const struct parameter *parameters, size_t count, uint32_t timeout_ms,
                         PGresult **ret_result);
/* Reads what nobody needs. */
enum fate connection_settle(struct connection *connection, uint32_t timeout_ms);
bool connection_is_lost(const struct connection *connection);
/* "<what>: <why>". */
struct error *connection_error(const struct connection *connection, struct arena *arena,
                               const char *what);

/* The columns of a row; an absent slice is NULL. */
struct slice result_bytes(const PGresult *result, int row, int column);
int64_t result_number(const PGresult *result, int row, int column);

#endif
