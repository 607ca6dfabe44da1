/* token.c - records of request tokens, and forgetting them. */
#include "engine/token.h"

#include "engine/keyspace.h"
#include "model/limits.h"

enum { TRIM_MAX = 256 };

/* ---- in a group ---- */

struct slot *token_slot(struct group *group, const struct write_job *job) {
    if (!slice_present(job->transaction->token))
        return NULL;
    uint8_t hash[SIPHASH_BYTES];
    siphash128(group->engine->keys.secret, job->transaction->token, hash);
    struct slice key = token_key(group->arena, slice_of(hash, sizeof(hash)));
    return group_slot(group, NULL, catalog_key(key));
}

static const uint32_t *sizes_of(struct arena *arena, const struct write_job *job) {
    uint32_t *sizes = ARENA_ARRAY(arena, uint32_t, job->count);
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        size_t size = write->old_size > write->new_size ? write->old_size : write->new_size;
        sizes[i] = (uint32_t)size;
    }
    return sizes;
}

void token_remember(struct group *group, const struct write_job *job, struct slot *token) {
    uint64_t end_ms = group->now_ms + LIMIT_REQUEST_TOKEN_MS;
    struct token_record record = {
        .end_ms = end_ms,
        .fingerprint = slice_of(job->transaction->fingerprint, TOKEN_FINGERPRINT_BYTES),
        .sizes = sizes_of(group->arena, job),
        .size_count = job->count,
    };
    token->current = token_encode(group->arena, &record);
    struct slice end_key = token_end_key(group->arena, end_ms, catalog_key_hash(token->key));
    struct slot *end = group_slot(group, NULL, catalog_key(end_key));
    end->current = slice_of(token->current.data, 0);
    if (group->engine->tokens_end_ms > (int64_t)end_ms)
        group->engine->tokens_end_ms = (int64_t)end_ms;
}

/* ---- forgetting ---- */

struct ended_token {
    struct slice end_key;
    uint64_t end_ms;
    struct slice hash;
};

/* What has ended by then, at most TRIM_MAX of it, and when the next one will end. */
struct ended {
    struct ended_token tokens[TRIM_MAX];
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
        struct ended_token token = {.end_key = arena_slice(arena, key)};
        if (!catalog_key_read_ms_hash(token.end_key, &token.end_ms, &token.hash))
            continue;
        if (token.end_ms >= now_ms || ended->count == TRIM_MAX) {
            ended->next_ms = (int64_t)token.end_ms;
            return NULL;
        }
        ended->tokens[ended->count++] = token;
    }
}

/* Starts at the first end that is known, not at the beginning: a store may have to step over
 * everything that was deleted before it. */
static struct error *gather_ended(struct arena *arena, struct store_txn *txn, uint64_t first_ms,
                                  uint64_t now_ms, struct ended *ended) {
    struct store_range all = range_in(KEYSPACE_CATALOG, token_end_key_range(arena));
    all.first = token_end_key(arena, first_ms, SLICE_NONE);
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

static void delete_ended(struct store_txn *txn, const struct ended_token *ended,
                         const struct store_key *token, struct slice bytes) {
    struct store_key key = catalog_key(ended->end_key);
    struct token_record record;
    store_delete(txn, &key);
    if (token_decode(txn->arena, bytes, &record) == NULL && record.end_ms == ended->end_ms)
        store_delete(txn, token);
}

static struct error *delete_all(struct engine *engine, struct arena *arena, struct store_txn *txn,
                                const struct ended *ended) {
    struct store_key *tokens = ARENA_ARRAY(arena, struct store_key, ended->count);
    struct slice *records = ARENA_ARRAY(arena, struct slice, ended->count);
    for (size_t i = 0; i < ended->count; i++)
        tokens[i] = catalog_key(token_key(arena, ended->tokens[i].hash));
    TRY(store_get_many(txn, ended->count, tokens, records));
    for (size_t i = 0; i < ended->count; i++)
        delete_ended(txn, &ended->tokens[i], &tokens[i], records[i]);
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
