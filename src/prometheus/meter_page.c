/* meter_page.c - one function for each family, since a family stands in one piece.
 *
 * Times are shown by operation, with their buckets, and by table and operation without them:
 * buckets of each table would be most of a page that nobody could read any more. */
#include "prometheus/meter_page.h"

#include <stdio.h>

enum { BOUND_CHARS = 32 };

struct page {
    struct exposition *to;
    const struct meter_page_part *parts;
    size_t part_count;
    const char *const *names;
    /* The first kind of error of the same type, which is what clients see. */
    unsigned first_of_type[METER_OUTCOMES];
};

static struct slice operation_name(const struct page *page, size_t operation) {
    const char *name = page->names[operation];
    return name == NULL ? SLICE_LITERAL("(none)") : slice_text(name);
}

static struct exposition_labels table_labels(const struct meter_page_part *part,
                                             const struct meter_table *table) {
    struct exposition_labels labels = labels_with(NO_LABELS, "name_space", part->name_space);
    return labels_with(labels, "table", table->name);
}

/* For each table of each part. */
typedef void table_writer(struct page *page, const struct exposition_labels *labels,
                          struct meter_table *table, const void *what);

static void each_table(struct page *page, table_writer *write, const void *what) {
    for (size_t i = 0; i < page->part_count; i++) {
        const struct meter_page_part *part = &page->parts[i];
        for (size_t j = 0; j < part->sums.table_count && !part->untold; j++) {
            struct exposition_labels labels = table_labels(part, part->sums.tables[j]);
            write(page, &labels, part->sums.tables[j], what);
        }
    }
}

/* For each operation that a table was asked for. */
typedef void operation_writer(struct page *page, const struct exposition_labels *labels,
                              struct meter_operation *operation);

struct operation_writing {
    operation_writer *write;
};

static void write_operations(struct page *page, const struct exposition_labels *labels,
                             struct meter_table *table, const void *what) {
    const struct operation_writing *writing = what;
    for (size_t i = 0; i < METER_OPERATIONS_MAX; i++) {
        if (table->operations[i] == NULL)
            continue;
        struct exposition_labels with_operation =
            labels_with(*labels, "operation", operation_name(page, i));
        writing->write(page, &with_operation, table->operations[i]);
    }
}

static void each_operation(struct page *page, operation_writer *write) {
    each_table(page, write_operations, &(struct operation_writing){write});
}

static void add_if_any(struct page *page, const struct exposition_labels *labels, double value) {
    if (value > 0)
        exposition_sample(page->to, "", labels, value);
}

/* ---- requests ---- */

static void write_requests(struct page *page, const struct exposition_labels *labels,
                           struct meter_operation *operation) {
    uint64_t by_type[METER_OUTCOMES] = {0};
    for (size_t i = 0; i < METER_OUTCOMES; i++)
        by_type[page->first_of_type[i]] += counter_read(&operation->outcomes[i]);
    for (size_t i = 0; i < METER_OUTCOMES; i++) {
        struct slice code = SLICE_LITERAL("ok");
        if (i != METER_OK)
            code = slice_text(error_kind((enum error_code)(i - METER_ERRORS))->type);
        struct exposition_labels with_code = labels_with(*labels, "code", code);
        add_if_any(page, &with_code, (double)by_type[i]);
    }
}

static double seconds(uint64_t ns) {
    return (double)ns / 1e9;
}

static void write_table_time(struct page *page, const struct exposition_labels *labels,
                             struct meter_operation *operation) {
    struct spread *ns = &operation->latency.ns;
    if (counter_read(&ns->count) == 0)
        return;
    exposition_sample(page->to, "_sum", labels, seconds(counter_read(&ns->sum)));
    exposition_sample(page->to, "_count", labels, (double)counter_read(&ns->count));
}

static void write_returned(struct page *page, const struct exposition_labels *labels,
                           struct meter_operation *operation) {
    add_if_any(page, labels, (double)counter_read(&operation->returned.sum));
}

static void write_returned_bytes(struct page *page, const struct exposition_labels *labels,
                                 struct meter_operation *operation) {
    add_if_any(page, labels, (double)counter_read(&operation->returned_bytes.sum));
}

static void write_throttled_requests(struct page *page, const struct exposition_labels *labels,
                                     struct meter_operation *operation) {
    add_if_any(page, labels, (double)counter_read(&operation->throttled));
}

