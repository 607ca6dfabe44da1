/* page.c - line by line. */
#include "top/page.h"

#include <stdlib.h>

struct sample {
    struct slice name;
    struct slice labels; /* between the braces; empty: none */
    double value;
};

static struct slice between(const uint8_t *from, const uint8_t *to) {
    return slice_of(from, (size_t)(to - from));
}

/* Label values of these pages hold no braces and no quotes: names of tables, operations, errors. */
static bool read_sample(struct slice line, struct sample *ret_sample) {
    const uint8_t *end = line.data + line.len, *at = line.data;
    char number[64];
    if (line.len == 0 || *at == '#')
        return false;
    while (at < end && *at != '{' && *at != ' ')
        at++;
    ret_sample->name = between(line.data, at);
    ret_sample->labels = slice_of(at, 0);
    if (at < end && *at == '{') {
        const uint8_t *close = memchr(at, '}', (size_t)(end - at));
        if (close == NULL)
            return false;
        ret_sample->labels = between(at + 1, close);
        at = close + 1;
    }
    size_t len = at < end ? (size_t)(end - at - 1) : 0;
    if (len == 0 || len >= sizeof(number))
        return false;
    memcpy(number, at + 1, len);
    number[len] = '\0';
    ret_sample->value = strtod(number, NULL);
    return true;
}

static struct slice label(const struct sample *sample, const char *name) {
    struct slice rest = sample->labels;
    size_t len = strlen(name);
    while (rest.len > len + 2) {
        const uint8_t *open = memchr(rest.data, '"', rest.len);
        if (open == NULL)
            break;
        struct slice value = slice_skip(rest, (size_t)(open + 1 - rest.data));
        const uint8_t *close = memchr(value.data, '"', value.len);
        if (close == NULL)
            break;
        if ((size_t)(open - rest.data) == len + 1 && memcmp(rest.data, name, len) == 0)
            return between(value.data, close);
        size_t used = (size_t)(close + 1 - rest.data);
        rest = slice_skip(rest, used < rest.len ? used + 1 : used);
    }
    return SLICE_NONE;
}

static struct top_row *row_of(struct arena *arena, struct top_rows *rows, struct slice name) {
    static struct top_row spare;
    if (rows->count > 0 && slice_equal(rows->list[rows->count - 1].name, name))
        return &rows->list[rows->count - 1];
    for (size_t i = 0; i < rows->count; i++)
        if (slice_equal(rows->list[i].name, name))
            return &rows->list[i];
    if (rows->count == TOP_ROWS_MAX)
        return &spare;
    if (rows->count == rows->room) {
        size_t room = rows->room == 0 ? 64 : rows->room * 2;
        struct top_row *list = ARENA_ARRAY(arena, struct top_row, room);
        if (rows->count > 0)
            memcpy(list, rows->list, rows->count * sizeof(*list));
        rows->list = list;
        rows->room = room;
    }
    rows->list[rows->count].name = name;
    return &rows->list[rows->count++];
}

static void add_bucket(struct top_times *times, const struct sample *sample) {
    struct slice bound = label(sample, "le");
    char text[32];
    if (times->bucket_count == TOP_BUCKETS_MAX || bound.len >= sizeof(text))
        return;
    memcpy(text, bound.data, bound.len);
    text[bound.len] = '\0';
    times->bounds[times->bucket_count] = strtod(text, NULL);
    times->counts[times->bucket_count++] = sample->value;
}

/* "_sum", "_count" or "_bucket" after the name of a family. */
static bool take_times(const struct sample *sample, const char *family, struct top_times *times) {
    size_t len = strlen(family);
    if (!slice_starts_with(sample->name, slice_text(family)))
        return false;
    struct slice part = slice_skip(sample->name, len);
    if (slice_is(part, "_bucket"))
        add_bucket(times, sample);
    else if (slice_is(part, "_sum"))
        times->sum += sample->value;
    else if (slice_is(part, "_count"))
        times->count += sample->value;
    return true;
}

static void take_requests(struct arena *arena, const struct sample *sample, struct top_page *page) {
    struct slice table = label(sample, "table");
    bool ok = slice_is(label(sample, "code"), "ok");
    struct top_row *rows[] = {
        row_of(arena, &page->operations, label(sample, "operation")),
        row_of(arena, &page->tables, slice_present(table) ? table : SLICE_LITERAL("(no table)"))};
    for (size_t i = 0; i < 2; i++) {
        rows[i]->requests += sample->value;
        rows[i]->errors += ok ? 0 : sample->value;
    }
}

static void take_of_table(struct arena *arena, const struct sample *sample, struct top_page *page) {
    struct slice table = label(sample, "table");
    if (!slice_present(table))
        return;
    struct top_row *row = row_of(arena, &page->tables, table);
    if (slice_is(sample->name, "gramme_consumed_read_units_total"))
        row->read_units += sample->value;
    else if (slice_is(sample->name, "gramme_consumed_write_units_total"))
        row->write_units += sample->value;
    else if (slice_is(sample->name, "gramme_throttled_total"))
        row->throttled += sample->value;
    else
        take_times(sample, "gramme_table_request_seconds", &row->times);
}

static void take_single(const struct sample *sample, struct top_page *page) {
    const struct {
        const char *name;
        double *to;
    } singles[] = {
        {"gramme_commit_group_size_count", &page->groups},
        {"gramme_commit_group_size_sum", &page->grouped},
        {"gramme_commit_queue_length", &page->queue},
        {"gramme_connections", &page->connections},
        {"process_cpu_seconds_total", &page->cpu_seconds},
        {"process_resident_memory_bytes", &page->memory_bytes},
        {"gramme_uptime_seconds", &page->uptime_seconds},
    };
    for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++)
        if (slice_is(sample->name, singles[i].name))
            *singles[i].to = sample->value;
    if (slice_is(sample->name, "gramme_build_info"))
        page->version = label(sample, "version");
}

static void take(struct arena *arena, const struct sample *sample, struct top_page *page) {
    const struct slice times = SLICE_LITERAL("gramme_request_duration_seconds");
    if (slice_is(sample->name, "gramme_requests_total"))
        take_requests(arena, sample, page);
    else if (slice_starts_with(sample->name, times))
        take_times(sample, "gramme_request_duration_seconds",
                   &row_of(arena, &page->operations, label(sample, "operation"))->times);
    else if (!take_times(sample, "gramme_sync_seconds", &page->syncs)) {
        take_of_table(arena, sample, page);
        take_single(sample, page);
    }
}

void top_page_read(struct arena *arena, struct slice text, struct top_page *ret_page) {
    memset(ret_page, 0, sizeof(*ret_page));
    while (text.len > 0) {
        const uint8_t *end = memchr(text.data, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.data);
        struct sample sample;
        if (read_sample(slice_first(text, len), &sample))
            take(arena, &sample, ret_page);
        text = slice_skip(text, end == NULL ? len : len + 1);
    }
}
