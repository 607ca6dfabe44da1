/* gets.c - many keys as few statements, and their rows as values again.
 *
 * The keys of a keyspace are one statement, in the order of their bytes, which the server likes
 * too. Rows come back in whatever order it has. Memory: the caller's arena. */
#include <stdlib.h>

#include "store/postgres/internal.h"

static int compare_keys(const struct store_key *one, const struct store_key *other) {
    if (one->keyspace != other->keyspace)
        return one->keyspace < other->keyspace ? -1 : 1;
    return slice_compare(one->key, other->key);
}

static int compare_places(const void *one, const void *other, void *user) {
    const struct store_key *keys = user;
    return compare_keys(&keys[*(const size_t *)one], &keys[*(const size_t *)other]);
}

struct gets gets_of(struct arena *arena, size_t count, const struct store_key *keys) {
    struct gets gets = {keys, ARENA_ARRAY(arena, size_t, count), count};
    for (size_t i = 0; i < count; i++)
        gets.order[i] = i;
    if (count > 1)
        qsort_r(gets.order, count, sizeof(size_t), compare_places, (void *)(uintptr_t)keys);
    return gets;
}

static const struct store_key *key_at(const struct gets *gets, size_t i) {
    return &gets->keys[gets->order[i]];
}

/* The end of the keys of one keyspace that begin at `from`. */
static size_t same_keyspace(const struct gets *gets, size_t from) {
    size_t to = from + 1;
    while (to < gets->count && key_at(gets, to)->keyspace == key_at(gets, from)->keyspace)
        to++;
    return to;
}

static void send_get(const struct gets *gets, struct postgres_store *store, struct session *session,
                     struct buffer *array, size_t from, size_t to) {
    uint8_t keyspace = key_at(gets, from)->keyspace;
    if (to - from == 1) {
        struct parameter key = parameter_of(key_at(gets, from)->key);
        session_send(session, store->statements[keyspace][STATEMENT_GET], &key, 1);
        return;
    }
    array_begin(array);
    for (size_t i = from; i < to; i++)
        array_add(array, key_at(gets, i)->key);
    struct parameter keys = array_end(array, to - from);
    session_send(session, store->statements[keyspace][STATEMENT_GET_MANY], &keys, 1);
}

size_t gets_send(const struct gets *gets, struct postgres_store *store, struct session *session,
                 struct buffer *array) {
    size_t sent = 0;
    for (size_t from = 0, to; from < gets->count; from = to, sent++) {
        to = same_keyspace(gets, from);
        send_get(gets, store, session, array, from, to);
    }
    return sent;
}

/* The first of the keys from `from` to `to` that is not before it. */
static size_t find_key(const struct gets *gets, size_t from, size_t to, struct slice key) {
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (slice_compare(key_at(gets, middle)->key, key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A key may have been asked for twice. */
static void take_values(const struct gets *gets, size_t from, size_t to, const PGresult *result,
                        struct slice *ret_values) {
    int rows = libpq.ntuples(result);
    if (to - from == 1) {
        if (rows > 0)
            ret_values[gets->order[from]] = result_bytes(result, 0, 0);
        return;
    }
    for (int row = 0; row < rows; row++) {
        struct slice key = result_bytes(result, row, 0);
        for (size_t i = find_key(gets, from, to, key);
             i < to && slice_equal(key_at(gets, i)->key, key); i++)
            ret_values[gets->order[i]] = result_bytes(result, row, 1);
    }
}

size_t gets_take(const struct gets *gets, PGresult *const *results, struct slice *ret_values) {
    size_t place = 0;
    for (size_t i = 0; i < gets->count; i++)
        ret_values[i] = SLICE_NONE;
    for (size_t from = 0, to; from < gets->count; from = to, place++) {
        to = same_keyspace(gets, from);
        take_values(gets, from, to, results[place], ret_values);
    }
    return place;
}
