/* drops.c - ranges that were dropped: tables of millions of rows, each of which takes the server
 * some microseconds to delete.
 *
 * The commit that drops a range only records it, in gramme_dropped. Whoever leads deletes what is
 * recorded in steps, one with each store_maintain(). Nobody writes there again, so a step needs no
 * claim on the lead: that two servers do the same one does no harm. */
#include <stdio.h>
#include <stdlib.h>

#include "store/postgres/internal.h"

#define STEP_ROWS "20000"
enum { STEP_TIMEOUT_MS = 30000 };

void drops_send(struct postgres_store *store, struct session *session,
                const struct store_range *range) {
    struct parameter parameters[] = {parameter_of(store->keyspaces[range->keyspace]),
                                     parameter_of(range->first), parameter_of(range->last)};
    session_send(session, "drop", parameters, 3);
}

/* True: there was less than a step, so that nothing is left. */
static enum fate delete_some(struct session *session, const char *table,
                             const struct parameter ends[2], bool *ret_all) {
    char sql[400];
    PGresult *result = NULL;
    snprintf(sql, sizeof(sql),
             "DELETE FROM %s WHERE k >= $1 AND k < coalesce((SELECT k FROM %s WHERE k >= $1 AND "
             "k < $2 ORDER BY k OFFSET " STEP_ROWS " LIMIT 1), $2)",
             table, table);
    enum fate fate = session_run(session, sql, ends, 2, STEP_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return fate;
    *ret_all = atol(libpq.cmdTuples(result)) < atol(STEP_ROWS);
    libpq.clear(result);
    return FATE_DONE;
}

static enum fate step_range(struct session *session, const PGresult *dropped) {
    struct parameter id = parameter_of(result_bytes(dropped, 0, 0));
    struct parameter ends[] = {parameter_of(result_bytes(dropped, 0, 2)),
                               parameter_of(result_bytes(dropped, 0, 3))};
    bool all = false;
    enum fate fate = delete_some(session, libpq.getvalue(dropped, 0, 1), ends, &all);
    if (fate == FATE_DONE && all)
        fate = session_run(session, "DELETE FROM gramme_dropped WHERE id = $1::bigint", &id, 1,
                           STEP_TIMEOUT_MS, NULL);
    return fate;
}

enum fate drops_step(struct postgres_store *store, struct session *session) {
    PGresult *dropped = NULL;
    if (!atomic_exchange(&store->drops, false))
        return FATE_DONE;
    enum fate fate = session_run(
        session, "SELECT id, keyspace::text, first, last FROM gramme_dropped ORDER BY id LIMIT 1",
        NULL, 0, STEP_TIMEOUT_MS, &dropped);
    if (fate != FATE_DONE || libpq.ntuples(dropped) == 1)
        atomic_store(&store->drops, true);
    if (fate == FATE_DONE && libpq.ntuples(dropped) == 1)
        fate = step_range(session, dropped);
    libpq.clear(dropped);
    return fate;
}
