/* copy.c - see copy.h. */
#include "store/copy.h"

#include "store/batch.h"

struct copy {
    const struct copy_options *options;
    struct arena *arena; /* of the reading transactions, and of errors */
    struct store_batch batch;
    size_t unreported; /* bytes */
    struct copy_totals totals;
};

struct record {
    bool found;
    struct slice key;
    struct slice value;
};

static struct error *scan_all(struct store_txn *txn, size_t keyspace,
                              struct store_scan **ret_scan) {
    struct store_range all = {(uint8_t)keyspace, SLICE_NONE, SLICE_NONE};
    return store_scan_open(txn, &all, false, ret_scan);
}

static struct error *next(struct store_scan *scan, struct record *ret_record) {
    return store_scan_next(scan, &ret_record->found, &ret_record->key, &ret_record->value);
}

static void report(struct copy *copy) {
    struct copy_observer *observer = copy->options->observer;
    copy->unreported = 0;
    if (observer != NULL)
        observer->report(observer, copy->totals.records, copy->totals.bytes);
}

static void count(struct copy *copy, const struct record *record) {
    size_t bytes = record->key.len + record->value.len;
    copy->totals.records++;
    copy->totals.bytes += bytes;
    copy->unreported += bytes;
    if (copy->unreported >= STORE_BATCH_BYTES)
        report(copy);
}

/* ---- copying ---- */

static struct error *put(struct copy *copy, size_t keyspace, const struct record *record) {
    struct store_key key = {(uint8_t)keyspace, record->key};
    TRY(store_batch_put(&copy->batch, copy->arena, &key, record->value));
    count(copy, record);
    return NULL;
}

static struct error *copy_keyspace(struct copy *copy, struct store_txn *txn, size_t keyspace) {
    struct store_scan *scan = NULL;
    struct record record = {.found = true};
    TRY(scan_all(txn, keyspace, &scan));
    struct error *error = NULL;
    while (error == NULL && record.found) {
        error = next(scan, &record);
        if (error == NULL && record.found)
            error = put(copy, keyspace, &record);
    }
    store_scan_close(scan);
    return error;
}

struct error *store_copy(struct arena *arena, const struct copy_options *options,
                         struct copy_totals *ret_totals) {
    struct copy copy = {.options = options, .arena = arena};
    struct store_txn *txn = NULL;
    TRY(store_begin(options->from, arena, STORE_READ, &txn));
    store_batch_init(&copy.batch, options->to);
    struct error *error = NULL;
    for (size_t i = 0; error == NULL && i < options->from->keyspace_count; i++)
        error = copy_keyspace(&copy, txn, i);
    if (error == NULL)
        error = store_batch_commit(&copy.batch, arena);
    store_batch_release(&copy.batch);
    store_end(txn);
    report(&copy);
    if (error == NULL)
        error = store_sync(options->to, arena);
    if (error == NULL)
        *ret_totals = copy.totals;
    return error;
}

/* ---- comparing ---- */

static bool same(const struct record *one, const struct record *other) {
    return one->found == other->found && (!one->found || (slice_equal(one->key, other->key) &&
                                                          slice_equal(one->value, other->value)));
}

static struct error *compare_scans(struct copy *copy, struct store_scan *from,
                                   struct store_scan *to) {
    struct record one = {.found = true}, other;
    while (one.found) {
        TRY(next(from, &one));
        TRY(next(to, &other));
        if (!same(&one, &other))
            return error_local(copy->arena,
                               "the copy differs from what was copied after %llu records",
                               (unsigned long long)copy->totals.records);
        if (one.found)
            count(copy, &one);
    }
    return NULL;
}

static struct error *compare_keyspace(struct copy *copy, struct store_txn *from,
                                      struct store_txn *to, size_t keyspace) {
    struct store_scan *one = NULL, *other = NULL;
    struct error *error = scan_all(from, keyspace, &one);
    if (error == NULL)
        error = scan_all(to, keyspace, &other);
    if (error == NULL)
        error = compare_scans(copy, one, other);
    store_scan_close(one);
    store_scan_close(other);
    return error;
}

struct error *store_compare(struct arena *arena, const struct copy_options *options,
                            struct copy_totals *ret_totals) {
    struct copy copy = {.options = options, .arena = arena};
    struct store_txn *from = NULL, *to = NULL;
    struct error *error = store_begin(options->from, arena, STORE_READ, &from);
    if (error == NULL)
        error = store_begin(options->to, arena, STORE_READ, &to);
    for (size_t i = 0; error == NULL && i < options->from->keyspace_count; i++)
        error = compare_keyspace(&copy, from, to, i);
    store_end(from);
    store_end(to);
    if (error == NULL)
        *ret_totals = copy.totals;
    return error;
}
