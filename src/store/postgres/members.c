/* members.c - the servers that write beside the one that leads, where there are groups of keys.
 *
 * Each has a number and two rows of gramme_version: one that each of its commits claims, which
 * works like that of the lead (lead.c), and a lease, by which the others know that it is there, and
 * at what address. It also has an advisory lock, which goes with its connection: who is killed is
 * gone at once, and who is frozen when its lease ends. Both are for peace: whoever takes a number
 * takes its row as well, and from then on the one before it is refused. Threads: that of
 * store_lead(), and the one that keeps the number (keeper.c). */
#include "store/postgres/members.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/check.h"
#include "store/postgres/internal.h"

enum { MEMBERS_TIMEOUT_MS = 3000, TAKE_TIMEOUT_MS = 30000 };

/* A row of a member that who leads has itself: it lets nobody join. */
#define KEPT_OUT(row)                                                                    \
    "EXISTS (SELECT 1 FROM gramme_version leads JOIN gramme_version own USING (writer) " \
    "WHERE leads.grp = 0 AND own.grp = " row " AND writer <> '')"
static const char *const lease_sql =
    "WITH leased AS (UPDATE gramme_version SET writer = $1, seq = " NOW_MS
    " + $2::bigint WHERE grp = 2000 + $3::int AND (writer = $1 OR (seq < " NOW_MS
    " AND NOT " KEPT_OUT(
        "1000 + $3::int") ")) RETURNING 1), told AS (INSERT INTO gramme_store (name, value) "
                          "SELECT 'member ' || $3::int, $4::text FROM leased "
                          "ON CONFLICT (name) DO UPDATE SET value = excluded.value) SELECT 1 FROM "
                          "leased";
static const char *const take_sql = "UPDATE gramme_version SET seq = seq + 1, writer = $1 "
                                    "WHERE grp = 1000 + $2::int RETURNING seq";
static const char *const kept_out_sql = "SELECT 1 WHERE " KEPT_OUT("1001");
static const char *const leave_sql =
    "UPDATE gramme_version SET seq = 0 WHERE grp = 2000 + $2::int AND writer = $1";
/* Of a number; that of the lead is 0. */
#define LOCK(number) LEAD_LOCK " | (" number "::bigint << 32)"
static const char *const lock_sql = "SELECT 1 WHERE pg_try_advisory_lock(" LOCK("$1::int") ")";
static const char *const unlock_sql = "SELECT pg_advisory_unlock(" LOCK("$1::int") ")";
#define LEASED                                                                          \
    "SELECT (v.grp - 2000)::bigint, s.value FROM gramme_version v JOIN gramme_store s " \
    "ON s.name = 'member ' || (v.grp - 2000) WHERE v.grp > 2000 AND v.seq >= " NOW_MS " "
#define IN_ORDER "ORDER BY v.grp"
static const char *const list_leased_sql = LEASED IN_ORDER;
static const char *const list_locked_sql =
    LEASED "AND EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted "
           "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
           "AND l.objsubid = 1 AND l.classid::bigint << 32 | l.objid::bigint = " LOCK(
               "(v.grp - 2000)") ") " IN_ORDER;
static const char *const fence_sql =
    "UPDATE gramme_version SET seq = seq + 1, writer = $1 WHERE grp > 1000 AND grp < 2000";
static const char *const groups_sql =
    "SELECT grp::bigint, seq FROM gramme_version WHERE grp = -4 OR (grp > 0 AND grp < 1000)";

/* ---- being one ---- */

static struct parameter number_parameter(uint8_t writer, uint8_t ret_bytes[4]) {
    store_u32_be(ret_bytes, writer);
    return (struct parameter){ret_bytes, 4};
}

