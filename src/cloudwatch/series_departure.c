/* series_departure.c - see series_departure.h. */
#include "cloudwatch/series_departure.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "cloudwatch/series_records.h"
#include "cloudwatch/series_state.h"

enum { BATCH_RECORDS = 512, BATCH_BYTES = 4 << 20, BLOCK_BYTES_MAX = 1 << 20 };

struct leaving {
    uint32_t id;
    int32_t last_minute;
    struct slice key;
    struct points points;
};

struct departure {
    uint32_t turn;
    struct arena arena; /* of the keys */
    struct leaving *list;
    size_t count;
};

/* Changes that are gathered and made some hundreds at a time. */
struct batch {
    struct series_store *store;
    struct arena arena;
    struct record *changes;
    size_t count;
    size_t bytes;
};

static void batch_init(struct batch *batch, struct series_store *store) {
    *batch = (struct batch){.store = store};
    arena_init(&batch->arena);
    batch->changes = calloc(BATCH_RECORDS, sizeof(*batch->changes));
    CHECK(batch->changes != NULL);
}

static void batch_release(struct batch *batch) {
    arena_release(&batch->arena);
    free(batch->changes);
}

static struct error *batch_commit(struct batch *batch) {
    if (batch->count > 0)
        TRY(engine_change_records(batch->store->options.engine, &batch->arena, batch->changes,
                                  batch->count));
    batch->count = batch->bytes = 0;
    arena_reset(&batch->arena);
    return NULL;
}

static struct error *batch_add(struct batch *batch, struct record change) {
    batch->changes[batch->count++] = change;
    batch->bytes += change.name.len + change.value.len;
    return batch->count == BATCH_RECORDS || batch->bytes > BATCH_BYTES ? batch_commit(batch) : NULL;
}

/* ---- beginning ---- */

static void take_pending(struct series_store *store, struct departure *departure) {
    for (size_t i = 0; i < ENTRY_CHAINS; i++)
        for (struct entry *entry = store->by_id[i]; entry != NULL; entry = entry->next_by_id) {
            if (entry->pending.count == 0)
                continue;
            struct leaving *leaving = &departure->list[departure->count++];
            *leaving = (struct leaving){.id = entry->id,
                                        .last_minute = entry->last_minute,
                                        .key = arena_slice(&departure->arena, entry_key(entry)),
                                        .points = entry->pending};
            entry->leaving = &leaving->points;
            entry->pending = (struct points){0};
            entry->dirty = false;
            entry->told = true; /* its record comes with this turn */
        }
}

/* What is not in the journal yet goes to the blocks at once. */
static void begin(struct series_store *store) {
    struct departure *departure = calloc(1, sizeof(*departure));
    CHECK(departure != NULL);
    arena_init(&departure->arena);
    pthread_mutex_lock(&store->lock);
    departure->list = calloc(store->entry_count + 1, sizeof(*departure->list));
    CHECK(departure->list != NULL);
    departure->turn = store->turn++;
    take_pending(store, departure);
    store->pending_bytes = 0;
    store->turn_hour = -1;
    store->dirty = store->rewrite = false;
    store->departure = departure;
    pthread_mutex_unlock(&store->lock);
}

/* ---- blocks ---- */

/* What there is of a block, and the points from `first` up to `end`. Minutes are rounded down to a
 * multiple of `step`. */
static void merge_block(struct arena *arena, struct slice stored, const struct points *from,
                        int32_t step, uint32_t first, uint32_t end, struct points *ret_points) {
    uint32_t turn;
    struct point point = {.sample.arena = arena};
    if (slice_present(stored) && block_open(&stored, &turn))
        while (block_next(&stored, &point))
            sample_merge(&points_at(ret_points, point.minute)->sample, &point.sample);
    for (uint32_t i = first; i < end; i++) {
        int32_t minute = from->list[i].minute - from->list[i].minute % step;
        sample_merge(&points_at(ret_points, minute)->sample, &from->list[i].sample);
    }
}

