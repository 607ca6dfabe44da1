/* checking.c - see checking.h. */
#include "engine/checking.h"

#include <stdarg.h>

#include "engine/check_place.h"

enum { REPORT_EVERY = 4096 }; /* records */

void checking_init(struct checking *checking, struct store *store, struct check_observer *observer,
                   struct check_summary *summary) {
    *checking = (struct checking){.store = store, .observer = observer, .summary = summary};
    *summary = (struct check_summary){.faults = 0};
    arena_init(&checking->scratch);
    owners_init(&checking->owners);
}

void checking_release(struct checking *checking) {
    owners_release(&checking->owners);
    arena_release(&checking->scratch);
}

/* ---- telling ---- */

static void tell(struct checking *checking, const struct store_key *key, struct slice value,
                 const char *format, va_list args) {
    struct arena *arena = &checking->scratch;
    struct slice text = arena_vprintf(arena, format, args);
    if (key != NULL) {
        struct slice place = check_place(arena, &checking->owners, key, value);
        text = arena_printf(arena, "%.*s: %.*s", SLICE_ARGS(place), SLICE_ARGS(text));
    }
    checking->summary->faults++;
    checking->observer->fault(checking->observer, text);
}

void checking_fault(struct checking *checking, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bool there = slice_present(checking->at_value);
    tell(checking, there ? &checking->at : NULL, checking->at_value, format, args);
    va_end(args);
}

void checking_fault_at(struct checking *checking, const struct store_key *key, const char *format,
                       ...) {
    va_list args;
    va_start(args, format);
    tell(checking, key, SLICE_NONE, format, args);
    va_end(args);
}

void checking_left_over(struct checking *checking) {
    checking->summary->left_over++;
}

/* ---- reading ---- */

/* Of a store that stands still for all transactions, or of one that nobody writes to. */
static struct error *begin_gets(struct checking *checking) {
    enum store_mode mode =
        store_can(checking->store, STORE_REMOTE) ? STORE_READ : STORE_READ_LATEST;
    if (checking->gets != NULL)
        return NULL;
    return store_begin(checking->store, &checking->scratch, mode, &checking->gets);
}

struct error *checking_get(struct checking *checking, size_t count, const struct store_key *keys,
                           struct slice *ret_values) {
    TRY(begin_gets(checking));
    return store_get_many(checking->gets, count, keys, ret_values);
}

struct error *checking_has_any(struct checking *checking, const struct store_range *range,
                               bool *ret_any) {
    struct store_scan *scan = NULL;
    struct slice key, value;
    TRY(begin_gets(checking));
    TRY(store_scan_open(checking->gets, range, false, &scan));
    struct error *error = store_scan_next(scan, ret_any, &key, &value);
    store_scan_close(scan);
    return error;
}

void checking_end_record(struct checking *checking) {
    checking->at_value = SLICE_NONE;
    store_end(checking->gets);
    checking->gets = NULL;
    arena_reset(&checking->scratch);
}

static void count(struct checking *checking, const struct store_key *key, struct slice value) {
    struct check_summary *summary = checking->summary;
    uint64_t *records = &summary->records[key->keyspace];
    summary->bytes += key->key.len + value.len;
    if (++*records % REPORT_EVERY != 0)
        return;
    uint64_t all = 0;
    for (size_t i = 0; i < KEYSPACE_COUNT; i++)
        all += summary->records[i];
    checking->observer->report(checking->observer, all, summary->bytes);
}

static void look_at(struct checking *checking, uint8_t keyspace, struct slice key,
                    struct slice value, check_record *check) {
    checking->at = (struct store_key){keyspace, key};
    checking->at_value = value;
    if (checking->counts)
        count(checking, &checking->at, value);
    struct error *error = check(checking, key, value);
    if (error != NULL)
        checking_fault(checking, "%.*s", SLICE_ARGS(error->message));
    checking_end_record(checking);
}

static struct error *scan(struct checking *checking, struct store_scan *scan, uint8_t keyspace,
                          check_record *check) {
    for (;;) {
        bool found = false;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        look_at(checking, keyspace, key, value, check);
    }
}

static struct error *scan_range(struct checking *checking, struct arena *arena,
                                const struct store_range *range, check_record *check) {
    struct store_txn *txn = NULL;
    struct store_scan *opened = NULL;
    TRY(store_begin(checking->store, arena, STORE_READ, &txn));
    struct error *error = store_scan_open(txn, range, false, &opened);
    if (error == NULL)
        error = scan(checking, opened, range->keyspace, check);
    store_scan_close(opened);
    store_end(txn);
    return error;
}

void checking_scan(struct checking *checking, const struct store_range *range,
                   check_record *check) {
    struct arena arena;
    arena_init(&arena);
    struct error *error = scan_range(checking, &arena, range, check);
    if (error != NULL) {
        checking->cut_short[range->keyspace] = true;
        checking_fault(checking, "keyspace %s cannot be read on: %.*s",
                       engine_keyspaces[range->keyspace].name, SLICE_ARGS(error->message));
    }
    arena_release(&arena);
}

void checking_scan_all(struct checking *checking, uint8_t keyspace, check_record *check) {
    struct store_range all = {keyspace, SLICE_NONE, SLICE_NONE};
    checking->counts = true;
    checking_scan(checking, &all, check);
    checking->counts = false;
}