/* Takes the lease, or keeps it. */
static enum fate lease(struct postgres_store *store, uint8_t writer, bool *ret_found) {
    uint8_t length[8], number[4];
    PGresult *result = NULL;
    struct slice address = store->lead.address;
    store_u64_be(length, store->options.lead_ms / 2);
    struct parameter parameters[] = {
        {store->lead.writer, WRITER_BYTES},
        {length, sizeof(length)},
        number_parameter(writer, number),
        parameter_of(slice_present(address) ? address : SLICE_LITERAL(""))};
    enum fate fate =
        session_run(store->lead.session, lease_sql, parameters, 4, MEMBERS_TIMEOUT_MS, &result);
    if (fate == FATE_DONE)
        *ret_found = libpq.ntuples(result) == 1;
    libpq.clear(fate == FATE_DONE ? result : NULL);
    return fate;
}

static enum fate take(struct postgres_store *store, uint8_t writer) {
    uint8_t number[4];
    PGresult *result = NULL;
    struct parameter parameters[] = {{store->lead.writer, WRITER_BYTES},
                                     number_parameter(writer, number)};
    enum fate fate =
        session_run(store->lead.session, take_sql, parameters, 2, TAKE_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return fate;
    store->lead.known = result_number(result, 0, 0);
    libpq.clear(result);
    return FATE_DONE;
}

/* The lock of a number, unless it is ours already, or there are none. */
static enum fate lock(struct postgres_store *store, uint8_t writer) {
    uint8_t number[4];
    PGresult *result = NULL;
    if (store->lead.locked || lead_by_lease(store))
        return FATE_DONE;
    struct parameter parameter = number_parameter(writer, number);
    enum fate fate =
        session_run(store->lead.session, lock_sql, &parameter, 1, MEMBERS_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return fate;
    store->lead.locked = libpq.ntuples(result) == 1;
    libpq.clear(result);
    return FATE_DONE;
}

static enum fate unlock(struct postgres_store *store, uint8_t writer) {
    uint8_t number[4];
    if (!store->lead.locked)
        return FATE_DONE;
    store->lead.locked = false;
    struct parameter parameter = number_parameter(writer, number);
    return session_run(store->lead.session, unlock_sql, &parameter, 1, MEMBERS_TIMEOUT_MS, NULL);
}

/* A number that somebody has the lock of may be that of one who is frozen: the next one will do. */
static enum fate try_number(struct postgres_store *store, uint8_t writer, bool *ret_found) {
    enum fate fate = lock(store, writer);
    if (fate != FATE_DONE || !(store->lead.locked || lead_by_lease(store)))
        return fate;
    fate = lease(store, writer, ret_found);
    if (fate == FATE_DONE)
        fate = *ret_found ? take(store, writer) : unlock(store, writer);
    return fate;
}

static enum fate join(struct postgres_store *store, bool *ret_joined) {
    for (uint8_t writer = 1; writer < STORE_WRITERS_MAX; writer++) {
        bool found = false;
        enum fate fate = try_number(store, writer, &found);
        if (fate != FATE_DONE)
            return fate;
        if (!found)
            continue;
        store->lead.row = MEMBER_ROW + writer;
        store->base.writer = writer;
        atomic_store(&store->lead.leads, true);
        *ret_joined = true;
        return FATE_DONE;
    }
    return FATE_DONE;
}

static enum fate ask(struct postgres_store *store, const char *sql, bool *ret_found) {
    PGresult *result = NULL;
    enum fate fate = session_run(store->lead.session, sql, NULL, 0, MEMBERS_TIMEOUT_MS, &result);
    if (fate != FATE_DONE)
        return fate;
    *ret_found = libpq.ntuples(result) > 0;
    libpq.clear(result);
    return FATE_DONE;
}

struct error *postgres_store_join(struct store *base, struct arena *arena, bool *ret_joined) {
    struct postgres_store *store = postgres_of(base);
    struct session *session = NULL;
    struct error *error = NULL;
    bool kept_out = false;
    *ret_joined = false;
    TRY(lead_take(store, arena, &session));
    enum fate fate = join(store, ret_joined);
    if (fate == FATE_DONE && !*ret_joined)
        fate = ask(store, kept_out_sql, &kept_out);
    if (kept_out)
        error = error_local(arena, "a command works on the store, or did so last: no server writes "
                                   "there before one leads");
    if (fate != FATE_DONE) {
        error = session_error(session, arena, "The store cannot be joined");
        lead_drop_session(store);
    }
    lead_give(store);
    if (*ret_joined)
        keeper_start(store);
    return error;
}

static enum fate keep(struct postgres_store *store, bool *ret_found) {
    if (store->lead.left)
        return FATE_DONE;
    enum fate fate = lease(store, store->base.writer, ret_found);
    return fate == FATE_DONE && *ret_found ? lock(store, store->base.writer) : fate;
}

/* Cut off from the server we may be one or not: the commits tell. */
bool members_keep(struct postgres_store *store) {
    struct arena CLEANUP(arena_release) scratch;
    struct session *session = NULL;
    bool found = true;
    arena_init(&scratch);
    if (lead_take(store, &scratch, &session) != NULL)
        return true;
    if (keep(store, &found) != FATE_DONE)
        lead_drop_session(store);
    lead_give(store);
    if (!found)
        lead_lose(store);
    return found;
}

bool postgres_store_stays(struct store *base) {
    struct postgres_store *store = postgres_of(base);
    return atomic_load(&store->lead.leads) && (store->options.keeps || members_keep(store));
}

void postgres_store_leave(struct store *base) {
    struct postgres_store *store = postgres_of(base);
    uint8_t number[4];
    if (base->writer == 0)
        return;
    struct parameter parameters[] = {{store->lead.writer, WRITER_BYTES},
                                     number_parameter(base->writer, number)};
    pthread_mutex_lock(&store->lead.lock);
    store->lead.left = true;
    if (store->lead.session != NULL)
        (void)session_run(store->lead.session, leave_sql, parameters, 2, MEMBERS_TIMEOUT_MS, NULL);
    pthread_mutex_unlock(&store->lead.lock);
}

static const char *list_sql(const struct postgres_store *store) {
    return lead_by_lease(store) ? list_leased_sql : list_locked_sql;
}

/* ---- keeping them out ---- */

enum fate members_look(struct postgres_store *store, bool *ret_any) {
    return ask(store, list_sql(store), ret_any);
}

/* A commit that is under way has its row, so that this waits for it; and none comes after it. */
enum fate members_fence(struct postgres_store *store) {
    struct parameter writer = {store->lead.writer, WRITER_BYTES};
    PGresult *groups = NULL;
    enum fate fate = session_run(store->lead.session, fence_sql, &writer, 1, TAKE_TIMEOUT_MS, NULL);
    if (fate == FATE_DONE)
        fate = session_run(store->lead.session, groups_sql, NULL, 0, MEMBERS_TIMEOUT_MS, &groups);
    if (fate != FATE_DONE)
        return fate;
    groups_learn(store, groups);
    libpq.clear(groups);
    return FATE_DONE;
}

/* ---- knowing them ---- */

static bool take_member(const PGresult *result, int row, struct postgres_member *ret_member) {
    struct slice address = result_bytes(result, row, 1);
    int64_t writer = result_number(result, row, 0);
    if (writer <= 0 || writer >= STORE_WRITERS_MAX || address.len >= POSTGRES_ADDRESS_CHARS)
        return false;
    *ret_member = (struct postgres_member){.writer = (uint8_t)writer};
    memcpy(ret_member->address, address.data, address.len);
    return true;
}

struct error *postgres_store_members(struct store *base, struct arena *arena,
                                     struct postgres_member ret_members[STORE_WRITERS_MAX],
                                     size_t *ret_count) {
    struct postgres_store *store = postgres_of(base);
    struct patience patience = patience_for_ms(MEMBERS_TIMEOUT_MS);
    struct session *session = NULL;
    struct error *error = NULL;
    PGresult *result = NULL;
    TRY(pool_take(store, arena, &patience, &session));
    if (session_run(session, list_sql(store), NULL, 0, MEMBERS_TIMEOUT_MS, &result) != FATE_DONE)
        error = session_error(session, arena, "The other servers are not known");
    *ret_count = 0;
    for (int row = 0; error == NULL && row < libpq.ntuples(result); row++)
        if (*ret_count < STORE_WRITERS_MAX && take_member(result, row, &ret_members[*ret_count]))
            ++*ret_count;
    libpq.clear(result);
    pool_give(store, session);
    return error;
}
