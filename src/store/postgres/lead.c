/* lead.c - who leads: a row that every commit claims, and a lock that decides who tries.
 *
 * The table gramme_version has a row of the lead: a number that every commit raises, the writer
 * that leads, and the number of its last commit. A commit raises it from the number that it knows,
 * or is refused; it needs nothing but atomic commits and locks of rows, on whatever server. Who
 * takes over writes its name there, and from then on the one before it is refused: that it may have
 * been asleep, or cut off, or just slow, does not matter.
 *
 * Reads ask that row, too, once the store has led: whoever goes on reading after another took over
 * would answer by a catalog that may not be true any more. A store that has never led asks nobody;
 * so connections are made anew when it begins to.
 *
 * When a connection is lost in the middle of a commit, raising the row without a commit waits for
 * the old transaction to end, tells by the number of the last commit what became of it, and keeps
 * it from happening later, when it was still on its way.
 *
 * Who tries is decided by an advisory lock, which goes with the connection that has it; on servers
 * without them by a lease, a row with a time. Both are for peace and not for safety. */
#include <stdio.h>
#include <time.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/postgres/internal.h"

enum { LOOK_TIMEOUT_MS = 3000, TAKE_TIMEOUT_MS = 30000, NAP_MS = 50 };

static const char *const lock_sql = "SELECT 1 WHERE pg_try_advisory_lock(" LEAD_LOCK ")";
static const char *const lease_sql =
    "UPDATE gramme_version SET writer = $1, seq = " NOW_MS
    " + $2::bigint WHERE grp = -2 AND (writer = $1 OR seq < " NOW_MS ") RETURNING 1";
static const char *const give_up_sql =
    "UPDATE gramme_version SET seq = 0 WHERE grp = -2 AND writer = $1";
/* Who leads tells where it is in the same statement: whoever reads one knows the other. */
#define TAKE(condition)                                                                            \
    "WITH taken AS (UPDATE gramme_version SET seq = seq + 1, writer = $1 WHERE grp = 0 " condition \
    "RETURNING seq), told AS (INSERT INTO gramme_store (name, value) SELECT 'leader', $2::text "   \
    "FROM taken ON CONFLICT (name) DO UPDATE SET value = excluded.value) SELECT seq FROM taken"
static const char *const take_sql =
    TAKE("AND NOT EXISTS (SELECT 1 FROM gramme_store WHERE name = '" UNFINISHED "') ");
static const char *const fill_sql = TAKE("");
static const char *const look_sql = "SELECT 1 FROM gramme_version WHERE grp = 0 AND writer = $1";
/* Likewise, and no other server has a row by which it may write. */
static const char *const look_alone_sql =
    "SELECT 1 FROM gramme_version HAVING bool_and(writer = $1) "
    "FILTER (WHERE grp = 0 OR (grp > 1000 AND grp < 2000))";

static struct parameter writer_parameter(const struct postgres_store *store) {
    return (struct parameter){store->lead.writer, WRITER_BYTES};
}

/* ---- the row ---- */

void lead_send_claim(struct postgres_store *store, struct session *session) {
    uint8_t known[8], row[4];
    store_u64_be(known, (uint64_t)store->lead.known);
    store_u32_be(row, (uint32_t)store->lead.row);
    struct parameter parameters[] = {
        {known, sizeof(known)}, writer_parameter(store), {row, sizeof(row)}};
    session_send(session, "claim", parameters, 3);
}

enum fate lead_settle(struct postgres_store *store, struct session *session,
                      enum lead_fate *ret_fate) {
    uint8_t known[8], row[4];
    store_u64_be(known, (uint64_t)store->lead.known);
    store_u32_be(row, (uint32_t)store->lead.row);
    struct parameter parameters[] = {
        {known, sizeof(known)}, writer_parameter(store), {row, sizeof(row)}};
    PGresult *result = NULL;
    session_send(session, "settle", parameters, 3);
    session_sync(session);
    enum fate fate = session_collect(session, store->options.patience_ms, 1, &result);
    if (fate != FATE_DONE)
        return fate;
    *ret_fate = LEAD_GONE;
    if (libpq.ntuples(result) == 1) {
        bool committed = result_number(result, 0, 1) == store->lead.known + 1;
        *ret_fate = committed ? LEAD_COMMITTED : LEAD_NOT_COMMITTED;
        store->lead.known = result_number(result, 0, 0);
    }
    libpq.clear(result);
    return FATE_DONE;
}

void lead_lose(struct postgres_store *store) {
    if (atomic_exchange(&store->lead.leads, false))
        atomic_fetch_add(&store->tally.lost, 1);
}

