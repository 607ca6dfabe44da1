/* moment.c - one moment for all that is read of a store, however many transactions that takes.
 *
 * A session keeps a transaction open and exports what it sees; every STORE_READ joins that. So a
 * store that servers write to can be looked at as if it stood still. */
#include <stdio.h>

#include "store/postgres/internal.h"

enum { MOMENT_TIMEOUT_MS = 30000, NAME_MAX_BYTES = 40 };

static bool is_name(struct slice text) {
    bool fits = text.len > 0 && text.len <= NAME_MAX_BYTES;
    for (size_t i = 0; fits && i < text.len; i++)
        fits = text.data[i] != '\'' && text.data[i] != '\\';
    return fits;
}

struct error *postgres_moment_hold(struct postgres_store *store, struct arena *arena) {
    PGresult *results[3];
    TRY(session_connect(arena, store->options.url, store->options.schema, &store->moment));
    struct session *session = store->moment;
    session_send_sql(session, "SET idle_in_transaction_session_timeout = 0", NULL, 0);
    session_send_sql(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, 0);
    session_send_sql(session, "SELECT pg_export_snapshot()::text", NULL, 0);
    session_sync(session);
    if (session_collect(session, MOMENT_TIMEOUT_MS, 3, results) != FATE_DONE)
        return session_error(session, arena, "The store cannot be read at one moment");
    struct slice name = result_bytes(results[2], 0, 0);
    bool fits = is_name(name);
    if (fits)
        snprintf(store->moment_sql, sizeof(store->moment_sql), "SET TRANSACTION SNAPSHOT '%.*s'",
                 SLICE_ARGS(name));
    for (size_t i = 0; i < 3; i++)
        libpq.clear(results[i]);
    return fits ? NULL : error_local(arena, "The server's moment has a name that cannot be used");
}
