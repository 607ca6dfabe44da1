/* series_keep.c - see series_keep.h. */
#include "cloudwatch/series_keep.h"

#include <stdlib.h>
#include <time.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/log.h"
#include "cloudwatch/series_departure.h"
#include "cloudwatch/series_records.h"
#include "cloudwatch/series_state.h"

enum { PIECE_BYTES_MAX = 2 << 20, PIECES_MAX = 64, NAME_DIGITS = 16 };
enum { TAG_METRIC = 'm', TAG_POINT = 'p' };

/* ---- writing the journal ---- */

/* Its pieces, each a record; the last one takes the rest. */
struct journal {
    struct arena *arena;
    size_t piece_bytes;
    struct buffer piece;
    struct slice pieces[PIECES_MAX];
    size_t count;
};

static void end_piece(struct journal *journal) {
    if (journal->piece.len > 1)
        journal->pieces[journal->count++] =
            arena_slice(journal->arena, buffer_slice(&journal->piece));
    buffer_reset(&journal->piece);
    buffer_append_byte(&journal->piece, SERIES_BLOCK_VERSION);
}

static void put_head(struct journal *journal, uint8_t tag, uint32_t id) {
    uint8_t head[5] = {tag};
    if (journal->piece.len > journal->piece_bytes && journal->count < PIECES_MAX - 1)
        end_piece(journal);
    store_u32(head + 1, id);
    buffer_append(&journal->piece, head, sizeof(head));
}

static void put_metric(struct journal *journal, const struct entry *entry) {
    uint8_t len[4];
    put_head(journal, TAG_METRIC, entry->id);
    store_u32(len, (uint32_t)entry->key_len);
    buffer_append(&journal->piece, len, sizeof(len));
    buffer_append_slice(&journal->piece, entry_key(entry));
}

static void put_entry(struct journal *journal, struct entry *entry, bool all) {
    if (!entry->told || (all && !entry->stored))
        put_metric(journal, entry);
    entry->told = true;
    entry->dirty = false;
    for (uint32_t i = 0; i < entry->pending.count; i++) {
        struct point *point = &entry->pending.list[i];
        if (!point->dirty && !all)
            continue;
        put_head(journal, TAG_POINT, entry->id);
        block_put(&journal->piece, point);
        point->dirty = false;
    }
}

static void gather(struct series_store *store, struct journal *journal, uint32_t *ret_turn) {
    pthread_mutex_lock(&store->lock);
    bool all = store->rewrite;
    for (size_t i = 0; i < ENTRY_CHAINS; i++)
        for (struct entry *entry = store->by_id[i]; entry != NULL; entry = entry->next_by_id)
            if (entry->dirty || (all && entry->pending.count > 0))
                put_entry(journal, entry, all);
    store->dirty = store->rewrite = false;
    *ret_turn = store->turn;
    pthread_mutex_unlock(&store->lock);
    end_piece(journal);
}

static struct error *write_journal(struct series_store *store, struct arena *arena) {
    struct record changes[PIECES_MAX] = {0};
    struct journal *journal = ARENA_NEW(arena, struct journal);
    uint32_t turn;
    journal->arena = arena;
    journal->piece_bytes = store->options.piece_bytes;
    buffer_init(&journal->piece, (size_t)PIECES_MAX * PIECE_BYTES_MAX);
    end_piece(journal);
    gather(store, journal, &turn);
    buffer_release(&journal->piece);
    for (size_t i = 0; i < journal->count; i++)
        changes[i] = (struct record){.kind = SLICE_LITERAL(SERIES_JOURNAL),
                                     .name = series_name(arena, turn, ++store->journal_number),
                                     .value = journal->pieces[i]};
    if (journal->count == 0)
        return NULL;
    return engine_change_records(store->options.engine, arena, changes, journal->count);
}

/* ---- when ---- */