void lead_note_contact(struct postgres_store *store) {
    atomic_store(&store->tally.contact_ms, clock_now_ms(&system_clock));
}

/* It does not depend on the row that is read, so the server looks once for each statement. */
void lead_write_condition(const struct postgres_store *store, bool writes, size_t size,
                          char *ret_sql) {
    char writer[2 * WRITER_BYTES + 1];
    if (writes || !atomic_load(&store->lead.has_led)) {
        snprintf(ret_sql, size, "WHERE ");
        return;
    }
    for (size_t i = 0; i < WRITER_BYTES; i++)
        snprintf(writer + 2 * i, 3, "%02x", store->lead.writer[i]);
    snprintf(ret_sql, size,
             "WHERE 1 / (SELECT count(*) FROM gramme_version "
             "WHERE grp = 0 AND writer = '\\x%s'::bytea) = 1 AND ",
             writer);
}

bool lead_refused_read(struct postgres_store *store, const struct session *session) {
    if (strcmp(session->state, LEAD_REFUSED) != 0)
        return false;
    if (atomic_load(&store->lead.leads))
        log_warning(LEAD_ELSEWHERE ": what this one would read is refused");
    lead_lose(store);
    return true;
}

/* ---- the lock ---- */

/* Told once: after a failover, to a server that was not set up like the one before. */
static void look_at_copies(struct postgres_store *store) {
    PGresult *result = NULL;
    if (session_run(store->lead.session, "SHOW synchronous_standby_names", NULL, 0, LOOK_TIMEOUT_MS,
                    &result) != FATE_DONE)
        return;
    bool waits = libpq.ntuples(result) == 1 && result_bytes(result, 0, 0).len > 0;
    libpq.clear(result);
    if (store->waits && !waits)
        log_error("the store's commits wait for no standby any more: after a failover there is "
                  "one copy; set synchronous_standby_names on every server");
    store->waits = waits;
}

/* A leader that does not even look, because it was stopped, loses the lock with its session; where
 * the server knows no such setting, the lock stays with it until its connection goes. */
static struct error *connect_lead(struct postgres_store *store, struct arena *arena) {
    if (store->lead.session != NULL)
        return NULL;
    TRY(postgres_open_session(store, arena, &store->lead.session));
    char sql[60];
    snprintf(sql, sizeof(sql), "SET idle_session_timeout = %u", store->options.lead_ms);
    (void)session_run(store->lead.session, sql, NULL, 0, LOOK_TIMEOUT_MS, NULL);
    look_at_copies(store);
    return NULL;
}

void lead_drop_session(struct postgres_store *store) {
    session_close(store->lead.session);
    store->lead.session = NULL;
    store->lead.locked = false;
}

struct error *lead_take(struct postgres_store *store, struct arena *arena,
                        struct session **ret_session) {
    pthread_mutex_lock(&store->lead.lock);
    struct error *error = connect_lead(store, arena);
    *ret_session = store->lead.session;
    if (error != NULL)
        pthread_mutex_unlock(&store->lead.lock);
    return error;
}

void lead_give(struct postgres_store *store) {
    if (store->lead.session != NULL && session_is_lost(store->lead.session))
        lead_drop_session(store);
    pthread_mutex_unlock(&store->lead.lock);
}

/* Runs a statement about ourselves, and something else that it may need; whether it found a row. */
static enum fate ask_with(struct postgres_store *store, const char *sql,
                          const struct parameter both[2], size_t parameters, bool *ret_found,
                          int64_t *ret_number) {
    PGresult *result = NULL;
    uint32_t timeout_ms = ret_number != NULL ? TAKE_TIMEOUT_MS : LOOK_TIMEOUT_MS;
    enum fate fate = session_run(store->lead.session, sql, both, parameters, timeout_ms, &result);
    if (fate != FATE_DONE)
        return fate;
    lead_note_contact(store);
    *ret_found = libpq.ntuples(result) > 0;
    if (*ret_found && ret_number != NULL)
        *ret_number = result_number(result, 0, 0);
    libpq.clear(result);
    return FATE_DONE;
}

/* Likewise; what else it may need is how long a lease is. */
static enum fate ask(struct postgres_store *store, const char *sql, size_t parameters,
                     bool *ret_found) {
    uint8_t lease[8];
    store_u64_be(lease, store->options.lead_ms);
    struct parameter both[] = {writer_parameter(store), {lease, sizeof(lease)}};
    return ask_with(store, sql, both, parameters, ret_found, NULL);
}

