/* schema.c - the tables of a store.
 *
 *   gramme_<keyspace>  k bytea PRIMARY KEY, v bytea: a keyspace
 *   gramme_version     grp, seq, writer, committed: 0 is the row of the lead (lead.c), -1 is for
 *                      syncs (commit.c), -2 the lease
 *   gramme_store       name, value: "format" is "1"
 *
 * They are in the first schema of the search path, so that a database may have several stores. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "store/postgres/internal.h"

enum { SERVER_VERSION_MIN = 130000, SCHEMA_TIMEOUT_MS = 60000 };

#define FORMAT "1"

/* Values are not compressed: items are small or compressed by whoever wrote them. Rows leave room
 * on their page for their next version, and the one row that every commit changes much more. */
static const char *const make_sql[] = {
    "CREATE TABLE IF NOT EXISTS gramme_store (name text PRIMARY KEY, value text NOT NULL)",
    "CREATE TABLE IF NOT EXISTS gramme_version (grp integer PRIMARY KEY, seq bigint NOT NULL, "
    "writer bytea NOT NULL, committed bigint NOT NULL) WITH (fillfactor = 10)",
    "INSERT INTO gramme_version (grp, seq, writer, committed) "
    "VALUES (0, 0, '', 0), (-1, 0, '', 0), (-2, 0, '', 0) ON CONFLICT (grp) DO NOTHING",
};

static struct error *run(struct arena *arena, struct session *session, const char *sql) {
    if (session_run(session, sql, NULL, 0, SCHEMA_TIMEOUT_MS, NULL) == FATE_DONE)
        return NULL;
    return session_error(session, arena, "The store's tables cannot be made");
}

static struct error *make_keyspace(struct arena *arena, struct session *session,
                                   struct slice table) {
    char sql[300];
    snprintf(sql, sizeof(sql),
             "CREATE TABLE IF NOT EXISTS %.*s (k bytea NOT NULL, v bytea NOT NULL, "
             "PRIMARY KEY (k%s)) WITH (fillfactor = 85)",
             SLICE_ARGS(table), session->is_yugabyte ? " ASC" : "");
    TRY(run(arena, session, sql));
    if (session->has_no_advisory)
        return NULL;
    snprintf(sql, sizeof(sql), "ALTER TABLE %.*s ALTER COLUMN v SET STORAGE EXTERNAL",
             SLICE_ARGS(table));
    return run(arena, session, sql);
}

static struct error *check_server(struct arena *arena, const struct session *session) {
    if (session->version >= SERVER_VERSION_MIN)
        return NULL;
    return error_local(arena, "The server is PostgreSQL %u: the store needs 13 or later",
                       session->version / 10000);
}

/* The format is written last: without it, the store is not there. */
struct error *postgres_schema_make(struct postgres_store *store, struct arena *arena,
                                   struct session *session) {
    TRY(check_server(arena, session));
    for (size_t i = 0; i < sizeof(make_sql) / sizeof(*make_sql); i++)
        TRY(run(arena, session, make_sql[i]));
    for (size_t i = 0; i < store->base.keyspace_count; i++)
        TRY(make_keyspace(arena, session, store->keyspaces[i]));
    return run(arena, session,
               "INSERT INTO gramme_store (name, value) VALUES ('format', '" FORMAT "') "
               "ON CONFLICT (name) DO NOTHING");
}

static bool is_keyspace(const struct postgres_store *store, struct slice table) {
    for (size_t i = 0; i < store->base.keyspace_count; i++)
        if (slice_equal(store->keyspaces[i], table))
            return true;
    return slice_is(table, "gramme_store") || slice_is(table, "gramme_version");
}

static struct error *check_format(struct arena *arena, struct session *session) {
    PGresult *result = NULL;
    enum fate fate = session_run(session, "SELECT value FROM gramme_store WHERE name = 'format'",
                                 NULL, 0, SCHEMA_TIMEOUT_MS, &result);
    if (fate == FATE_LOST)
        return session_error(session, arena, "The store cannot be read");
    if (fate == FATE_REFUSED && strcmp(session->state, "42P01") != 0)
        return session_error(session, arena, "The store cannot be read");
    if (fate == FATE_REFUSED || libpq.ntuples(result) == 0) {
        libpq.clear(result);
        return error_local(arena, "There is no store in this database: gramme store init makes it");
    }
    struct slice format = result_bytes(result, 0, 0);
    struct error *error =
        slice_is(format, FORMAT)
            ? NULL
            : error_local(arena, "The store has format %.*s, and this version knows format " FORMAT,
                          SLICE_ARGS(format));
    libpq.clear(result);
    return error;
}

static struct error *check_tables(const struct postgres_store *store, struct arena *arena,
                                  const PGresult *result) {
    size_t known = 0;
    for (int row = 0; row < libpq.ntuples(result); row++) {
        struct slice table = result_bytes(result, row, 0);
        if (!is_keyspace(store, table))
            return error_local(arena, "The store has a table that this version does not know: %.*s",
                               SLICE_ARGS(table));
        known++;
    }
    if (known < (size_t)store->base.keyspace_count + 2)
        return error_local(arena, "The store lacks tables of this version: gramme store init "
                                  "makes them");
    return NULL;
}

struct error *postgres_schema_check(struct postgres_store *store, struct arena *arena,
                                    struct session *session) {
    PGresult *result = NULL;
    TRY(check_server(arena, session));
    TRY(check_format(arena, session));
    enum fate fate =
        session_run(session,
                    "SELECT table_name::text FROM information_schema.tables "
                    "WHERE table_schema = current_schema() AND table_name LIKE 'gramme\\_%'",
                    NULL, 0, SCHEMA_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return session_error(session, arena, "The store cannot be read");
    struct error *error = check_tables(store, arena, result);
    libpq.clear(result);
    return error;
}

/* ---- schemas ---- */

static struct error *run_once(struct arena *arena, const char *url, const char *before,
                              const char *schema, const char *after) {
    struct session *session = NULL;
    char sql[200];
    TRY(libpq_load(arena));
    TRY(session_connect(arena, url, NULL, &session));
    snprintf(sql, sizeof(sql), "%s %s%s", before, schema, after);
    struct error *error = NULL;
    if (session_run(session, sql, NULL, 0, SCHEMA_TIMEOUT_MS, NULL) != FATE_DONE)
        error = session_error(session, arena, before);
    session_close(session);
    return error;
}

struct error *postgres_schema_add(struct arena *arena, const char *url, const char *schema) {
    return run_once(arena, url, "CREATE SCHEMA", schema, "");
}

struct error *postgres_schema_drop(struct arena *arena, const char *url, const char *schema) {
    return run_once(arena, url, "DROP SCHEMA", schema, " CASCADE");
}