static void note_types(struct page *page) {
    for (unsigned i = 1; i < METER_OUTCOMES; i++) {
        unsigned first = METER_ERRORS;
        const char *type = error_kind((enum error_code)(i - METER_ERRORS))->type;
        while (strcmp(error_kind((enum error_code)(first - METER_ERRORS))->type, type) != 0)
            first++;
        page->first_of_type[i] = first;
    }
}

/* ---- times ---- */

/* OpenMetrics wants to see that it is no whole number by nature. */
static struct slice bound_text(const struct page *page, double bound, char text[BOUND_CHARS]) {
    bool whole = bound == (double)(uint64_t)bound;
    snprintf(text, BOUND_CHARS, whole && page->to->open_metrics ? "%.1f" : "%g", bound);
    return slice_text(text);
}

/* Buckets up to each bound, then all; a bucket's own bound is never between two of them. */
static void write_latency(struct page *page, const struct exposition_labels *labels,
                          struct latency *latency) {
    uint64_t count = 0;
    size_t bucket = 0;
    char text[BOUND_CHARS];
    for (size_t i = 0; i < LATENCY_BOUNDS; i++) {
        for (; latency_bucket_max(bucket) <= latency_bounds[i]; bucket++)
            count += counter_read(&latency->buckets[bucket]);
        struct exposition_labels bound =
            labels_with(*labels, "le", bound_text(page, seconds(latency_bounds[i]), text));
        exposition_sample(page->to, "_bucket", &bound, (double)count);
    }
    for (; bucket < LATENCY_BUCKETS; bucket++)
        count += counter_read(&latency->buckets[bucket]);
    struct exposition_labels all = labels_with(*labels, "le", SLICE_LITERAL("+Inf"));
    exposition_sample(page->to, "_bucket", &all, (double)count);
    exposition_sample(page->to, "_sum", labels, seconds(counter_read(&latency->ns.sum)));
    exposition_sample(page->to, "_count", labels, (double)count);
}

static void add_times(const struct meter_sums *sums, size_t operation, struct latency *total) {
    for (size_t i = 0; i < sums->table_count; i++)
        if (sums->tables[i]->operations[operation] != NULL)
            latency_merge(total, &sums->tables[i]->operations[operation]->latency, false);
}

static void write_operation_times(struct page *page) {
    for (size_t i = 0; i < METER_OPERATIONS_MAX; i++) {
        struct latency latency = {.ns = {0}};
        for (size_t j = 0; j < page->part_count; j++)
            add_times(&page->parts[j].sums, i, &latency);
        struct exposition_labels labels =
            labels_with(NO_LABELS, "operation", operation_name(page, i));
        if (counter_read(&latency.ns.count) > 0)
            write_latency(page, &labels, &latency);
    }
}

/* ---- tables and their indexes ---- */

typedef void resource_writer(struct page *page, const struct exposition_labels *labels,
                             const struct meter_resource *resource);

struct resource_writing {
    resource_writer *write;
};

static void write_resources(struct page *page, const struct exposition_labels *labels,
                            struct meter_table *table, const void *what) {
    const struct resource_writing *writing = what;
    writing->write(page, labels, &table->own);
    for (struct meter_index *index = table->indexes; index != NULL; index = index->next) {
        struct exposition_labels of_index = labels_with(*labels, "index", index->name);
        writing->write(page, &of_index, &index->own);
    }
}

static void each_resource(struct page *page, resource_writer *write) {
    each_table(page, write_resources, &(struct resource_writing){write});
}

static void write_read_units(struct page *page, const struct exposition_labels *labels,
                             const struct meter_resource *resource) {
    add_if_any(page, labels, (double)counter_read(&resource->read.sum) / 2);
}

static void write_write_units(struct page *page, const struct exposition_labels *labels,
                              const struct meter_resource *resource) {
    add_if_any(page, labels, (double)counter_read(&resource->write.sum) / 2);
}

static void write_throttled(struct page *page, const struct exposition_labels *labels,
                            const struct meter_resource *resource) {
    for (size_t i = 0; i < THROTTLING_LIMITS; i++) {
        struct slice reason = slice_text(throttling_limit_text((enum throttling_limit)i));
        struct exposition_labels by = labels_with(*labels, "reason", reason);
        add_if_any(page, &by, (double)counter_read(&resource->throttled[i]));
    }
}

static void write_counter(struct page *page, const struct exposition_labels *labels,
                          struct meter_table *table, const void *what) {
    const size_t *offset = what;
    const counter *at = (const counter *)((const char *)table + *offset);
    add_if_any(page, labels, (double)counter_read(at));
}

