/* series_read.c - what was kept of a metric, by periods.
 *
 * Points come from blocks on disk, from what is being put away, and from what is pending. The turn
 * in a block tells whether it has the others already, so that nobody need hold a lock while the
 * blocks are read. */
#include "cloudwatch/series.h"

#include "cloudwatch/series_departure.h"
#include "cloudwatch/series_records.h"
#include "cloudwatch/series_state.h"

/* Points of one turn that were in memory. */
struct held {
    uint32_t turn;
    struct point *list;
    size_t count;
};

struct found {
    uint32_t id;
    struct held pending, leaving;
};

struct reading {
    struct series_store *store;
    struct arena *arena;
    const struct series_query *query;
    bool coarse;
    int64_t first_minute, end_minute; /* of what is looked at */
    int64_t first_bin;
    struct sample *bins;
    size_t bin_count;
    struct found found[METRIC_UNIT_COUNT_OF_ALL];
    size_t found_count;
};

/* ---- what is to be read ---- */

static int64_t at_least(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static bool is_multiple_of_coarse(int64_t ms) {
    return ms % (COARSE_MINUTES * (int64_t)SERIES_MINUTE_MS) == 0;
}

/* Which time; false: nothing can be there. */
static bool limit(struct reading *reading) {
    const struct series_query *query = reading->query;
    int64_t now = series_now_minute(reading->store);
    int64_t from = query->from_ms / SERIES_MINUTE_MS, to = query->to_ms / SERIES_MINUTE_MS;
    int64_t last = now + SERIES_AHEAD_MINUTES + 1, period = query->period_ms / SERIES_MINUTE_MS;
    reading->coarse = from <= now - SERIES_FINE_MINUTES && is_multiple_of_coarse(query->from_ms) &&
                      is_multiple_of_coarse(query->period_ms);
    int64_t oldest = now - (reading->coarse ? SERIES_COARSE_MINUTES : SERIES_FINE_MINUTES) + 1;
    if (reading->coarse) /* a point of five minutes is whole, or gone */
        oldest = (oldest + COARSE_MINUTES - 1) / COARSE_MINUTES * COARSE_MINUTES;
    reading->first_minute = at_least(at_least(from, oldest), 0);
    reading->end_minute = to < last ? to : last;
    if (query->to_ms % SERIES_MINUTE_MS != 0 && to < last)
        reading->end_minute++;
    if (reading->first_minute >= reading->end_minute)
        return false;
    reading->first_bin = (reading->first_minute - from) / period;
    reading->bin_count =
        (size_t)((reading->end_minute - 1 - from) / period - reading->first_bin + 1);
    reading->bins = ARENA_ARRAY(reading->arena, struct sample, reading->bin_count);
    return true;
}

/* ---- what is in memory ---- */

static struct held copy(const struct reading *reading, const struct points *points, uint32_t turn) {
    struct held held = {.turn = turn};
    if (points == NULL)
        return held;
    uint32_t first = points_find(points, (int32_t)reading->first_minute);
    uint32_t end = points_find(points, (int32_t)reading->end_minute);
    held.list = ARENA_ARRAY(reading->arena, struct point, end - first);
    for (uint32_t i = first; i < end; i++) {
        struct point *point = &held.list[held.count++];
        *point = points->list[i];
        point->sample.arena = reading->arena;
        if (point->sample.bucket_count > 0)
            point->sample.buckets =
                arena_copy(reading->arena, point->sample.buckets,
                           point->sample.bucket_count * sizeof(*point->sample.buckets));
    }
    return held;
}

static void look(struct reading *reading, enum metric_unit unit, uint32_t *units) {
    struct series_store *store = reading->store;
    struct metric metric = *reading->query->metric;
    metric.unit = unit;
    arena_reset(&store->scratch);
    const struct entry *entry = entry_find(store, metric_encode(&store->scratch, &metric));
    if (entry == NULL)
        return;
    *units |= UINT32_C(1) << unit;
    struct found *found = &reading->found[reading->found_count++];
    found->id = entry->id;
    found->pending = copy(reading, &entry->pending, store->turn);
    found->leaving = copy(reading, entry->leaving, departure_turn(store));
}

static uint32_t look_for_all(struct reading *reading) {
    enum metric_unit wanted = reading->query->metric->unit;
    uint32_t units = 0;
    pthread_mutex_lock(&reading->store->lock);
    if (wanted != METRIC_UNIT_ANY)
        look(reading, wanted, &units);
    for (int unit = 0; wanted == METRIC_UNIT_ANY && unit < METRIC_UNIT_COUNT_OF_ALL; unit++)
        if (arena_has_room(reading->arena, 0)) /* the caller looks, too */
            look(reading, (enum metric_unit)unit, &units);
    pthread_mutex_unlock(&reading->store->lock);
    return units;
}

/* ---- all of it ---- */

static void put(struct reading *reading, int64_t minute, struct sample *sample) {
    const struct series_query *query = reading->query;
    if (minute < reading->first_minute || minute >= reading->end_minute)
        return;
    int64_t bin =
        (minute - query->from_ms / SERIES_MINUTE_MS) / (query->period_ms / SERIES_MINUTE_MS) -
        reading->first_bin;
    struct sample *into = &reading->bins[bin];
    into->arena = reading->arena;
    if (!query->spread)
        sample->bucket_count = 0;
    sample_merge(into, sample);
}

/* Those of the block's time that are not in it. */
static void put_held(struct reading *reading, struct held *held, int64_t first, int64_t end,
                     uint32_t turn) {
    for (size_t i = 0; turn < held->turn && i < held->count; i++)
        if (held->list[i].minute >= first && held->list[i].minute < end)
            put(reading, held->list[i].minute, &held->list[i].sample);
}

static void put_block(struct reading *reading, struct slice bytes, uint32_t *ret_turn) {
    struct point point = {.sample.arena = reading->arena};
    if (!slice_present(bytes) || !block_open(&bytes, ret_turn))
        return;
    while (block_next(&bytes, &point))
        put(reading, point.minute, &point.sample);
}

static struct error *read_found(struct reading *reading, struct found *found) {
    int64_t span = reading->coarse ? MINUTES_PER_DAY : MINUTES_PER_HOUR;
    int64_t first = reading->first_minute / span, end = (reading->end_minute - 1) / span + 1;
    size_t count = (size_t)(end - first);
    struct record *blocks = ARENA_ARRAY(reading->arena, struct record, count);
    for (size_t i = 0; i < count; i++) {
        blocks[i].kind = reading->coarse ? SLICE_LITERAL(SERIES_DAY) : SLICE_LITERAL(SERIES_HOUR);
        blocks[i].name = series_name(reading->arena, (uint32_t)(first + (int64_t)i), found->id);
    }
    TRY(error_if_full(reading->arena, 0));
    TRY(engine_find_records(reading->store->options.engine, reading->arena, blocks, count));
    TRY(error_if_full(reading->arena, 0));
    for (size_t i = 0; i < count; i++) {
        uint32_t turn = 0;
        int64_t at = (first + (int64_t)i) * span;
        put_block(reading, blocks[i].value, &turn);
        put_held(reading, &found->leaving, at, at + span, turn);
        put_held(reading, &found->pending, at, at + span, turn);
    }
    return NULL;
}

static void collect(const struct reading *reading, struct series_result *result) {
    const struct series_query *query = reading->query;
    result->points = ARENA_ARRAY(reading->arena, struct series_point, reading->bin_count);
    for (size_t i = 0; i < reading->bin_count; i++)
        if (reading->bins[i].count > 0)
            result->points[result->count++] = (struct series_point){
                query->from_ms + (reading->first_bin + (int64_t)i) * query->period_ms,
                reading->bins[i]};
}

struct error *series_read(struct series_store *store, struct arena *arena,
                          const struct series_query *query, struct series_result *ret_result) {
    struct reading *reading = ARENA_NEW(arena, struct reading);
    struct series_result result = {0};
    reading->store = store;
    reading->arena = arena;
    reading->query = query;
    bool possible = limit(reading);
    if (possible)
        result.units = look_for_all(reading);
    for (size_t i = 0; possible && i < reading->found_count; i++)
        TRY(read_found(reading, &reading->found[i]));
    TRY(error_if_full(arena, reading->bin_count * sizeof(*result.points)));
    if (possible)
        collect(reading, &result);
    *ret_result = result;
    return NULL;
}
