/* groups.c - the rows of groups of keys (store.h, rule 12; ADR 22).
 *
 * gramme_version has a row for each group, whose number every commit in it raises, and one more
 * that is raised by the commits which have all of them. A commit claims the rows of its groups
 * where they are as this store left them or last saw them, beside the row that is its own (lead.c);
 * when one is not, nothing happens, and that is a conflict. Rows are locked in the order of their
 * numbers, so that nobody waits in a circle.
 *
 * Holding locks the rows first, and learns their numbers. Threads: the writer's. */
#include <stdio.h>

#include "base/check.h"
#include "store/postgres/internal.h"

enum { ALL_ROW = -4, ROW_CHARS = 24, ROWS_MAX = STORE_GROUPS_MAX + 1 };

/* As arrays in PostgreSQL's words. */
struct rows {
    char numbers[ROWS_MAX * ROW_CHARS], known[ROWS_MAX * ROW_CHARS];
    size_t count;
};

/* Place 0 is the row of commits that have all groups. */
static int row_number(size_t place) {
    return place == 0 ? ALL_ROW : (int)place;
}

static bool has_row(const struct store_txn *txn, size_t place, bool with_all_row) {
    if (place == 0)
        return with_all_row || txn->groups == 0;
    return txn->groups == 0 || (txn->groups >> (place - 1) & 1) != 0;
}

static void list_rows(const struct store_txn *txn, bool with_all_row, struct rows *ret_rows) {
    const struct groups *groups = &postgres_of(txn->store)->groups;
    size_t numbers = 0, known = 0;
    ret_rows->count = 0;
    for (size_t place = 0; place <= txn->store->groups; place++) {
        if (!has_row(txn, place, with_all_row))
            continue;
        char before = ret_rows->count++ == 0 ? '{' : ',';
        numbers += (size_t)snprintf(ret_rows->numbers + numbers, ROW_CHARS, "%c%d", before,
                                    row_number(place));
        known += (size_t)snprintf(ret_rows->known + known, ROW_CHARS, "%c%lld", before,
                                  (long long)groups->known[place]);
    }
    ret_rows->numbers[numbers] = ret_rows->known[known] = '}';
    ret_rows->numbers[numbers + 1] = ret_rows->known[known + 1] = '\0';
}

static void send_lock(struct session *session, const struct rows *rows) {
    struct parameter numbers = {rows->numbers, strlen(rows->numbers)};
    session_send(session, "lock_groups", &numbers, 1);
}

/* ---- committing ---- */

size_t groups_send_claim(struct postgres_store *store, struct session *session,
                         const struct store_txn *txn) {
    struct rows rows;
    if (store->base.groups == 1)
        return 0;
    list_rows(txn, false, &rows);
    if (rows.count == 0)
        return 0;
    if (!store->groups.held)
        send_lock(session, &rows);
    struct parameter both[] = {{rows.numbers, strlen(rows.numbers)},
                               {rows.known, strlen(rows.known)}};
    session_send(session, "claim_groups", both, 2);
    return store->groups.held ? 1 : 2;
}

void groups_committed(struct postgres_store *store, const struct store_txn *txn) {
    store->groups.held = false;
    if (store->base.groups == 1)
        return;
    for (size_t place = 0; place <= store->base.groups; place++)
        if (has_row(txn, place, false))
            store->groups.known[place]++;
}

/* ---- holding ---- */

static void learn(struct groups *groups, const PGresult *result, enum store_held *ret_held) {
    *ret_held = STORE_HELD_SAME;
    for (int row = 0; row < libpq.ntuples(result); row++) {
        int64_t number = result_number(result, row, 0), seq = result_number(result, row, 1);
        size_t place = number == ALL_ROW ? 0 : (size_t)number;
        CHECK(place <= STORE_GROUPS_MAX);
        if (groups->known[place] == seq)
            continue;
        groups->known[place] = seq;
        if (place == 0)
            *ret_held = STORE_HELD_ALL_MOVED;
        else if (*ret_held == STORE_HELD_SAME)
            *ret_held = STORE_HELD_MOVED;
    }
}

void groups_learn(struct postgres_store *store, const PGresult *rows) {
    enum store_held held;
    learn(&store->groups, rows, &held);
}

static enum fate try_hold(struct postgres_store *store, struct session *session,
                          const struct store_txn *txn, enum store_held *ret_held) {
    struct rows rows;
    PGresult *results[2];
    list_rows(txn, true, &rows);
    session_send(session, "begin_write", NULL, 0);
    send_lock(session, &rows);
    session_sync(session);
    enum fate fate = session_collect(session, store->options.patience_ms, 2, results);
    if (fate != FATE_DONE)
        return fate;
    learn(&store->groups, results[1], ret_held);
    libpq.clear(results[0]);
    libpq.clear(results[1]);
    store->groups.held = true;
    return FATE_DONE;
}

struct error *postgres_hold(struct store_txn *txn, enum store_held *ret_held) {
    struct postgres_store *store = postgres_of(txn->store);
    struct patience patience = patience_begin(store);
    for (;;) {
        struct session *session = NULL;
        TRY(postgres_writer(store, txn->arena, &patience, &session));
        enum fate fate = try_hold(store, session, txn, ret_held);
        if (fate == FATE_DONE)
            return NULL;
        struct error *error = session_error(session, txn->arena, "The store cannot be held");
        bool again = fate == FATE_LOST || strncmp(session->state, "40", 2) == 0;
        if (fate == FATE_LOST || !postgres_roll_back(store, session))
            postgres_writer_lost(store);
        if (!again || !patience_wait(&patience))
            return error;
    }
}

/* A transaction that ends without a commit. */
void groups_let_go(struct postgres_store *store) {
    if (!store->groups.held)
        return;
    if (store->writer != NULL && !postgres_roll_back(store, store->writer))
        postgres_writer_lost(store);
    store->groups.held = false;
}

void groups_init(struct postgres_store *store) {
    for (size_t place = 0; place <= STORE_GROUPS_MAX; place++)
        store->groups.known[place] = -1; /* nothing is known of any */
}
