/* series.c - see series.h: the series that there are, adding to them, listing them. */
#include "cloudwatch/series.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/log.h"
#include "base/random.h"
#include "cloudwatch/series_keep.h"
#include "cloudwatch/series_state.h"

enum { PENDING_BYTES = 16 << 20, PIECE_BYTES = 1 << 20 };

/* ---- opening ---- */

static struct series_store *store_new(const struct series_options *options) {
    struct series_store *store = calloc(1, sizeof(*store));
    CHECK(store != NULL);
    store->options = *options;
    if (store->options.series_max == 0)
        store->options.series_max = SERIES_MAX;
    if (store->options.pending_bytes == 0)
        store->options.pending_bytes = PENDING_BYTES;
    if (store->options.piece_bytes == 0)
        store->options.piece_bytes = PIECE_BYTES;
    random_fill(&system_random, store->hash_key, sizeof(store->hash_key));
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&store->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&store->lock, NULL);
    pthread_mutex_init(&store->writing, NULL);
    arena_init(&store->scratch);
    store->next_id = 1;
    store->turn = 1;
    store->turn_hour = -1;
    return store;
}

struct error *series_open(struct arena *arena, const struct series_options *options,
                          struct series_store **ret_store) {
    struct series_store *store = store_new(options);
    struct error *error = series_keep_load(store, arena);
    if (error == NULL)
        error = series_keep_start(store, arena);
    if (error != NULL) {
        series_close(store);
        return error;
    }
    *ret_store = store;
    return NULL;
}

void series_close(struct series_store *store) {
    if (store == NULL)
        return;
    series_keep_stop(store);
    entries_release(store);
    arena_release(&store->scratch);
    pthread_mutex_destroy(&store->lock);
    pthread_mutex_destroy(&store->writing);
    pthread_cond_destroy(&store->wake);
    free(store);
}

struct error *series_write(struct series_store *store, struct arena *arena) {
    return series_keep_write(store, arena);
}

void series_time_moved(struct series_store *store) {
    pthread_mutex_lock(&store->lock);
    store->write_at_ms = series_now_ms();
    pthread_cond_signal(&store->wake);
    pthread_mutex_unlock(&store->lock);
}

const struct clock *series_clock(const struct series_store *store) {
    return store->options.clock;
}

/* ---- adding ---- */

/* Counts the point's memory, and that there is something to write. */
static void note_change(struct series_store *store, struct entry *entry, size_t bytes) {
    store->pending_bytes += bytes;
    entry->dirty = true;
    if (store->turn_hour < 0)
        store->turn_hour = series_now_minute(store) / MINUTES_PER_HOUR;
    bool full = store->pending_bytes > store->options.pending_bytes;
    if (store->dirty && !full)
        return;
    if (!store->dirty)
        store->write_at_ms = series_now_ms() + SERIES_WRITE_MS;
    store->dirty = true;
    pthread_cond_signal(&store->wake);
}

static void add_to(struct series_store *store, struct entry *entry, int32_t minute,
                   const struct sample *sample) {
    uint32_t count = entry->pending.count;
    struct point *point = points_at(&entry->pending, minute);
    size_t before =
        entry->pending.count > count ? 0 : sizeof(*point) + sample_bytes(&point->sample);
    sample_merge(&point->sample, sample);
    point->dirty = true;
    if (minute > entry->last_minute)
        entry->last_minute = minute;
    note_change(store, entry, sizeof(*point) + sample_bytes(&point->sample) - before);
}

static bool is_kept(const struct series_store *store, int32_t minute, const struct sample *sample) {
    int32_t now = series_now_minute(store);
    return minute > now - SERIES_COARSE_MINUTES && minute <= now + SERIES_AHEAD_MINUTES &&
           sample->count > 0 && isfinite(sample->count) && isfinite(sample->sum) &&
           isfinite(sample->min) && isfinite(sample->max);
}

void series_add(struct series_store *store, const struct metric *metric, int64_t time_ms,
                const struct sample *sample) {
    int64_t minute = time_ms / SERIES_MINUTE_MS;
    if (minute < 0 || minute > INT32_MAX || !is_kept(store, (int32_t)minute, sample))
        return;
    pthread_mutex_lock(&store->lock);
    if (store->pending_bytes > 2 * store->options.pending_bytes) { /* the disk does not take it */
        pthread_mutex_unlock(&store->lock);
        log_repeated_error("metrics cannot be written: some of them are lost");
        return;
    }
    arena_reset(&store->scratch);
    struct slice key = metric_encode(&store->scratch, metric);
    struct entry *entry = entry_find(store, key);
    if (entry == NULL)
        entry = entry_add(store, key, store->next_id);
    add_to(store, entry, (int32_t)minute, sample);
    pthread_mutex_unlock(&store->lock);
}

