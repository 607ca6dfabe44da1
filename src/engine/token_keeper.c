/* token_keeper.c - finding and deleting what has ended. */
#include "engine/token_keeper.h"

#include "codec/token.h"
#include "engine/keyspace.h"

enum { TRIM_MAX = 256 };

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

struct error *token_keeper_load(struct token_keeper *keeper, struct arena *arena,
                                struct store_txn *txn) {
    struct ended *none = ARENA_NEW(arena, struct ended);
    TRY(gather_ended(arena, txn, 0, 0, none));
    keeper->end_ms = none->next_ms;
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

static struct error *delete_all(struct token_keeper *keeper, struct arena *arena,
                                struct store_txn *txn, const struct ended *ended) {
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
        keeper->end_ms = ended->next_ms;
    return NULL;
}

static struct error *trim(struct token_keeper *keeper, struct store *store, struct arena *arena,
                          uint64_t now_ms) {
    struct ended *ended = ARENA_NEW(arena, struct ended);
    struct store_txn *txn;
    TRY(store_begin(store, arena, STORE_WRITE, &txn));
    store_touch(txn, STORE_NO_GROUPS);
    struct error *error = gather_ended(arena, txn, (uint64_t)keeper->end_ms, now_ms, ended);
    if (error == NULL && ended->count > 0)
        error = delete_all(keeper, arena, txn, ended);
    else if (error == NULL)
        keeper->end_ms = ended->next_ms;
    store_end(txn);
    return error;
}

struct error *token_keeper_trim(struct token_keeper *keeper, struct store *store,
                                struct arena *arena, int64_t now_ms, enum chore_state *ret_state) {
    *ret_state = CHORE_ASLEEP;
    if (now_ms <= keeper->end_ms)
        return NULL;
    TRY(trim(keeper, store, arena, (uint64_t)now_ms));
    if (now_ms > keeper->end_ms)
        *ret_state = CHORE_STEPPED;
    return NULL;
}
