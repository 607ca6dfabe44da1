/* session.h - a session with the server, in pipeline mode from its start to its end.
 *
 * Commands are sent, closed by a sync, and collected: one round trip for all of them. Whatever goes
 * wrong is an outcome: the connection is lost, or the server refused a command, and then none after
 * it was run. A commit that the server answers without the standbys that it should have waited for
 * counts as a lost connection, too: nobody knows what becomes of it. Memory: malloc'ed. Threads:
 * one at a time. */
#ifndef GRAMME_STORE_POSTGRES_SESSION_H
#define GRAMME_STORE_POSTGRES_SESSION_H

#include "store/postgres/library.h"

enum fate { FATE_DONE, FATE_REFUSED, FATE_LOST };

struct session {
    struct session *next; /* of a list that it is in */
    PGconn *libpq;
    size_t unread;     /* commands that were sent and synced, and whose results nobody needs */
    size_t refused;    /* the first command of the last exchange that was refused */
    char state[6];     /* its SQLSTATE */
    char text[400];    /* why it was refused or lost */
    unsigned version;  /* of the server: 150004 */
    uint64_t era;      /* of the store, when it was made: postgres_is_old() */
    uint32_t timeline; /* of the server's log, which a promotion raises; 0: it is not told */
    bool lost;         /* for good; `text` says why */
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

/* One try. The settings that a session of ours has are made. Names of tables are looked up in that
 * schema; NULL: where the URL says. */
struct error *session_connect(struct arena *arena, const char *url, const char *schema,
                              struct session **ret);
/* Whether it takes writes or not. */
struct error *session_connect_any(struct arena *arena, const char *url, struct session **ret);
/* session_close(NULL) is fine. */
void session_close(struct session *session);

void session_prepare(struct session *session, const char *name, const char *sql);
/* Of a prepared statement; results are binary. */
void session_send(struct session *session, const char *name, const struct parameter *parameters,
                  size_t count);
/* Of one that is not worth preparing. */
void session_send_sql(struct session *session, const char *sql, const struct parameter *parameters,
                      size_t count);
void session_sync(struct session *session);
/* The results of the `count` commands before the sync; NULL: only how they went. They are the
 * caller's to clear, and there are none unless it returns FATE_DONE. A server that says nothing for
 * so long is lost. */
enum fate session_collect(struct session *session, uint32_t timeout_ms, size_t count,
                          PGresult **ret_results);
/* The same for who waits at the socket of several: what was sent goes as far as it goes without
 * waiting, and what came in is read. Neither says whether it is lost; session_arrived() does. */
void session_push(struct session *session, bool *ret_unsent);
void session_pull(struct session *session);
/* What is there of the next answers, without waiting: a result, which is the caller's to clear, a
 * refusal, or the sync behind them. */
enum arrived { ARRIVED_NOTHING, ARRIVED_RESULT, ARRIVED_REFUSAL, ARRIVED_SYNC, ARRIVED_LOSS };
enum arrived session_arrived(struct session *session, PGresult **ret_result);
void session_lose(struct session *session, const char *why);
int session_socket(const struct session *session);
/* One command, from sending to collecting. */
enum fate session_run(struct session *session, const char *sql, const struct parameter *parameters,
                      size_t count, uint32_t timeout_ms, PGresult **ret_result);
/* Reads what nobody needs. */
enum fate session_settle(struct session *session, uint32_t timeout_ms);
bool session_is_lost(const struct session *session);
/* "<what>: <why>". */
struct error *session_error(const struct session *session, struct arena *arena, const char *what);

/* The columns of a row; an absent slice is NULL. */
struct slice result_bytes(const PGresult *result, int row, int column);
int64_t result_number(const PGresult *result, int row, int column);

#endif
