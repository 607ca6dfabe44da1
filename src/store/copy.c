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
    struct store_key key;
    struct slice value;
};

/* All records of a keyspace, as they are seen. */
struct reading {
    struct store_sight *sight;
    struct store_scan *scan;
};

static struct error *scan_all(struct store_txn *txn, size_t keyspace,
                              struct store_scan **ret_scan) {
    struct store_range all = {(uint8_t)keyspace, SLICE_NONE, SLICE_NONE};
    return store_scan_open(txn, &all, false, ret_scan);
}

static struct error *next(const struct reading *reading, size_t keyspace,
                          struct record *ret_record) {
    ret_record->key.keyspace = (uint8_t)keyspace;
    return store_sight_next(reading->sight, reading->scan, &ret_record->found, &ret_record->key,
                            &ret_record->value);
}

static void report(struct copy *copy) {
    struct copy_observer *observer = copy->options->observer;
    copy->unreported = 0;
    if (observer != NULL)
        observer->report(observer, copy->totals.records, copy->totals.bytes);
}

static void count(struct copy *copy, const struct record *record) {
    struct copy_count *keyspace = &copy->totals.keyspaces[record->key.keyspace];
    size_t bytes = record->key.key.len + record->value.len;
    copy->totals.records++;
    copy->totals.bytes += bytes;
    keyspace->records++;
    keyspace->bytes += bytes;
    copy->unreported += bytes;
    if (copy->unreported >= STORE_BATCH_BYTES)
        report(copy);
}

/* ---- copying ---- */

static struct error *put(struct copy *copy, const struct record *record) {
    TRY(store_batch_put(&copy->batch, copy->arena, &record->key, record->value));
    count(copy, record);
    return NULL;
}

static struct error *copy_keyspace(struct copy *copy, struct store_txn *txn,
                                   struct store_sight *sight, size_t keyspace) {
    struct reading from = {.sight = sight};
    struct record record = {.found = true};
    TRY(scan_all(txn, keyspace, &from.scan));
    struct error *error = NULL;
    while (error == NULL && record.found) {
        error = next(&from, keyspace, &record);
        if (error == NULL && record.found)
            error = put(copy, &record);
    }
    store_scan_close(from.scan);
    return error;
}

struct error *store_copy(struct arena *arena, const struct copy_options *options,
                         struct copy_totals *ret_totals) {
    struct copy copy = {.options = options, .arena = arena};
    struct store_txn *txn = NULL;
    TRY(store_begin(options->from, arena, STORE_READ, &txn));
    store_batch_init(&copy.batch, options->to);
    struct store_sight *sight = NULL;
    struct error *error = store_sight_open(options->look, txn, &sight);
    for (size_t i = 0; error == NULL && i < options->from->keyspace_count; i++)
        error = copy_keyspace(&copy, txn, sight, i);
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
    hash_bytes(copy, record->key.key);
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
    return one->found == other->found &&
           (!one->found ||
            (slice_equal(one->key.key, other->key.key) && slice_equal(one->value, other->value)));
}

static struct error *compare_scans(struct copy *copy, size_t keyspace, const struct reading *from,
                                   const struct reading *to) {
    struct record one = {.found = true}, other;
    while (one.found) {
        TRY(next(from, keyspace, &one));
        TRY(next(to, keyspace, &other));
        if (!same(&one, &other))
            return error_local(copy->arena,
                               "the copy differs from what was copied after %llu records",
                               (unsigned long long)copy->totals.records);
        if (one.found) {
            count(copy, &one);
            hash_record(copy, &one);
        }
    }
    return NULL;
}

/* A store that is read to its end, and how. */
struct compared {
    struct store_txn *txn;
    struct reading reading;
};

static struct error *compare_keyspace(struct copy *copy, struct compared both[2], size_t keyspace) {
    struct error *error = NULL;
    for (size_t i = 0; i < 2; i++) {
        both[i].reading.scan = NULL;
        if (error == NULL)
            error = scan_all(both[i].txn, keyspace, &both[i].reading.scan);
    }
    hash_begin(copy);
    if (error == NULL)
        error = compare_scans(copy, keyspace, &both[0].reading, &both[1].reading);
    hash_end(copy, copy->totals.hashes[keyspace]);
    for (size_t i = 0; i < 2; i++)
        store_scan_close(both[i].reading.scan);
    return error;
}

static struct error *compare_begin(struct arena *arena, const struct copy_options *options,
                                   struct store *store, struct compared *compared) {
    TRY(store_begin(store, arena, STORE_READ, &compared->txn));
    return store_sight_open(options->look, compared->txn, &compared->reading.sight);
}

struct error *store_compare(struct arena *arena, const struct copy_options *options,
                            struct copy_totals *ret_totals) {
    struct copy copy = {.options = options, .arena = arena};
    struct compared both[2] = {0};
    TRY(digest_new(arena, &copy.digest));
    buffer_init(&copy.hashed, HASHED_BYTES_MAX);
    struct error *error = compare_begin(arena, options, options->from, &both[0]);
    if (error == NULL)
        error = compare_begin(arena, options, options->to, &both[1]);
    for (size_t i = 0; error == NULL && i < options->from->keyspace_count; i++)
        error = compare_keyspace(&copy, both, i);
    store_end(both[0].txn);
    store_end(both[1].txn);
    buffer_release(&copy.hashed);
    digest_free(copy.digest);
    if (error == NULL)
        *ret_totals = copy.totals;
    return error;
}

/* ---- nothing ---- */

static struct error *has_record(struct store_txn *txn, size_t keyspace, bool *ret_found) {
    struct reading reading = {.sight = NULL};
    struct record record = {.found = false};
    TRY(scan_all(txn, keyspace, &reading.scan));
    struct error *error = next(&reading, keyspace, &record);
    store_scan_close(reading.scan);
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
