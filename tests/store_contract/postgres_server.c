/* postgres_server.c - schemas and statements beside the store, by a connection for each. */
#include "postgres_server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/postgres/session.h"

static const char *server_url(void) {
    const char *url = getenv("GRAMME_POSTGRES");
    assert_non_null(url);
    return url;
}

static PGresult *run(struct contract *contract, const char *sql) {
    struct session *session = NULL;
    PGresult *result = NULL;
    must(libpq_load(&contract->arena));
    must(session_connect(&contract->arena, server_url(), NULL, &session));
    if (session_run(session, sql, NULL, 0, 30000, &result) != FATE_DONE)
        fail_msg("%s: %s", sql, session->text);
    session_close(session);
    return result;
}

int postgres_run(struct contract *contract, const char *sql) {
    PGresult *result = run(contract, sql);
    int rows = libpq.ntuples(result);
    libpq.clear(result);
    return rows;
}

int64_t postgres_number(struct contract *contract, const char *sql) {
    PGresult *result = run(contract, sql);
    int64_t number = libpq.ntuples(result) > 0 ? result_number(result, 0, 0) : 0;
    libpq.clear(result);
    return number;
}

static const char *text_of(struct slice text) {
    return (const char *)text.data;
}

const char *postgres_url(struct contract *contract) {
    struct arena *arena = &contract->arena;
    const char *name = strrchr(contract->directory, '-') + 1;
    if (mkdir(contract->directory, 0700) == 0) {
        postgres_run(contract, text_of(arena_printf(arena, "DROP SCHEMA \"%s\" CASCADE", name)));
    }
    postgres_run(contract,
                 text_of(arena_printf(arena, "CREATE SCHEMA IF NOT EXISTS \"%s\"", name)));
    return text_of(arena_printf(arena, "%s&options=-csearch_path%%3D\"%s\"", server_url(), name));
}

const char *postgres_wire_url(struct contract *contract, struct wire *wire) {
    struct arena *arena = &contract->arena;
    const char *schema = strstr(postgres_url(contract), "&options=");
    const char *host = strstr(server_url(), "host=") + strlen("host=");
    wire_start(wire, text_of(arena_printf(arena, "%s/.s.PGSQL.5432", host)));
    return text_of(
        arena_printf(arena, "postgres://gramme@/postgres?host=%s%s", wire->directory, schema));
}
