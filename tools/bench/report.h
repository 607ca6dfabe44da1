/* report.h - what a run was and what came of it: a table, JSON, a picture. */
#ifndef GRAMME_BENCH_REPORT_H
#define GRAMME_BENCH_REPORT_H

#include "base/buffer.h"
#include "bench/run.h"

enum { REPORT_BYTES_MAX = 256 * 1024 * 1024 };

struct report {
    const struct run_settings *settings;
    const struct run_result *result;
    const char *table; /* NULL: the request is the user's own */
    size_t item_bytes; /* of the table's items */
    int64_t begun_ms;  /* since 1970 */
};

/* A number with commas, in the arena. */
const char *report_number(struct arena *arena, uint64_t number);

void report_text(const struct report *report, struct buffer *out);
void report_json(const struct report *report, struct buffer *out);
/* A self-contained SVG. */
void report_plot(const struct report *report, struct buffer *out);

#endif
