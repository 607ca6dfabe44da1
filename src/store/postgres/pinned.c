/* pinned.c - see pinned.h.
 *
 * The number is in the text of statements, which are prepared when a connection is made, as the row
 * of the lead is (lead.c): so another number takes other connections. */
#include "store/postgres/pinned.h"

#include <stdio.h>

#include "store/postgres/internal.h"

static const char *const position_sql =
    "SELECT pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
    "ELSE pg_current_wal_lsn() END, '0/0')::bigint, "
    "coalesce((SELECT seq FROM gramme_version WHERE grp = -3), 0)";

/* Who connects in between has the new number, and connects once more. */
void postgres_pin(struct store *base, uint64_t number) {
    struct postgres_store *store = postgres_of(base);
    if (atomic_exchange(&store->pinned, number) != number)
        atomic_fetch_add(&store->era, 1);
}

void pinned_write_condition(const struct postgres_store *store, size_t size, char *ret_sql) {
    snprintf(ret_sql, size,
             "WHERE 1 / (SELECT count(*) FROM (SELECT coalesce(max(seq), 0) AS seq "
             "FROM gramme_version WHERE grp = -3) AS changes WHERE seq = %llu) = 1 AND ",
             (unsigned long long)atomic_load(&store->pinned));
}

struct error *postgres_position(struct store *base, struct arena *arena,
                                struct postgres_position *ret_position) {
    struct postgres_store *store = postgres_of(base);
    struct patience patience = patience_begin(store);
    struct session *session = NULL;
    PGresult *result = NULL;
    TRY(pool_take(store, arena, &patience, &session));
    enum fate fate =
        session_run(session, position_sql, NULL, 0, store->options.patience_ms, &result);
    struct error *error =
        fate == FATE_DONE ? NULL : session_error(session, arena, "The store's log is not known");
    if (fate == FATE_DONE)
        *ret_position = (struct postgres_position){(uint64_t)result_number(result, 0, 0),
                                                   (uint64_t)result_number(result, 0, 1)};
    libpq.clear(result);
    pool_give(store, session);
    return error;
}
