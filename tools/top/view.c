/* view.c - rates, and the busiest first. */
#include "top/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_COLUMNS = 28 };

struct line {
    const struct top_row *now;
    const struct top_row *before; /* never NULL */
    double rate;
};

static const struct top_row nothing;

double top_quantile(const struct top_times *before, const struct top_times *now, double part) {
    double all = now->count - before->count, below = 0, low = 0;
    bool had = before->bucket_count == now->bucket_count;
    for (size_t i = 0; i < now->bucket_count && all > 0; i++) {
        double count = now->counts[i] - (had ? before->counts[i] : 0);
        if (count >= part * all) {
            double high = isinf(now->bounds[i]) ? low : now->bounds[i];
            double inside = count - below;
            return inside <= 0 ? high : low + (high - low) * (part * all - below) / inside;
        }
        below = count;
        low = now->bounds[i];
    }
    return 0;
}

/* "12", "1.2k", "3.4M". */
static const char *short_number(double value, char text[16]) {
    const char *units[] = {"", "k", "M", "G"};
    size_t unit = 0;
    while (value >= 9999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    bool whole = value >= 99.95 || value == floor(value);
    snprintf(text, 16, whole ? "%.0f%s" : "%.1f%s", value, units[unit]);
    return text;
}

static const char *short_time(double seconds, char text[16]) {
    if (seconds <= 0)
        snprintf(text, 16, "-");
    else if (seconds < 0.001)
        snprintf(text, 16, "%.0f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(text, 16, seconds < 0.01 ? "%.2f ms" : "%.0f ms", seconds * 1e3);
    else
        snprintf(text, 16, "%.1f s", seconds);
    return text;
}

/* A name in its column; one that is too long ends in two dots. */
static const char *short_name(struct slice name, char text[NAME_COLUMNS + 1]) {
    bool cut = name.len > NAME_COLUMNS;
    snprintf(text, NAME_COLUMNS + 1, "%.*s%s", (int)(cut ? NAME_COLUMNS - 2 : name.len),
             (const char *)name.data, cut ? ".." : "");
    return text;
}

/* ---- lines ---- */

struct screen {
    struct buffer *out;
    struct top_size size;
    size_t used;
    double seconds;
};

static bool has_room(const struct screen *screen) {
    return screen->size.rows == 0 || screen->used < screen->size.rows;
}

static void put_line(struct screen *screen, struct slice text) {
    if (!has_room(screen))
        return;
    if (text.len > screen->size.columns)
        text.len = screen->size.columns;
    buffer_append_slice(screen->out, text);
    buffer_append_byte(screen->out, '\n');
    screen->used++;
}

static const struct top_row *find(const struct top_rows *rows, struct slice name, size_t hint) {
    if (hint < rows->count && slice_equal(rows->list[hint].name, name))
        return &rows->list[hint];
    for (size_t i = 0; i < rows->count; i++)
        if (slice_equal(rows->list[i].name, name))
            return &rows->list[i];
    return &nothing;
}

static int busiest_first(const void *a, const void *b) {
    const struct line *left = a, *right = b;
    if (left->rate != right->rate)
        return left->rate < right->rate ? 1 : -1;
    return slice_compare(left->now->name, right->now->name);
}

static struct line *sorted(const struct top_rows *before, const struct top_rows *now,
                           double seconds) {
    struct line *lines = calloc(now->count + 1, sizeof(*lines));
    for (size_t i = 0; lines != NULL && i < now->count; i++) {
        lines[i].now = &now->list[i];
        lines[i].before = find(before, now->list[i].name, i);
        lines[i].rate = (lines[i].now->requests - lines[i].before->requests) / seconds;
    }
    if (lines != NULL)
        qsort(lines, now->count, sizeof(*lines), busiest_first);
    return lines;
}

#define RATE(line, member) (((line)->now->member - (line)->before->member) / screen->seconds)

static void put_operation(struct screen *screen, const struct line *line) {
    char text[256], name[NAME_COLUMNS + 1], rate[16], errors[16], mean[16], half[16], most[16];
    const struct top_times *before = &line->before->times, *now = &line->now->times;
    double count = now->count - before->count;
    int len = snprintf(text, sizeof(text), "%-28s %9s %9s %10s %10s %10s",
                       short_name(line->now->name, name), short_number(line->rate, rate),
                       short_number(RATE(line, errors), errors),
                       short_time(count > 0 ? (now->sum - before->sum) / count : 0, mean),
                       short_time(top_quantile(before, now, 0.5), half),
                       short_time(top_quantile(before, now, 0.99), most));
    put_line(screen, slice_of(text, (size_t)len));
}

static void put_table(struct screen *screen, const struct line *line) {
    char text[256], name[NAME_COLUMNS + 1], rate[16], errors[16], reads[16], writes[16];
    char throttled[16], mean[16];
    const struct top_times *before = &line->before->times, *now = &line->now->times;
    double count = now->count - before->count;
    int len = snprintf(
        text, sizeof(text), "%-28s %9s %9s %10s %10s %10s %10s", short_name(line->now->name, name),
        short_number(line->rate, rate), short_number(RATE(line, errors), errors),
        short_time(count > 0 ? (now->sum - before->sum) / count : 0, mean),
        short_number(RATE(line, read_units), reads), short_number(RATE(line, write_units), writes),
        short_number(RATE(line, throttled), throttled));
    put_line(screen, slice_of(text, (size_t)len));
}

/* What did nothing in between is left out. */
static void put_rows(struct screen *screen, const struct top_rows *before,
                     const struct top_rows *now, size_t most,
                     void (*put)(struct screen *screen, const struct line *line)) {
    struct line *lines = sorted(before, now, screen->seconds);
    for (size_t i = 0; lines != NULL && i < now->count && i < most; i++)
        if (lines[i].rate > 0 || RATE(&lines[i], throttled) > 0)
            put(screen, &lines[i]);
    free(lines);
}

/* ---- the head ---- */

static double requests_of(const struct top_page *page) {
    double sum = 0;
    for (size_t i = 0; i < page->operations.count; i++)
        sum += page->operations.list[i].requests;
    return sum;
}

static void put_head(struct screen *screen, const struct top_page *before,
                     const struct top_page *now) {
    char text[256], rate[16], commits[16], half[16], most[16];
    double groups = now->groups - before->groups;
    double uptime = now->uptime_seconds;
    int len = snprintf(text, sizeof(text),
                       "gramme %.*s  up %.0f:%02.0f:%02.0f  cpu %.0f%%  memory %.0f MB  "
                       "connections %.0f",
                       SLICE_ARGS(now->version), floor(uptime / 3600),
                       floor(fmod(uptime, 3600) / 60), floor(fmod(uptime, 60)),
                       100 * (now->cpu_seconds - before->cpu_seconds) / screen->seconds,
                       now->memory_bytes / 1e6, now->connections);
    put_line(screen, slice_of(text, (size_t)len));
    len = snprintf(text, sizeof(text),
                   "requests %s/s  commits %s/s of %.1f writes  queue %.0f  sync p50 %s p99 %s",
                   short_number((requests_of(now) - requests_of(before)) / screen->seconds, rate),
                   short_number(groups / screen->seconds, commits),
                   groups > 0 ? (now->grouped - before->grouped) / groups : 0, now->queue,
                   short_time(top_quantile(&before->syncs, &now->syncs, 0.5), half),
                   short_time(top_quantile(&before->syncs, &now->syncs, 0.99), most));
    put_line(screen, slice_of(text, (size_t)len));
}

void top_view_write(struct buffer *out, const struct top_page *before, const struct top_page *now,
                    double seconds, struct top_size size) {
    struct screen screen = {.out = out, .size = size, .seconds = seconds > 0 ? seconds : 1};
    char title[160];
    size_t operations = size.rows == 0 ? SIZE_MAX : size.rows / 3;
    put_head(&screen, before, now);
    put_line(&screen, SLICE_LITERAL(""));
    int len = snprintf(title, sizeof(title), "%-28s %9s %9s %10s %10s %10s", "OPERATION", "/s",
                       "errors/s", "mean", "p50", "p99");
    put_line(&screen, slice_of(title, (size_t)len));
    put_rows(&screen, &before->operations, &now->operations, operations, put_operation);
    put_line(&screen, SLICE_LITERAL(""));
    len = snprintf(title, sizeof(title), "%-28s %9s %9s %10s %10s %10s %10s", "TABLE", "/s",
                   "errors/s", "mean", "read u/s", "write u/s", "throttled");
    put_line(&screen, slice_of(title, (size_t)len));
    put_rows(&screen, &before->tables, &now->tables, SIZE_MAX, put_table);
}