static bool is_turn_over(struct series_store *store) {
    pthread_mutex_lock(&store->lock);
    bool full = store->pending_bytes > store->options.pending_bytes;
    int32_t hour = series_now_minute(store) / MINUTES_PER_HOUR;
    bool over =
        store->departure != NULL || full || (store->turn_hour >= 0 && store->turn_hour != hour);
    pthread_mutex_unlock(&store->lock);
    return over;
}

/* What could not be written is tried again, whole: which part of it came through is not known. */
static void try_again(struct series_store *store) {
    pthread_mutex_lock(&store->lock);
    store->dirty = store->rewrite = true;
    store->write_at_ms = series_now_ms() + SERIES_WRITE_MS;
    pthread_mutex_unlock(&store->lock);
}

struct error *series_keep_write(struct series_store *store, struct arena *arena) {
    pthread_mutex_lock(&store->writing);
    struct error *error = write_journal(store, arena);
    if (error == NULL && is_turn_over(store))
        error = series_depart(store, arena);
    if (error != NULL)
        try_again(store);
    pthread_mutex_unlock(&store->writing);
    return error;
}

static void write_and_log(struct series_store *store) {
    struct arena arena;
    arena_init(&arena);
    struct error *error = series_keep_write(store, &arena);
    if (error != NULL)
        log_repeated_error("metrics: %.*s", SLICE_ARGS(error->message));
    arena_release(&arena);
}

/* Until there is something to write, and its time has come. */
static void wait(struct series_store *store) {
    while (!store->stopping) {
        if (!store->dirty) {
            pthread_cond_wait(&store->wake, &store->lock);
            continue;
        }
        int64_t at = store->write_at_ms;
        bool full = store->pending_bytes > store->options.pending_bytes && !store->rewrite;
        if (full || series_now_ms() >= at)
            return;
        struct timespec until = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
        pthread_cond_timedwait(&store->wake, &store->lock, &until);
    }
}

static void *keep(void *argument) {
    struct series_store *store = argument;
    pthread_mutex_lock(&store->lock);
    for (;;) {
        wait(store);
        if (store->stopping)
            break;
        pthread_mutex_unlock(&store->lock);
        write_and_log(store);
        pthread_mutex_lock(&store->lock);
    }
    pthread_mutex_unlock(&store->lock);
    return NULL;
}

struct error *series_keep_start(struct series_store *store, struct arena *arena) {
    if (pthread_create(&store->thread, NULL, keep, store) != 0)
        return error_local(arena, "the thread of the metrics did not start");
    store->has_thread = true;
    return NULL;
}

void series_keep_stop(struct series_store *store) {
    if (store->has_thread) {
        pthread_mutex_lock(&store->lock);
        store->stopping = true;
        pthread_cond_signal(&store->wake);
        pthread_mutex_unlock(&store->lock);
        pthread_join(store->thread, NULL);
        if (store->dirty)
            write_and_log(store);
    }
    departure_release(store);
}

/* ---- loading ---- */

static bool read_hex(struct slice text, uint32_t *ret_n) {
    char digits[9] = {0}, *end;
    if (text.len < 8)
        return false;
    memcpy(digits, text.data, 8);
    *ret_n = (uint32_t)strtoul(digits, &end, 16);
    return end == digits + 8;
}

static struct error *damaged(struct arena *arena, const struct record *record) {
    return error_local(arena, "the record %.*s '%.*s' is damaged", SLICE_ARGS(record->kind),
                       SLICE_ARGS(record->name));
}

static struct error *load_state(struct series_store *store, struct arena *arena) {
    struct record state = {.kind = SLICE_LITERAL(SERIES_STATE), .name = SLICE_LITERAL("turn")};
    TRY(engine_find_records(store->options.engine, arena, &state, 1));
    if (!slice_present(state.value))
        return NULL;
    if (state.value.len != 4)
        return damaged(arena, &state);
    store->turn = load_u32(state.value.data);
    return NULL;
}

static bool is_metric(struct arena *arena, struct slice key) {
    struct metric metric;
    return metric_decode(arena, key, &metric);
}

