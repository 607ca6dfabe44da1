/* copy.c - see copy.h. */
#include "store/copy.h"

#include "base/buffer.h"
#include "base/bytes.h"
#include "store/batch.h"

enum { HASHED_BYTES = 64 * 1024, HASHED_BYTES_MAX = 1 << 30 };

struct copy {
    const struct copy_options *options;
    struct arena *arena; /* of the reading transactions, and of errors */
    struct store_batch batch;
    size_t unreported; /* bytes */
    struct copy_totals totals;
    struct digest *digest;
    struct buffer hashed; /* the hash of what came before, and records since */
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

static void count(struct copy *copy, size_t keyspace, const struct record *record) {
    size_t bytes = record->key.len + record->value.len;
    copy->totals.records++;
    copy->totals.bytes += bytes;
    copy->totals.keyspaces[keyspace].records++;
    copy->totals.keyspaces[keyspace].bytes += bytes;
    copy->unreported += bytes;
    if (copy->unreported >= STORE_BATCH_BYTES)
        report(copy);
}

/* ---- copying ---- */

static struct error *put(struct copy *copy, size_t keyspace, const struct record *record) {
    struct store_key key = {(uint8_t)keyspace, record->key};
    TRY(store_batch_put(&copy->batch, copy->arena, &key, record->value));
    count(copy, keyspace, record);
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

/* ---- hashing ---- */

static void hash_begin(struct copy *copy) {
    static const uint8_t none[SHA256_BYTES];
    buffer_reset(&copy->hashed);
    buffer_append(&copy->hashed, none, sizeof(none));
}

static void hash_end(struct copy *copy, uint8_t ret_hash[SHA256_BYTES]) {
    digest_sha256(copy->digest, buffer_slice(&copy->hashed), ret_hash);
}

static void hash_bytes(struct copy *copy, struct slice bytes) {
    uint8_t len[4];
    store_u32_be(len, (uint32_t)bytes.len);
    buffer_append(&copy->hashed, len, sizeof(len));
    buffer_append_slice(&copy->hashed, bytes);
}

static void hash_record(struct copy *copy, const struct record *record) {
    hash_bytes(copy, record->key);
    hash_bytes(copy, record->value);
    if (copy->hashed.len < HASHED_BYTES)
        return;
    uint8_t hash[SHA256_BYTES];
    hash_end(copy, hash);
    buffer_reset(&copy->hashed);
    buffer_append(&copy->hashed, hash, sizeof(hash));
}

/* ---- comparing ---- */

static bool same(const struct record *one, const struct record *other) {
    return one->found == other->found && (!one->found || (slice_equal(one->key, other->key) &&
                                                          slice_equal(one->value, other->value)));
}

static struct error *compare_scans(struct copy *copy, size_t keyspace, struct store_scan *from,
                                   struct store_scan *to) {
    struct record one = {.found = true}, other;
    while (one.found) {
        TRY(next(from, &one));
        TRY(next(to, &other));
        if (!same(&one, &other))
            return error_local(copy->arena,
                               "the copy differs from what was copied after %llu records",
                               (unsigned long long)copy->totals.records);
        if (one.found) {
            count(copy, keyspace, &one);
            hash_record(copy, &one);
        }
    }
    return NULL;
}

static struct error *compare_keyspace(struct copy *copy, struct store_txn *from,
                                      struct store_txn *to, size_t keyspace) {
    struct store_scan *one = NULL, *other = NULL;
    struct error *error = scan_all(from, keyspace, &one);
    if (error == NULL)
        error = scan_all(to, keyspace, &other);
    hash_begin(copy);
    if (error == NULL)
        error = compare_scans(copy, keyspace, one, other);
    hash_end(copy, copy->totals.hashes[keyspace]);
    store_scan_close(one);
    store_scan_close(other);
    return error;
}

struct error *store_compare(struct arena *arena, const struct copy_options *options,
                            struct copy_totals *ret_totals) {
    struct copy copy = {.options = options, .arena = arena};
    struct store_txn *from = NULL, *to = NULL;
    TRY(digest_new(arena, &copy.digest));
    buffer_init(&copy.hashed, HASHED_BYTES_MAX);
    struct error *error = store_begin(options->from, arena, STORE_READ, &from);
    if (error == NULL)
        error = store_begin(options->to, arena, STORE_READ, &to);
    for (size_t i = 0; error == NULL && i < options->from->keyspace_count; i++)
        error = compare_keyspace(&copy, from, to, i);
    store_end(from);
    store_end(to);
    buffer_release(&copy.hashed);
    digest_free(copy.digest);
    if (error == NULL)
        *ret_totals = copy.totals;
    return error;
}

/* ---- nothing ---- */

static struct error *has_record(struct store_txn *txn, size_t keyspace, bool *ret_found) {
    struct store_scan *scan = NULL;
    struct record record = {.found = false};
    TRY(scan_all(txn, keyspace, &scan));
    struct error *error = next(scan, &record);
    store_scan_close(scan);
    *ret_found = record.found;
    return error;
}

struct error *store_is_empty(struct arena *arena, struct store *store, bool *ret_empty) {
    struct store_txn *txn = NULL;
    struct error *error = NULL;
    bool found = false;
    TRY(store_begin(store, arena, STORE_READ, &txn));
    for (size_t i = 0; error == NULL && !found && i < store->keyspace_count; i++)
        error = has_record(txn, i, &found);
    store_end(txn);
    *ret_empty = !found;
    return error;
}
