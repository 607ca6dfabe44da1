/* read.c - transactions and point reads of the PostgreSQL engine.
 *
 * A STORE_READ is a REPEATABLE READ transaction of the server, which begins in the round trip of
 * its first read and ends in that of the connection's next use; it has a connection until then, and
 * keeps the server from tidying up for as long as it lives. A STORE_READ_LATEST has a connection
 * for one statement. A STORE_WRITE reads on the writer's, each statement at its own moment: nobody
 * else writes, and if somebody does after all, the commit is refused. Memory: values stay in
 * libpq's results until the transaction ends. */
#include "store/postgres/internal.h"

struct error *postgres_begin(struct store *store, struct arena *arena, enum store_mode mode,
                             struct store_txn **ret_txn) {
    (void)store;
    (void)mode;
    struct postgres_txn *txn = ARENA_NEW(arena, struct postgres_txn);
    *ret_txn = &txn->base;
    return NULL;
}

/* Nobody waits for its end. */
static void moment_end(struct postgres_txn *txn, const char *how) {
    session_send(txn->session, how, NULL, 0);
    session_sync(txn->session);
    txn->session->unread = 1;
    pool_give(postgres_of(txn->base.store), txn->session);
    txn->session = NULL;
}

void postgres_end(struct store_txn *base) {
    struct postgres_txn *txn = postgres_of_txn(base);
    for (struct kept_result *kept = txn->kept; kept != NULL; kept = kept->next)
        libpq.clear(kept->result);
    if (txn->shared != NULL)
        shared_result_release(txn->shared);
    if (txn->session != NULL)
        moment_end(txn, "commit");
    if (base->mode == STORE_WRITE) {
        groups_let_go(postgres_of(base->store));
        batch_reset(&postgres_of(base->store)->batch);
    }
}

/* ---- commands of a transaction ---- */

static struct error *session_for(struct postgres_txn *txn, struct patience *patience,
                                 struct session **ret_session) {
    struct postgres_store *store = postgres_of(txn->base.store);
    if (txn->base.mode == STORE_WRITE)
        return postgres_writer(store, txn->base.arena, patience, ret_session);
    if (txn->session != NULL) {
        *ret_session = txn->session;
        return NULL;
    }
    return pool_take(store, txn->base.arena, patience, ret_session);
}

/* How many commands that are. */
static size_t send_begin(const struct postgres_store *store, struct session *session) {
    session_send(session, "begin", NULL, 0);
    if (store->moment == NULL)
        return 1;
    session_send_sql(session, store->moment_sql, NULL, 0);
    return 2;
}

static enum fate run_commands(struct postgres_txn *txn, struct read_commands *commands,
                              struct session *session, PGresult **ret_results) {
    const struct postgres_store *store = postgres_of(txn->base.store);
    PGresult *results[STORE_KEYSPACES_MAX + 2];
    size_t begins = 0;
    if (txn->base.mode == STORE_READ && txn->session == NULL)
        begins = send_begin(store, session);
    size_t count = commands->send(commands, session);
    session_sync(session);
    enum fate fate = session_collect(session, store->options.patience_ms, begins + count, results);
    if (fate != FATE_DONE)
        return fate;
    for (size_t i = 0; i < begins; i++)
        libpq.clear(results[i]);
    memcpy(ret_results, results + begins, count * sizeof(*results));
    return FATE_DONE;
}

/* Gives the connection back, or has the transaction keep it. */
static void after_commands(struct postgres_txn *txn, struct session *session, enum fate fate) {
    struct postgres_store *store = postgres_of(txn->base.store);
    bool had_moment = txn->session != NULL;
    if (txn->base.mode == STORE_WRITE) {
        if (fate == FATE_LOST)
            postgres_writer_lost(store);
    } else if (txn->base.mode == STORE_READ_LATEST) {
        pool_give(store, session);
    } else if (fate == FATE_LOST) {
        txn->lost = had_moment;
        txn->session = NULL;
        pool_give(store, session);
    } else {
        txn->session = session;
        if (fate == FATE_REFUSED && !had_moment)
            moment_end(txn, "rollback");
    }
}

static struct error *read_error(struct postgres_txn *txn, const struct session *session,
                                enum fate fate) {
    if (fate == FATE_REFUSED && lead_refused_read(postgres_of(txn->base.store), session))
        return error_local(txn->base.arena, POSTGRES_READING ": " LEAD_ELSEWHERE);
    return session_error(session, txn->base.arena, POSTGRES_READING);
}

struct error *postgres_read(struct postgres_txn *txn, struct read_commands *commands,
                            PGresult **ret_results) {
    struct arena *arena = txn->base.arena;
    struct patience patience = patience_begin(postgres_of(txn->base.store));
    postgres_scan_land(txn);
    for (;;) {
        if (txn->lost)
            return error_local(arena, POSTGRES_READING ": the connection was lost on the way");
        struct session *session = NULL;
        TRY(session_for(txn, &patience, &session));
        enum fate fate = run_commands(txn, commands, session, ret_results);
        bool again = fate == FATE_LOST || (fate == FATE_REFUSED && txn->session == NULL &&
                                           strcmp(session->state, SERIALIZATION_FAILURE) == 0);
        struct error *error = fate == FATE_DONE ? NULL : read_error(txn, session, fate);
        after_commands(txn, session, fate);
        if (!again || !patience_wait(&patience))
            return error;
    }
}

/* ---- point reads ---- */

struct get_commands {
    struct read_commands base;
    struct postgres_store *store;
    struct gets gets;
    struct buffer array;
};

static size_t send_gets(struct read_commands *commands, struct session *session) {
    struct get_commands *get = container_of(commands, struct get_commands, base);
    return gets_send(&get->gets, get->store, session, &get->array);
}

static void keep_result(struct postgres_txn *txn, PGresult *result) {
    struct kept_result *kept = ARENA_NEW(txn->base.arena, struct kept_result);
    kept->result = result;
    kept->next = txn->kept;
    txn->kept = kept;
}

struct error *postgres_get_many(struct store_txn *base, size_t count, const struct store_key *keys,
                                struct slice *ret_values) {
    struct postgres_txn *txn = postgres_of_txn(base);
    PGresult *results[STORE_KEYSPACES_MAX];
    struct get_commands get = {
        .base.send = send_gets,
        .store = postgres_of(base->store),
        .gets = gets_of(base->arena, count, keys),
    };
    buffer_init(&get.array, INT32_MAX);
    struct error *error = postgres_read(txn, &get.base, results);
    buffer_release(&get.array);
    if (error != NULL)
        return error;
    size_t taken = gets_take(&get.gets, results, ret_values);
    for (size_t i = 0; i < taken; i++)
        keep_result(txn, results[i]);
    return NULL;
}