static struct error *load_metrics(struct series_store *store, struct arena *arena) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(store->options.engine, arena, SLICE_LITERAL(SERIES_METRIC), &records,
                            &count));
    for (size_t i = 0; i < count; i++) {
        struct slice value = records[i].value;
        uint32_t id;
        if (!read_hex(records[i].name, &id) || value.len < 5 ||
            value.data[0] != SERIES_BLOCK_VERSION || !is_metric(arena, slice_skip(value, 5)))
            return damaged(arena, &records[i]);
        struct slice key = slice_skip(value, 5);
        struct entry *before = entry_find(store, key);
        if (before != NULL)
            entry_drop(store, before);
        struct entry *entry = entry_add(store, key, id);
        entry->told = entry->stored = true;
        entry->last_minute = (int32_t)load_u32(value.data + 1);
    }
    return NULL;
}

static bool load_metric(struct series_store *store, struct arena *arena, uint32_t id,
                        struct slice *bytes) {
    if (bytes->len < 4)
        return false;
    uint32_t len = load_u32(bytes->data);
    if (len > bytes->len - 4)
        return false;
    struct slice key = slice_part(*bytes, 4, len);
    *bytes = slice_skip(*bytes, 4 + (size_t)len);
    if (!is_metric(arena, key))
        return false;
    struct entry *before = entry_find(store, key);
    if (before != NULL && before->id == id)
        return true;
    if (before != NULL) /* it had gone, and came again */
        entry_drop(store, before);
    entry_add(store, key, id)->told = true;
    return true;
}

static bool load_point(struct series_store *store, struct arena *arena, uint32_t id,
                       struct slice *bytes) {
    struct point read = {.sample.arena = arena};
    if (!block_next(bytes, &read))
        return false;
    struct entry *entry = entry_find_id(store, id);
    if (entry == NULL)
        return true; /* it has gone */
    struct point *point = points_at(&entry->pending, read.minute);
    size_t before = point->sample.count > 0 ? sizeof(*point) + sample_bytes(&point->sample) : 0;
    point->sample.count = 0; /* the last one counts */
    sample_merge(&point->sample, &read.sample);
    if (read.minute > entry->last_minute)
        entry->last_minute = read.minute;
    store->pending_bytes += sizeof(*point) + sample_bytes(&point->sample) - before;
    return true;
}

static bool load_piece(struct series_store *store, struct arena *arena, struct slice bytes) {
    if (bytes.len < 1 || bytes.data[0] != SERIES_BLOCK_VERSION)
        return false;
    bytes = slice_skip(bytes, 1);
    while (bytes.len >= 5) {
        uint8_t tag = bytes.data[0];
        uint32_t id = load_u32(bytes.data + 1);
        bytes = slice_skip(bytes, 5);
        bool fine = tag == TAG_METRIC  ? load_metric(store, arena, id, &bytes)
                    : tag == TAG_POINT ? load_point(store, arena, id, &bytes)
                                       : false;
        if (!fine)
            return false;
    }
    return bytes.len == 0;
}

/* What is in it departs before anything is added: a departure of its turn may have come half way.
 * A journal of two turns is put away one after the other. */
static struct error *load_journal(struct series_store *store, struct arena *arena) {
    struct record *records;
    size_t count;
    TRY(engine_read_records(store->options.engine, arena, SLICE_LITERAL(SERIES_JOURNAL), &records,
                            &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t turn;
        if (records[i].name.len != NAME_DIGITS || !read_hex(records[i].name, &turn) ||
            !read_hex(slice_skip(records[i].name, 8), &store->journal_number))
            return damaged(arena, &records[i]);
        if (turn > store->turn && store->pending_bytes > 0)
            TRY(series_depart(store, arena));
        store->turn = turn > store->turn ? turn : store->turn;
        if (!load_piece(store, arena, records[i].value))
            return damaged(arena, &records[i]);
    }
    return store->pending_bytes > 0 ? series_depart(store, arena) : NULL;
}

struct error *series_keep_load(struct series_store *store, struct arena *arena) {
    TRY(load_state(store, arena));
    TRY(load_metrics(store, arena));
    return load_journal(store, arena);
}