static enum fate take(struct postgres_store *store, bool *ret_found) {
    struct slice address = store->lead.address;
    struct parameter both[] = {writer_parameter(store),
                               parameter_of(slice_present(address) ? address : SLICE_LITERAL(""))};
    return ask_with(store, store->options.fill ? fill_sql : take_sql, both, 2, ret_found,
                    &store->lead.known);
}

bool lead_by_lease(const struct postgres_store *store) {
    return store->lacks_advisory || store->options.lead_by_lease;
}

static enum fate try_lock(struct postgres_store *store) {
    bool by_lease = lead_by_lease(store);
    if (store->options.lead_by_force)
        store->lead.locked = true;
    if (store->lead.locked && !by_lease)
        return FATE_DONE;
    return ask(store, by_lease ? lease_sql : lock_sql, by_lease ? 2 : 0, &store->lead.locked);
}

/* ---- alone ---- */

static void give_up(struct postgres_store *store) {
    bool given_up;
    if (store->lead.session != NULL && store->lead.locked)
        (void)ask(store, give_up_sql, 1, &given_up);
    lead_drop_session(store);
}

/* While others write, the lock is theirs to take. */
static enum fate look_for_others(struct postgres_store *store) {
    bool others = false;
    enum fate fate = members_look(store, &others);
    if (fate == FATE_DONE && others)
        give_up(store);
    return fate;
}

/* ---- taking and keeping ---- */

static struct error *try_lead(struct postgres_store *store, struct arena *arena, bool *ret_leads) {
    struct lead *lead = &store->lead;
    struct session *session = NULL;
    bool found = false;
    TRY(lead_take(store, arena, &session));
    enum fate fate = try_lock(store);
    if (fate == FATE_DONE && lead->locked && lead->alone)
        fate = look_for_others(store);
    if (fate == FATE_DONE && lead->locked)
        fate = take(store, &found);
    if (fate == FATE_DONE && found && lead->alone)
        fate = members_fence(store);
    found = found && fate == FATE_DONE;
    struct error *error =
        fate == FATE_DONE ? NULL : session_error(session, arena, "The lead cannot be taken");
    if (fate == FATE_DONE && lead->locked && !found)
        error = postgres_check_finished(arena, session);
    if (error != NULL)
        lead_drop_session(store); /* and its lock, which whoever is to finish the store needs */
    lead_give(store);
    if (found && !atomic_exchange(&lead->has_led, true))
        atomic_fetch_add(&store->era, 1); /* after it: who connects in between does so again */
    atomic_store(&lead->leads, found);
    atomic_fetch_add(&store->tally.taken, found);
    atomic_store(&store->drops, found); /* what others left */
    *ret_leads = found;
    return error;
}

/* A server that is away is waited for, too. */
struct error *postgres_lead(struct store *base, struct arena *arena, uint32_t wait_ms,
                            bool *ret_leads) {
    struct postgres_store *store = postgres_of(base);
    uint64_t deadline_ns = monotonic_ns() + (uint64_t)wait_ms * 1000000;
    for (;;) {
        struct arena_mark mark = arena_mark(arena);
        bool leads = false;
        struct error *error = try_lead(store, arena, &leads);
        if (error != NULL)
            log_repeated_error("%.*s", SLICE_ARGS(error->message));
        arena_rewind(arena, mark);
        *ret_leads = leads;
        if (leads)
            keeper_start(store);
        if (leads || monotonic_ns() >= deadline_ns)
            return NULL;
        nanosleep(&(struct timespec){0, NAP_MS * 1000000}, NULL);
    }
}

/* Cut off from the server we may lead or not: whoever asks can do no harm. */
bool lead_keep(struct postgres_store *store) {
    struct arena CLEANUP(arena_release) scratch;
    struct session *session = NULL;
    bool found = true;
    arena_init(&scratch);
    if (lead_take(store, &scratch, &session) != NULL)
        return true;
    enum fate fate = ask(store, store->lead.alone ? look_alone_sql : look_sql, 1, &found);
    if (fate == FATE_DONE && found)
        fate = try_lock(store);
    if (fate != FATE_DONE)
        lead_drop_session(store);
    lead_give(store);
    if (!found)
        lead_lose(store);
    return found;
}

bool postgres_leads(struct store *base) {
    struct postgres_store *store = postgres_of(base);
    return atomic_load(&store->lead.leads) && (store->options.keeps || lead_keep(store));
}

void lead_release(struct postgres_store *store) {
    give_up(store);
    pthread_mutex_destroy(&store->lead.lock);
}
