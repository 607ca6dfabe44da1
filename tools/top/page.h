/* page.h - a page of metrics (docs/METRICS.md), read back into numbers.
 *
 * Only the families that are shown; what is unknown is passed over, so that a page of another
 * version is read as far as it goes. Memory: the arena; names point into the text. */
#ifndef GRAMME_TOP_PAGE_H
#define GRAMME_TOP_PAGE_H

#include "base/arena.h"

enum { TOP_BUCKETS_MAX = 24, TOP_ROWS_MAX = 8192 };

/* Times in buckets, as Prometheus has them: how many up to each bound. */
struct top_times {
    double bounds[TOP_BUCKETS_MAX]; /* seconds; the last one is infinite */
    double counts[TOP_BUCKETS_MAX];
    size_t bucket_count;
    double sum;
    double count;
};

/* Of a table or of an operation. */
struct top_row {
    struct slice name;
    double requests; /* all of them */
    double errors;
    double read_units, write_units; /* of tables */
    double throttled;
    struct top_times times; /* of a table without buckets */
};

struct top_rows {
    struct top_row *list;
    size_t count;
    size_t room;
};

struct top_page {
    struct top_rows tables;
    struct top_rows operations;
    struct top_times syncs;
    double groups, grouped; /* commits, and writes in them */
    double queue;
    double connections;
    double cpu_seconds;
    double memory_bytes;
    double uptime_seconds;
    struct slice version;
};

void top_page_read(struct arena *arena, struct slice text, struct top_page *ret_page);

#endif