static bool is_done(struct slice stored, uint32_t turn) {
    uint32_t has;
    return slice_present(stored) && block_open(&stored, &has) && has >= turn;
}

struct block_span {
    const char *kind;
    int32_t minutes; /* of a block */
    int32_t step;    /* of a point in it */
};

static const struct block_span by_hour = {SERIES_HOUR, MINUTES_PER_HOUR, 1};
static const struct block_span by_day = {SERIES_DAY, MINUTES_PER_DAY, COARSE_MINUTES};

static struct error *put_block(struct batch *batch, const struct leaving *leaving,
                               const struct block_span *span, uint32_t first, uint32_t end,
                               uint32_t turn) {
    CLEANUP(buffer_release) struct buffer out;
    struct points points = {0};
    struct arena *arena = &batch->arena;
    uint32_t at = (uint32_t)(leaving->points.list[first].minute / span->minutes);
    struct record record = {.kind = slice_text(span->kind),
                            .name = series_name(arena, at, leaving->id)};
    buffer_init(&out, BLOCK_BYTES_MAX);
    TRY(engine_find_records(batch->store->options.engine, arena, &record, 1));
    if (is_done(record.value, turn))
        return NULL;
    merge_block(arena, record.value, &leaving->points, span->step, first, end, &points);
    block_begin(&out, turn);
    for (uint32_t i = 0; i < points.count; i++)
        block_put(&out, &points.list[i]);
    points_release(&points);
    CHECK(!out.overflow);
    record.value = arena_slice(arena, buffer_slice(&out));
    return batch_add(batch, record);
}

static struct error *put_blocks(struct batch *batch, const struct leaving *leaving,
                                const struct block_span *span, int32_t oldest, uint32_t turn) {
    const struct points *points = &leaving->points;
    uint32_t first = points_find(points, oldest);
    while (first < points->count) {
        int32_t at = points->list[first].minute / span->minutes;
        uint32_t end = points_find(points, (at + 1) * span->minutes);
        TRY(put_block(batch, leaving, span, first, end, turn));
        first = end;
    }
    return NULL;
}

/* ---- series ---- */

static struct error *put_metric(struct batch *batch, const struct leaving *leaving) {
    struct arena *arena = &batch->arena;
    uint8_t *value = arena_alloc(arena, 5 + leaving->key.len);
    value[0] = SERIES_BLOCK_VERSION;
    store_u32(value + 1, (uint32_t)leaving->last_minute);
    memcpy(value + 5, leaving->key.data, leaving->key.len);
    return batch_add(batch, (struct record){.kind = SLICE_LITERAL(SERIES_METRIC),
                                            .name = arena_printf(arena, "%08x", leaving->id),
                                            .value = slice_of(value, 5 + leaving->key.len)});
}

static struct error *delete_blocks(struct batch *batch, uint32_t id, const struct block_span *span,
                                   int32_t first, int32_t last) {
    for (int32_t at = first < 0 ? 0 : first / span->minutes; at <= last / span->minutes; at++)
        TRY(batch_add(batch,
                      (struct record){.kind = slice_text(span->kind),
                                      .name = series_name(&batch->arena, (uint32_t)at, id)}));
    return NULL;
}

/* First its blocks, so that an id is free when its record is gone. */
static struct error *delete_series(struct batch *batch, uint32_t id, int32_t now) {
    int32_t last = now + SERIES_AHEAD_MINUTES;
    TRY(delete_blocks(batch, id, &by_hour, now - SERIES_FINE_MINUTES - MINUTES_PER_HOUR, last));
    TRY(delete_blocks(batch, id, &by_day, now - SERIES_COARSE_MINUTES - MINUTES_PER_DAY, last));
    return batch_add(batch, (struct record){.kind = SLICE_LITERAL(SERIES_METRIC),
                                            .name = arena_printf(&batch->arena, "%08x", id)});
}

static void drop_expired(struct series_store *store, int32_t now) {
    for (size_t i = 0; i < ENTRY_CHAINS; i++)
        for (struct entry *entry = store->by_id[i], *next; entry != NULL; entry = next) {
            next = entry->next_by_id;
            if (entry->last_minute <= now - SERIES_COARSE_MINUTES && entry->pending.count == 0 &&
                entry->leaving == NULL)
                entry_drop(store, entry);
        }
}

