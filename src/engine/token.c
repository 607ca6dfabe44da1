/* token.c - records of request tokens, and forgetting them. */
#include "engine/token.h"

#include "base/bytes.h"
#include "model/limits.h"

enum {
    TOKEN_VERSION = 1,
    TOKEN_KEY_BYTES = 4 + SIPHASH_BYTES,
    FINGERPRINT_AT = 1 + 8,
    SIZES_AT = FINGERPRINT_AT + 16,
    END_KEY_BYTES = 4 + 8 + SIPHASH_BYTES,
    TRIM_MAX = 256,
};

/* ---- keys ---- */

static struct store_key catalog_key(const uint8_t *key, size_t len) {
    return (struct store_key){KEYSPACE_CATALOG, slice_of(key, len)};
}

static struct store_key token_key(struct arena *arena, const uint8_t hash[SIPHASH_BYTES]) {
    uint8_t *key = arena_zalloc(arena, TOKEN_KEY_BYTES);
    key[0] = 'I';
    memcpy(key + 4, hash, SIPHASH_BYTES);
    return catalog_key(key, TOKEN_KEY_BYTES);
}

static struct store_key end_key(struct arena *arena, uint64_t end_ms, const uint8_t *hash) {
    uint8_t *key = arena_zalloc(arena, END_KEY_BYTES);
    key[0] = 'X';
    store_u64_be(key + 4, end_ms);
    memcpy(key + 12, hash, SIPHASH_BYTES);
    return catalog_key(key, END_KEY_BYTES);
}

/* ---- in a group ---- */

struct slot *token_slot(struct group *group, const struct write_job *job) {
    if (!slice_present(job->transaction->token))
        return NULL;
    uint8_t hash[SIPHASH_BYTES];
    siphash128(group->engine->keys.secret, job->transaction->token, hash);
    return group_slot(group, NULL, token_key(group->arena, hash));
}

struct error *token_decode(const struct group *group, struct arena *arena, struct slice value,
                           struct token_record *ret_record) {
    *ret_record = (struct token_record){false, SLICE_NONE, SLICE_NONE};
    if (!slice_present(value))
        return NULL;
    if (value.len < SIZES_AT || value.data[0] != TOKEN_VERSION)
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR,
                         "the record of a request token is damaged or of a newer version");
    ret_record->lives = load_u64(value.data + 1) > group->now_ms;
    ret_record->fingerprint = slice_of(value.data + FINGERPRINT_AT, 16);
    ret_record->sizes = slice_skip(value, SIZES_AT);
    return NULL;
}

void token_remember(struct group *group, const struct write_job *job, struct slot *token) {
    uint64_t end_ms = group->now_ms + LIMIT_REQUEST_TOKEN_MS;
    size_t len = SIZES_AT + 4 * job->count;
    uint8_t *record = arena_alloc(group->arena, len);
    record[0] = TOKEN_VERSION;
    store_u64(record + 1, end_ms);
    memcpy(record + FINGERPRINT_AT, job->transaction->fingerprint, 16);
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        size_t size = write->old_size > write->new_size ? write->old_size : write->new_size;
        store_u32(record + SIZES_AT + 4 * i, (uint32_t)size);
    }
    token->current = slice_of(record, len);
    struct slot *end = group_slot(group, NULL, end_key(group->arena, end_ms, token->key.data + 4));
    end->current = slice_of(record, 0);
    if (group->engine->tokens_end_ms > (int64_t)end_ms)
        group->engine->tokens_end_ms = (int64_t)end_ms;
}

/* ---- forgetting ---- */

/* Keys of what has ended by then, at most TRIM_MAX of them, and when the next one will end. */
struct ended {
    struct slice keys[TRIM_MAX];
    size_t count;
    int64_t next_ms; /* INT64_MAX: there are no more */
};

/* Reads on until there is one that has not ended, or enough of those that have. */
static struct error *gather(struct store_scan *scan, struct arena *arena, uint64_t now_ms,
                            struct ended *ended) {
    ended->count = 0;
    ended->next_ms = INT64_MAX;
    for (;;) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        if (key.len != END_KEY_BYTES)
            continue;
        uint64_t end_ms = load_u64_be(key.data + 4);
        if (end_ms >= now_ms || ended->count == TRIM_MAX) {
            ended->next_ms = (int64_t)end_ms;
            return NULL;
        }
        ended->keys[ended->count++] = arena_slice(arena, key);
    }
}

/* Starts at the first end that is known, not at the beginning: a store may have to step over
 * everything that was deleted before it. */
static struct error *gather_ended(struct arena *arena, struct store_txn *txn, uint64_t first_ms,
                                  uint64_t now_ms, struct ended *ended) {
    uint8_t first[12] = {'X'};
    store_u64_be(first + 4, first_ms);
    struct store_range all = {KEYSPACE_CATALOG, slice_of(first, sizeof(first)), SLICE_LITERAL("Y")};
    struct store_scan *scan;
    TRY(store_scan_open(txn, &all, false, &scan));
    struct error *error = gather(scan, arena, now_ms, ended);
    store_scan_close(scan);
    return error;
}

struct error *token_load(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    struct ended *none = ARENA_NEW(arena, struct ended);
    TRY(gather_ended(arena, txn, 0, 0, none));
    engine->tokens_end_ms = none->next_ms;
    return NULL;
}

static void delete_ended(struct store_txn *txn, struct slice end, const struct store_key *token,
                         struct slice record) {
    struct store_key key = {KEYSPACE_CATALOG, end};
    store_delete(txn, &key);
    bool own = record.len >= SIZES_AT && load_u64(record.data + 1) == load_u64_be(end.data + 4);
    if (own)
        store_delete(txn, token);
}

static struct error *delete_all(struct engine *engine, struct arena *arena, struct store_txn *txn,
                                const struct ended *ended) {
    struct store_key *tokens = ARENA_ARRAY(arena, struct store_key, ended->count);
    struct slice *records = ARENA_ARRAY(arena, struct slice, ended->count);
    for (size_t i = 0; i < ended->count; i++)
        tokens[i] = token_key(arena, ended->keys[i].data + 12);
    TRY(store_get_many(txn, ended->count, tokens, records));
    for (size_t i = 0; i < ended->count; i++)
        delete_ended(txn, ended->keys[i], &tokens[i], records[i]);
    enum store_outcome outcome;
    TRY(store_commit(txn, STORE_RELAXED, &outcome));
    if (outcome == STORE_COMMITTED)
        engine->tokens_end_ms = ended->next_ms;
    return NULL;
}

static struct error *trim(struct engine *engine, struct arena *arena, uint64_t now_ms) {
    struct ended *ended = ARENA_NEW(arena, struct ended);
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_WRITE, &txn));
    struct error *error = gather_ended(arena, txn, (uint64_t)engine->tokens_end_ms, now_ms, ended);
    if (error == NULL && ended->count > 0)
        error = delete_all(engine, arena, txn, ended);
    else if (error == NULL)
        engine->tokens_end_ms = ended->next_ms;
    store_end(txn);
    return error;
}

struct error *token_trim(struct engine *engine, struct arena *arena, enum chore_state *ret_state) {
    int64_t now_ms = clock_now_ms(engine->options.clock);
    *ret_state = CHORE_ASLEEP;
    if (now_ms <= engine->tokens_end_ms)
        return NULL;
    TRY(trim(engine, arena, (uint64_t)now_ms));
    if (now_ms > engine->tokens_end_ms)
        *ret_state = CHORE_STEPPED;
    return NULL;
}