uint32_t series_units(struct series_store *store, const struct metric *metric) {
    struct metric one = *metric;
    uint32_t units = 0;
    pthread_mutex_lock(&store->lock);
    for (unsigned unit = 0; unit < METRIC_UNIT_COUNT_OF_ALL; unit++) {
        one.unit = (enum metric_unit)unit;
        arena_reset(&store->scratch);
        if (entry_find(store, metric_encode(&store->scratch, &one)) != NULL)
            units |= UINT32_C(1) << unit;
    }
    pthread_mutex_unlock(&store->lock);
    return units;
}

/* ---- listing ---- */

static bool has_dimension(const struct metric *metric, const struct metric_dimension *wanted) {
    for (size_t i = 0; i < metric->dimension_count; i++)
        if (slice_equal(metric->dimensions[i].name, wanted->name) &&
            (!slice_present(wanted->value) ||
             slice_equal(metric->dimensions[i].value, wanted->value)))
            return true;
    return false;
}

static bool is_wanted(const struct series_filter *filter, const struct metric *metric) {
    if (slice_present(filter->name_space) && !slice_equal(filter->name_space, metric->name_space))
        return false;
    if (slice_present(filter->name) && !slice_equal(filter->name, metric->name))
        return false;
    for (size_t i = 0; i < filter->dimension_count; i++)
        if (!has_dimension(metric, &filter->dimensions[i]))
            return false;
    return true;
}

/* Without its unit. */
static struct slice identity_of(const struct entry *entry) {
    return slice_of(entry->key, entry->key_len - 1);
}

static bool is_listed(struct series_store *store, const struct series_filter *filter,
                      const struct entry *entry) {
    struct metric metric;
    int32_t since = (int32_t)(filter->since_ms / SERIES_MINUTE_MS);
    if (entry->last_minute <= series_now_minute(store) - SERIES_COARSE_MINUTES ||
        entry->last_minute < since)
        return false;
    if (slice_present(filter->after) && slice_compare(identity_of(entry), filter->after) <= 0)
        return false;
    arena_reset(&store->scratch);
    return metric_decode(&store->scratch, entry_key(entry), &metric) && is_wanted(filter, &metric);
}

static int compare_entries(const void *a, const void *b) {
    const struct entry *const *left = a, *const *right = b;
    return slice_compare(entry_key(*left), entry_key(*right));
}

static bool is_same_but_unit(const struct entry *a, const struct entry *b) {
    return slice_equal(identity_of(a), identity_of(b));
}

/* Those that are listed, in the order of their keys. */
static size_t find_listed(struct series_store *store, const struct series_filter *filter,
                          struct entry **entries) {
    size_t found = 0;
    for (size_t i = 0; i < ENTRY_CHAINS; i++)
        for (struct entry *entry = store->by_id[i]; entry != NULL; entry = entry->next_by_id)
            if (is_listed(store, filter, entry))
                entries[found++] = entry;
    if (found > 1)
        qsort(entries, found, sizeof(*entries), compare_entries);
    return found;
}

void series_list(struct series_store *store, struct arena *arena,
                 const struct series_filter *filter, size_t max, struct metric **ret_metrics,
                 size_t *ret_count, bool *ret_more) {
    size_t count = 0;
    bool more = false;
    pthread_mutex_lock(&store->lock);
    struct entry **entries = ARENA_ARRAY(arena, struct entry *, store->entry_count);
    size_t found = find_listed(store, filter, entries);
    struct metric *metrics = ARENA_ARRAY(arena, struct metric, found < max ? found : max);
    for (size_t i = 0; i < found && !more; i++) {
        struct slice key = entry_key(entries[i]);
        if (i > 0 && is_same_but_unit(entries[i], entries[i - 1]))
            continue;
        more = count == max || (count > 0 && !arena_has_room(arena, key.len));
        if (!more)
            CHECK(metric_decode(arena, arena_slice(arena, key), &metrics[count++]));
    }
    pthread_mutex_unlock(&store->lock);
    *ret_metrics = metrics;
    *ret_count = count;
    *ret_more = more;
}

struct slice series_token(struct arena *arena, const struct metric *metric) {
    struct slice key = metric_encode(arena, metric);
    return slice_first(key, key.len - 1);
}
