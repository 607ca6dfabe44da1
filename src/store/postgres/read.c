/* read.c - transactions and point reads of the PostgreSQL engine.
 *
 * A STORE_READ is a REPEATABLE READ transaction of the server, which begins in the round trip of
 * its first read and ends in that of the connection's next use; it has a connection until then, and
 * keeps the server from tidying up for as long as it lives. A STORE_READ_LATEST has a connection
 * for one statement. A STORE_WRITE reads on the writer's, each statement at its own moment: nobody
 * else writes, and if somebody does after all, the commit is refused. Memory: values stay in
 * libpq's results until the transaction ends. */
#include <stdlib.h>

#include "base/check.h"
#include "store/postgres/internal.h"

static const char *const reading = "The store failed to read";
#define SERIALIZATION_FAILURE "40001"

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
    if (txn->session != NULL)
        moment_end(txn, "commit");
    if (base->mode == STORE_WRITE)
        batch_reset(&postgres_of(base->store)->batch);
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

struct error *postgres_read(struct postgres_txn *txn, struct read_commands *commands,
                            PGresult **ret_results) {
    struct arena *arena = txn->base.arena;
    struct patience patience = patience_begin(postgres_of(txn->base.store));
    postgres_scan_land(txn);
    for (;;) {
        if (txn->lost)
            return error_local(arena, "%s: the connection was lost on the way", reading);
        struct session *session = NULL;
        TRY(session_for(txn, &patience, &session));
        enum fate fate = run_commands(txn, commands, session, ret_results);
        bool again = fate == FATE_LOST || (fate == FATE_REFUSED && txn->session == NULL &&
                                           strcmp(session->state, SERIALIZATION_FAILURE) == 0);
        struct error *error = fate == FATE_DONE ? NULL : session_error(session, arena, reading);
        after_commands(txn, session, fate);
        if (!again || !patience_wait(&patience))
            return error;
    }
}

/* ---- point reads ---- */

/* Keys in the order of their keyspaces and bytes. */
struct sorted_keys {
    const struct store_key *keys;
    size_t *order; /* places in `keys` */
    size_t count;
};

struct get_commands {
    struct read_commands base;
    struct postgres_store *store;
    struct sorted_keys sorted;
    struct buffer *array;
};

static int compare_keys(const struct store_key *one, const struct store_key *other) {
    if (one->keyspace != other->keyspace)
        return one->keyspace < other->keyspace ? -1 : 1;
    return slice_compare(one->key, other->key);
}

static int compare_places(const void *one, const void *other, void *user) {
    const struct store_key *keys = user;
    return compare_keys(&keys[*(const size_t *)one], &keys[*(const size_t *)other]);
}

static const struct store_key *key_at(const struct sorted_keys *sorted, size_t i) {
    return &sorted->keys[sorted->order[i]];
}

/* The end of the keys of one keyspace that begin at `from`. */
static size_t same_keyspace(const struct sorted_keys *sorted, size_t from) {
    size_t to = from + 1;
    while (to < sorted->count && key_at(sorted, to)->keyspace == key_at(sorted, from)->keyspace)
        to++;
    return to;
}

static void send_get(struct get_commands *get, struct session *session, size_t from, size_t to) {
    uint8_t keyspace = key_at(&get->sorted, from)->keyspace;
    if (to - from == 1) {
        struct parameter key = parameter_of(key_at(&get->sorted, from)->key);
        session_send(session, get->store->statements[keyspace][STATEMENT_GET], &key, 1);
        return;
    }
    array_begin(get->array);
    for (size_t i = from; i < to; i++)
        array_add(get->array, key_at(&get->sorted, i)->key);
    struct parameter keys = array_end(get->array, to - from);
    session_send(session, get->store->statements[keyspace][STATEMENT_GET_MANY], &keys, 1);
}

static size_t send_gets(struct read_commands *commands, struct session *session) {
    struct get_commands *get = container_of(commands, struct get_commands, base);
    size_t sent = 0;
    for (size_t from = 0, to; from < get->sorted.count; from = to, sent++) {
        to = same_keyspace(&get->sorted, from);
        send_get(get, session, from, to);
    }
    return sent;
}

static void keep_result(struct postgres_txn *txn, PGresult *result) {
    struct kept_result *kept = ARENA_NEW(txn->base.arena, struct kept_result);
    kept->result = result;
    kept->next = txn->kept;
    txn->kept = kept;
}

/* The first of the keys from `from` to `to` that is not before it. */
static size_t find_key(const struct sorted_keys *sorted, size_t from, size_t to, struct slice key) {
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (slice_compare(key_at(sorted, middle)->key, key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A key may have been asked for twice. */
static void take_values(const struct sorted_keys *sorted, size_t from, size_t to,
                        const PGresult *result, struct slice *ret_values) {
    int rows = libpq.ntuples(result);
    if (to - from == 1) {
        if (rows > 0)
            ret_values[sorted->order[from]] = result_bytes(result, 0, 0);
        return;
    }
    for (int row = 0; row < rows; row++) {
        struct slice key = result_bytes(result, row, 0);
        for (size_t i = find_key(sorted, from, to, key);
             i < to && slice_equal(key_at(sorted, i)->key, key); i++)
            ret_values[sorted->order[i]] = result_bytes(result, row, 1);
    }
}

static struct error *get_sorted(struct postgres_txn *txn, struct get_commands *get,
                                struct slice *ret_values) {
    PGresult *results[STORE_KEYSPACES_MAX];
    TRY(postgres_read(txn, &get->base, results));
    size_t place = 0;
    for (size_t from = 0, to; from < get->sorted.count; from = to, place++) {
        to = same_keyspace(&get->sorted, from);
        keep_result(txn, results[place]);
        take_values(&get->sorted, from, to, results[place], ret_values);
    }
    return NULL;
}

struct error *postgres_get_many(struct store_txn *base, size_t count, const struct store_key *keys,
                                struct slice *ret_values) {
    struct buffer array;
    buffer_init(&array, INT32_MAX);
    struct get_commands get = {
        .base.send = send_gets,
        .store = postgres_of(base->store),
        .sorted = {keys, ARENA_ARRAY(base->arena, size_t, count), count},
        .array = &array,
    };
    for (size_t i = 0; i < count; i++) {
        get.sorted.order[i] = i;
        ret_values[i] = SLICE_NONE;
    }
    if (count > 1)
        qsort_r(get.sorted.order, count, sizeof(size_t), compare_places, (void *)(uintptr_t)keys);
    struct error *error = get_sorted(postgres_of_txn(base), &get, ret_values);
    buffer_release(&array);
    return error;
}
