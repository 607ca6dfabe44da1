/* standbys.c - how far behind the standbys are, as the server that takes the writes tells it.
 *
 * It is asked every few seconds, by store_maintain(), and never by who reads or writes. A
 * role without the rights of pg_monitor sees only how many there are. */
#include "base/clock.h"
#include "store/postgres/internal.h"

#define LOOK_NS (5000 * UINT64_C(1000000))

enum { STANDBYS_TIMEOUT_MS = 3000 };

/* A backup that is being taken is a client of the same kind. */
static const char *const standbys_sql =
    "SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(replay_lsn), "
    "coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)), 0)::bigint, "
    "coalesce(max((extract(epoch FROM replay_lag) * 1000)::bigint), 0) "
    "FROM pg_stat_replication WHERE state IS NULL OR state IN ('streaming', 'catchup')";

static void take(struct standbys *standbys, const PGresult *result) {
    int64_t count = result_number(result, 0, 0);
    atomic_store(&standbys->count, (unsigned)count);
    atomic_store(&standbys->waited_for, (unsigned)result_number(result, 0, 1));
    atomic_store(&standbys->seen, count == result_number(result, 0, 2));
    atomic_store(&standbys->behind, result_number(result, 0, 3));
    atomic_store(&standbys->late_ms, result_number(result, 0, 4));
    atomic_store(&standbys->known, true);
}

enum fate standbys_look(struct postgres_store *store, struct session *session) {
    struct standbys *standbys = &store->standbys;
    uint64_t now = monotonic_ns();
    PGresult *result = NULL;
    if (standbys->unasked || now < standbys->look_at_ns)
        return FATE_DONE;
    standbys->look_at_ns = now + LOOK_NS;
    enum fate fate = session_run(session, standbys_sql, NULL, 0, STANDBYS_TIMEOUT_MS, &result);
    if (fate == FATE_DONE)
        take(standbys, result);
    standbys->unasked = fate == FATE_REFUSED;
    libpq.clear(result);
    return fate == FATE_LOST ? FATE_LOST : FATE_DONE;
}