static struct error *delete_gone(struct batch *batch, int32_t now) {
    struct series_store *store = batch->store;
    for (;;) {
        pthread_mutex_lock(&store->lock);
        uint32_t id = store->gone_count == 0 ? 0 : store->gone[store->gone_count - 1];
        pthread_mutex_unlock(&store->lock);
        if (id == 0)
            return NULL;
        TRY(delete_series(batch, id, now));
        pthread_mutex_lock(&store->lock);
        size_t i = 0;
        while (store->gone[i] != id)
            i++;
        store->gone[i] = store->gone[--store->gone_count];
        pthread_mutex_unlock(&store->lock);
    }
}

/* ---- the end of a turn ---- */

static struct error *delete_before(struct batch *batch, const char *kind, uint32_t end) {
    return batch_add(batch, (struct record){.kind = slice_text(kind),
                                            .name = SLICE_LITERAL("0"),
                                            .until = arena_printf(&batch->arena, "%08x", end)});
}

static struct error *close_turn(struct batch *batch, uint32_t turn, int32_t now) {
    int32_t hour = (now - SERIES_FINE_MINUTES) / MINUTES_PER_HOUR;
    int32_t day = (now - SERIES_COARSE_MINUTES) / MINUTES_PER_DAY;
    TRY(batch_commit(batch));
    if (hour > 0)
        TRY(delete_before(batch, SERIES_HOUR, (uint32_t)hour));
    if (day > 0)
        TRY(delete_before(batch, SERIES_DAY, (uint32_t)day));
    TRY(delete_before(batch, SERIES_JOURNAL, turn + 1));
    uint8_t *next = arena_alloc(&batch->arena, 4);
    store_u32(next, turn + 1);
    TRY(batch_add(batch, (struct record){.kind = SLICE_LITERAL(SERIES_STATE),
                                         .name = SLICE_LITERAL("turn"),
                                         .value = slice_of(next, 4)}));
    return batch_commit(batch);
}

static struct error *put_away(struct batch *batch, const struct departure *departure, int32_t now) {
    for (size_t i = 0; i < departure->count; i++) {
        const struct leaving *leaving = &departure->list[i];
        TRY(put_blocks(batch, leaving, &by_hour, now - SERIES_FINE_MINUTES, departure->turn));
        TRY(put_blocks(batch, leaving, &by_day, now - SERIES_COARSE_MINUTES, departure->turn));
        TRY(put_metric(batch, leaving));
    }
    TRY(delete_gone(batch, now));
    return close_turn(batch, departure->turn, now);
}

static void detach(struct series_store *store) {
    const struct departure *departure = store->departure;
    for (size_t i = 0; i < departure->count; i++) {
        struct entry *entry = entry_find_id(store, departure->list[i].id);
        if (entry == NULL)
            continue;
        entry->leaving = NULL;
        entry->stored = true;
    }
}

void departure_release(struct series_store *store) {
    struct departure *departure = store->departure;
    if (departure == NULL)
        return;
    store->departure = NULL;
    for (size_t i = 0; i < departure->count; i++)
        points_release(&departure->list[i].points);
    free(departure->list);
    arena_release(&departure->arena);
    free(departure);
}

uint32_t departure_turn(const struct series_store *store) {
    return store->departure == NULL ? 0 : store->departure->turn;
}

struct error *series_depart(struct series_store *store, struct arena *arena) {
    struct batch batch;
    if (store->departure == NULL)
        begin(store);
    int32_t now = series_now_minute(store);
    batch_init(&batch, store);
    struct error *error = put_away(&batch, store->departure, now);
    if (error == NULL) {
        pthread_mutex_lock(&store->lock);
        detach(store);
        departure_release(store);
        drop_expired(store, now);
        pthread_mutex_unlock(&store->lock);
    }
    if (error != NULL)
        error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
    batch_release(&batch);
    return error;
}
