/* commit.c - a commit of the PostgreSQL engine: one pipeline, one round trip.
 *
 *   BEGIN; the claim, which is refused unless the row of the lead is as we left it (lead.c); where
 *   there are groups of keys, their claim (groups.c), and no BEGIN when they are held already;
 *   ranges, deletes and puts; the number of changes, when a watched key is among them; COMMIT
 *
 * A connection that is lost on the way leaves open whether the COMMIT happened. Then the row tells,
 * on a new connection: what happened is acknowledged, and what did not is sent again, since nobody
 * else can have written meanwhile without moving the row.
 *
 * The same is done when the server stopped waiting for its standby, on which the commit may be
 * missing (session.c): the row is raised by a commit that waits for the standby itself, and when
 * that is there, so are all before it. Threads: the writer's; sync anywhere. */
#include "base/check.h"
#include "store/postgres/internal.h"

static const char *const writing = "The store failed to write";

enum attempt {
    ATTEMPT_DONE,
    ATTEMPT_AGAIN,   /* nothing happened, and may the next time */
    ATTEMPT_MOVED,   /* nothing happened: another server was there before */
    ATTEMPT_FENCED,  /* nothing happened, nor will it */
    ATTEMPT_REFUSED, /* nothing happened: the server does not want it */
    ATTEMPT_LOST,    /* nobody knows */
};

static size_t send_commit(struct postgres_store *store, struct session *session,
                          const struct store_txn *txn, enum store_durability durability) {
    size_t relaxed = durability == STORE_RELAXED, watched = batch_is_watched(store);
    size_t begins = !store->groups.held;
    if (begins)
        session_send(session, "begin_write", NULL, 0);
    if (relaxed)
        session_send(session, "relax", NULL, 0);
    lead_send_claim(store, session);
    size_t sent = groups_send_claim(store, session, txn);
    sent += batch_send(store, session);
    if (watched)
        session_send(session, "changed", NULL, 0);
    session_send(session, "commit", NULL, 0);
    session_sync(session);
    return begins + relaxed + sent + watched + 2;
}

/* Another server of a cluster answers for the one that is gone, and takes no writes yet; or this
 * one is about to go. What happened is asked for elsewhere. */
static bool is_going(const char *state) {
    return strncmp(state, "57P", 3) == 0 || strcmp(state, "25006") == 0;
}

static enum attempt attempt_after(const char *state) {
    if (strcmp(state, LEAD_REFUSED) == 0)
        return ATTEMPT_FENCED;
    if (strcmp(state, GROUPS_MOVED) == 0)
        return ATTEMPT_MOVED;
    if (is_going(state))
        return ATTEMPT_LOST;
    return strncmp(state, "40", 2) == 0 ? ATTEMPT_AGAIN : ATTEMPT_REFUSED;
}

bool postgres_roll_back(struct postgres_store *store, struct session *session) {
    store->groups.held = false;
    session_send(session, "rollback", NULL, 0);
    session_sync(session);
    return session_collect(session, store->options.patience_ms, 1, NULL) != FATE_LOST;
}

static enum attempt attempt_commit(struct postgres_store *store, const struct store_txn *txn,
                                   enum store_durability durability, struct error **ret_error) {
    struct session *session = store->writer;
    size_t sent = send_commit(store, session, txn, durability);
    enum fate fate = session_collect(session, store->options.patience_ms, sent, NULL);
    if (fate == FATE_DONE)
        return ATTEMPT_DONE;
    *ret_error = session_error(session, txn->arena, writing);
    enum attempt attempt = fate == FATE_LOST ? ATTEMPT_LOST : attempt_after(session->state);
    if (attempt == ATTEMPT_LOST || !postgres_roll_back(store, session))
        postgres_writer_lost(store);
    return attempt;
}

/* What became of a commit whose connection was lost. It is asked for as long as there is patience;
 * after that nobody knows, and we do not lead any more, so that nobody builds on it. */
static enum store_outcome settle(struct postgres_store *store, struct arena *arena,
                                 struct patience *patience, bool *ret_happened) {
    atomic_fetch_add(&store->tally.settled, 1);
    for (;;) {
        struct session *session = NULL;
        enum lead_fate lead = LEAD_GONE;
        if (postgres_writer(store, arena, patience, &session) != NULL)
            break;
        enum fate fate = lead_settle(store, session, &lead);
        if (fate == FATE_DONE) {
            *ret_happened = lead == LEAD_COMMITTED;
            if (lead != LEAD_GONE)
                return STORE_COMMITTED;
            break;
        }
        postgres_writer_lost(store);
        if (!patience_wait(patience))
            break;
    }
    lead_lose(store);
    return STORE_UNKNOWN;
}