static void write_tables(struct page *page) {
    static const struct {
        const char *name, *help;
        size_t offset;
    } rows[] = {
        {"gramme_conditional_check_failed", "Writes whose condition was false.",
         offsetof(struct meter_table, conditions_failed)},
        {"gramme_transaction_conflicts", "Writes that met a transaction under way.",
         offsetof(struct meter_table, conflicts)},
        {"gramme_ttl_deleted_items", "Items that were deleted when their time had come.",
         offsetof(struct meter_table, expired)},
        {"gramme_stream_records", "Records that were written to streams.",
         offsetof(struct meter_table, stream_records)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        exposition_family(page->to, rows[i].name, EXPOSITION_COUNTER, rows[i].help);
        each_table(page, write_counter, &rows[i].offset);
    }
}

/* ---- the commit thread ---- */

static void add_commits(const struct meter_page_part *part, struct meter_commit *total) {
    struct meter_commit from = part->sums.commit;
    for (size_t i = 0; i < METER_GROUP_SIZES; i++)
        counter_add(&total->group_sizes[i], counter_read(&from.group_sizes[i]));
    spread_merge(&total->groups, &from.groups, false);
    latency_merge(&total->syncs, &from.syncs, false);
}

static void write_groups(struct page *page, const struct meter_commit *commit) {
    struct exposition_labels none = NO_LABELS;
    uint64_t count = 0;
    char text[BOUND_CHARS];
    exposition_family(page->to, "gramme_commit_group_size", EXPOSITION_HISTOGRAM,
                      "Writes that were committed together.");
    for (size_t i = 0; i < METER_GROUP_SIZES; i++) {
        count += counter_read(&commit->group_sizes[i]);
        struct slice bound =
            i + 1 == METER_GROUP_SIZES ? SLICE_LITERAL("+Inf") : bound_text(page, 1u << i, text);
        struct exposition_labels labels = labels_with(none, "le", bound);
        exposition_sample(page->to, "_bucket", &labels, (double)count);
    }
    exposition_sample(page->to, "_sum", &none, (double)counter_read(&commit->groups.sum));
    exposition_sample(page->to, "_count", &none, (double)count);
}

void meter_page_write(struct exposition *exposition, const struct meter_page_part *parts,
                      size_t part_count, const char *const names[METER_OPERATIONS_MAX]) {
    struct page page = {.to = exposition, .parts = parts, .part_count = part_count, .names = names};
    struct exposition_labels none = NO_LABELS;
    struct meter_commit commit = {.last_sync_ns = 0};
    for (size_t i = 0; i < part_count; i++)
        add_commits(&parts[i], &commit);
    note_types(&page);
    exposition_family(exposition, "gramme_requests", EXPOSITION_COUNTER,
                      "Requests, by what became of them: ok or the type of the error.");
    each_operation(&page, write_requests);
    exposition_family(exposition, "gramme_request_duration_seconds", EXPOSITION_HISTOGRAM,
                      "From a complete request to its sent reply, of those that succeeded.");
    write_operation_times(&page);
    exposition_family(exposition, "gramme_table_request_seconds", EXPOSITION_SUMMARY,
                      "The same by table.");
    each_operation(&page, write_table_time);
    exposition_family(exposition, "gramme_consumed_read_units", EXPOSITION_COUNTER,
                      "Read capacity units.");
    each_resource(&page, write_read_units);
    exposition_family(exposition, "gramme_consumed_write_units", EXPOSITION_COUNTER,
                      "Write capacity units.");
    each_resource(&page, write_write_units);
    exposition_family(exposition, "gramme_throttled", EXPOSITION_COUNTER,
                      "Parts of requests that found no units left, by the limit.");
    each_resource(&page, write_throttled);
    exposition_family(exposition, "gramme_throttled_requests", EXPOSITION_COUNTER,
                      "Requests that were refused as a whole for that.");
    each_operation(&page, write_throttled_requests);
    exposition_family(exposition, "gramme_returned_items", EXPOSITION_COUNTER,
                      "Items of queries and scans, records of streams.");
    each_operation(&page, write_returned);
    exposition_family(exposition, "gramme_returned_bytes", EXPOSITION_COUNTER,
                      "Size of the records of streams.");
    each_operation(&page, write_returned_bytes);
    write_tables(&page);
    write_groups(&page, &commit);
    exposition_family(exposition, "gramme_sync_seconds", EXPOSITION_HISTOGRAM,
                      "What it takes until a commit is on the disk.");
    write_latency(&page, &none, &commit.syncs);
}
