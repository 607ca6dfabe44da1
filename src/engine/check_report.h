/* check_report.h - what a check (check.h) tells. */
#ifndef GRAMME_ENGINE_CHECK_REPORT_H
#define GRAMME_ENGINE_CHECK_REPORT_H

#include "engine/keyspaces.h"
#include "engine/table_stats.h"

struct check_observer {
    /* One for each; the text names the place, and may hold what is stored there. */
    void (*fault)(struct check_observer *observer, struct slice text);
    /* Now and then how far it is. */
    void (*report)(struct check_observer *observer, uint64_t records, uint64_t bytes);
};

/* What stands under one id. */
struct check_range {
    uint32_t id;
    const char *kind;         /* "table", "index", "expiries", "stream", "backup" */
    struct slice name;        /* of the table, or the backup */
    struct slice part;        /* of the index; absent: there is none */
    struct table_count found; /* items or entries, and their size; records of a stream */
    uint64_t history;         /* of a table: changes that can be undone */
};

struct check_summary {
    uint64_t records[KEYSPACE_COUNT];
    uint64_t bytes;
    uint64_t faults;
    uint64_t left_over;         /* records of tables, indexes and streams that are gone */
    struct check_range *ranges; /* by id */
    size_t range_count;
};

#endif