static struct error *commit_batch(struct postgres_store *store, const struct store_txn *txn,
                                  enum store_durability durability,
                                  enum store_outcome *ret_outcome) {
    struct arena *arena = txn->arena;
    struct patience patience = patience_begin(store);
    for (;;) {
        struct session *session = NULL;
        struct error *error = NULL;
        TRY(postgres_writer(store, arena, &patience, &session));
        enum attempt attempt = attempt_commit(store, txn, durability, &error);
        bool happened = attempt == ATTEMPT_DONE;
        *ret_outcome = STORE_COMMITTED;
        if (attempt == ATTEMPT_REFUSED || (attempt == ATTEMPT_AGAIN && !patience_wait(&patience)))
            return error;
        if (attempt == ATTEMPT_LOST)
            *ret_outcome = settle(store, arena, &patience, &happened);
        if (attempt == ATTEMPT_FENCED) {
            lead_lose(store);
            *ret_outcome = STORE_FENCED;
        }
        if (attempt == ATTEMPT_MOVED) {
            atomic_fetch_add(&store->tally.conflicts, 1);
            *ret_outcome = STORE_CONFLICT;
        }
        if (attempt == ATTEMPT_DONE)
            store->lead.known++;
        if (happened && *ret_outcome == STORE_COMMITTED)
            groups_committed(store, txn);
        if (happened || *ret_outcome != STORE_COMMITTED)
            return NULL;
        atomic_fetch_add(
            attempt == ATTEMPT_AGAIN ? &store->tally.conflicts : &store->tally.repeated, 1);
    }
}

/* A durable commit that writes makes the relaxed ones before it durable as well. */
struct error *postgres_commit(struct store_txn *txn, enum store_durability durability,
                              enum store_outcome *ret_outcome) {
    struct postgres_store *store = postgres_of(txn->store);
    postgres_scan_land(postgres_of_txn(txn));
    batch_close(&store->batch);
    if (batch_is_empty(&store->batch) && (txn->groups == 0 || store->base.groups == 1)) {
        if (durability == STORE_DURABLE)
            TRY(postgres_sync(txn->store, txn->arena));
        *ret_outcome = STORE_COMMITTED;
        return NULL;
    }
    if (!atomic_load(&store->lead.leads)) {
        *ret_outcome = STORE_FENCED;
        return NULL;
    }
    TRY(commit_batch(store, txn, durability, ret_outcome));
    if (*ret_outcome == STORE_FENCED)
        atomic_fetch_add(&store->tally.fenced, 1);
    if (*ret_outcome == STORE_COMMITTED)
        atomic_store(&store->unsynced, durability == STORE_RELAXED);
    return NULL;
}

/* A commit that is waited for, and before which all others are: of a row that is there for this. */
static struct error *sync_commits(struct postgres_store *store, struct arena *arena) {
    struct patience patience = patience_begin(store);
    for (;;) {
        struct session *session = NULL;
        TRY(pool_take(store, arena, &patience, &session));
        session_send(session, "sync", NULL, 0);
        session_sync(session);
        enum fate fate = session_collect(session, store->options.patience_ms, 1, NULL);
        struct error *error =
            fate == FATE_DONE
                ? NULL
                : session_error(session, arena, "The store failed to make writes durable");
        pool_give(store, session);
        if (error == NULL || fate == FATE_REFUSED || !patience_wait(&patience))
            return error;
    }
}

struct error *postgres_sync(struct store *base, struct arena *arena) {
    struct postgres_store *store = postgres_of(base);
    if (atomic_exchange(&store->unsynced, 0) == 0)
        return NULL;
    struct error *error = sync_commits(store, arena);
    if (error != NULL)
        atomic_store(&store->unsynced, 1);
    return error;
}

/* ---- what others change ---- */

struct error *postgres_changes(struct store *base, struct arena *arena, uint64_t *ret_number) {
    struct postgres_store *store = postgres_of(base);
    struct patience patience = patience_begin(store);
    for (;;) {
        struct session *session = NULL;
        PGresult *result = NULL;
        TRY(pool_take(store, arena, &patience, &session));
        session_send(session, "changes", NULL, 0);
        session_sync(session);
        enum fate fate = session_collect(session, store->options.patience_ms, 1, &result);
        struct error *error =
            fate == FATE_DONE ? NULL : session_error(session, arena, "The store failed to read");
        if (fate == FATE_DONE && libpq.ntuples(result) == 1)
            *ret_number = (uint64_t)result_number(result, 0, 0);
        libpq.clear(result);
        pool_give(store, session);
        if (error == NULL || fate == FATE_REFUSED || !patience_wait(&patience))
            return error;
    }
}
