/* scan.c - scans of the PostgreSQL engine: pages of keys, each a statement of its own.
 *
 * A page begins behind the last key of the one before, so that nothing is open on the server
 * between two. Pages grow, since most scans end soon and the others are long; where a transaction
 * has a connection of its own, the next page is asked for while one is read.
 * Memory: a page is libpq's result, until the next one is needed. */
#include "store/postgres/internal.h"

enum {
    PAGE_ROWS_FIRST = 32,
    PAGE_ROWS_MAX = 512,
    PAGE_ROWS_MIN = 4,
    PAGE_BYTES = 1 << 20, /* aimed at, by what the rows of the last page took */
    PAGE_GROWTH = 4,
};

struct postgres_scan {
    struct store_scan base;
    struct read_commands commands;
    uint8_t keyspace;
    bool reverse;
    bool ended; /* no page comes after this one */
    struct slice first, last;
    uint8_t bound[STORE_BOUND_MAX]; /* where the next page begins, once there was one */
    uint32_t page_rows;             /* of the next page */
    PGresult *page;
    int row, rows;
    PGresult *next_page; /* has come before it was needed */
};

static struct postgres_scan *scan_of(struct store_scan *scan) {
    return container_of(scan, struct postgres_scan, base);
}

static size_t send_page(struct read_commands *commands, struct session *session) {
    const struct postgres_scan *scan = container_of(commands, struct postgres_scan, commands);
    const struct postgres_store *store = postgres_of(scan->base.txn->store);
    uint8_t rows[8] = {0};
    rows[6] = (uint8_t)(scan->page_rows >> 8);
    rows[7] = (uint8_t)scan->page_rows;
    struct parameter parameters[] = {
        parameter_of(scan->first), parameter_of(scan->last), {rows, sizeof(rows)}};
    session_send(
        session,
        store->statements[scan->keyspace][scan->reverse ? STATEMENT_SCAN_BACK : STATEMENT_SCAN],
        parameters, 3);
    return 1;
}

/* ---- pages ---- */

static struct session *held_session(struct postgres_txn *txn) {
    return txn->base.mode == STORE_WRITE ? postgres_of(txn->base.store)->writer : txn->session;
}

void postgres_scan_land(struct postgres_txn *txn) {
    struct postgres_store *store = postgres_of(txn->base.store);
    struct postgres_scan *scan = txn->ahead;
    if (scan == NULL)
        return;
    struct session *session = held_session(txn);
    txn->ahead = NULL;
    if (session_collect(session, store->options.patience_ms, 1, &scan->next_page) != FATE_LOST)
        return;
    if (txn->base.mode == STORE_WRITE) {
        postgres_writer_lost(store);
        return;
    }
    txn->lost = true;
    txn->session = NULL;
    pool_give(store, session);
}

/* Asks for the page after this one, when there will be one and somebody to bring it. */
static void look_ahead(struct postgres_scan *scan) {
    struct postgres_txn *txn = postgres_of_txn(scan->base.txn);
    struct session *session = held_session(txn);
    if (scan->ended || session == NULL || txn->ahead != NULL)
        return;
    send_page(&scan->commands, session);
    session_sync(session);
    txn->ahead = scan;
}

static struct error *fetch_page(struct postgres_scan *scan) {
    struct postgres_txn *txn = postgres_of_txn(scan->base.txn);
    postgres_scan_land(txn);
    libpq.clear(scan->page);
    scan->page = scan->next_page;
    scan->next_page = NULL;
    return scan->page != NULL ? NULL : postgres_read(txn, &scan->commands, &scan->page);
}

/* The next page begins behind the last key of this one: at its successor, or below it. */
static void set_bound(struct postgres_scan *scan) {
    struct slice key = result_bytes(scan->page, scan->rows - 1, 0);
    memcpy(scan->bound, key.data, key.len);
    if (scan->reverse) {
        scan->last = slice_of(scan->bound, key.len);
    } else {
        scan->bound[key.len] = 0;
        scan->first = slice_of(scan->bound, key.len + 1);
    }
}

static uint32_t rows_of_next_page(const struct postgres_scan *scan) {
    size_t bytes = 0;
    for (int row = 0; row < scan->rows; row++)
        bytes += result_bytes(scan->page, row, 1).len + result_bytes(scan->page, row, 0).len;
    size_t rows = PAGE_BYTES / (bytes / (size_t)scan->rows + 1);
    size_t most = (size_t)scan->page_rows * PAGE_GROWTH;
    rows = rows > most ? most : rows;
    return (uint32_t)(rows > PAGE_ROWS_MAX   ? PAGE_ROWS_MAX
                      : rows < PAGE_ROWS_MIN ? PAGE_ROWS_MIN
                                             : rows);
}

static struct error *turn_page(struct postgres_scan *scan) {
    bool is_first = scan->page == NULL;
    uint32_t asked = scan->page_rows;
    TRY(fetch_page(scan));
    scan->row = 0;
    scan->rows = libpq.ntuples(scan->page);
    scan->ended = (uint32_t)scan->rows < asked;
    if (scan->ended)
        return NULL;
    set_bound(scan);
    scan->page_rows = rows_of_next_page(scan);
    if (!is_first)
        look_ahead(scan);
    return NULL;
}

/* ---- the seam ---- */

struct error *postgres_scan_open(struct store_txn *txn, const struct store_range *range,
                                 bool reverse, struct store_scan **ret_scan) {
    struct postgres_scan *scan = ARENA_NEW(txn->arena, struct postgres_scan);
    scan->commands.send = send_page;
    scan->keyspace = range->keyspace;
    scan->reverse = reverse;
    scan->page_rows = PAGE_ROWS_FIRST;
    scan->first = arena_slice(txn->arena, range->first);
    if (slice_present(range->last)) {
        scan->last = arena_slice(txn->arena, range->last);
    } else { /* sorts after every key */
        uint8_t *highest = arena_alloc(txn->arena, STORE_BOUND_MAX);
        scan->last = slice_of(memset(highest, 0xff, STORE_BOUND_MAX), STORE_BOUND_MAX);
    }
    *ret_scan = &scan->base;
    return NULL;
}

struct error *postgres_scan_next(struct store_scan *base, bool *ret_found, struct slice *ret_key,
                                 struct slice *ret_value) {
    struct postgres_scan *scan = scan_of(base);
    if (scan->row == scan->rows && !scan->ended)
        TRY(turn_page(scan));
    *ret_found = scan->row < scan->rows;
    if (!*ret_found)
        return NULL;
    *ret_key = result_bytes(scan->page, scan->row, 0);
    *ret_value = result_bytes(scan->page, scan->row, 1);
    scan->row++;
    return NULL;
}

void postgres_scan_close(struct store_scan *base) {
    struct postgres_scan *scan = scan_of(base);
    struct postgres_txn *txn = postgres_of_txn(base->txn);
    if (txn->ahead == scan)
        postgres_scan_land(txn);
    libpq.clear(scan->page);
    libpq.clear(scan->next_page);
}
