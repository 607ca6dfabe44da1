/* slow_log.c - the line. */
#include "pipeline/slow_log.h"

enum { FIELDS_MAX = 16 };

struct fields {
    struct log_field list[FIELDS_MAX];
    size_t count;
};

static void add_text(struct fields *fields, const char *name, struct slice text) {
    fields->list[fields->count++] = (struct log_field){.name = name, .text = text};
}

static void add_number(struct fields *fields, const char *name, double number) {
    fields->list[fields->count++] = (struct log_field){.name = name, .number = number};
}

static void add_ms(struct fields *fields, const char *name, uint64_t ns) {
    add_number(fields, name, (double)(ns / 1000) / 1000);
}

/* Of two marks, where both were set. */
static void add_between(struct fields *fields, const char *name, uint64_t from, uint64_t to) {
    add_ms(fields, name, from == 0 ? 0 : ticks_ns(from, to));
}

static void add_account(struct fields *fields, const struct account *account) {
    uint64_t items = account->stream.records, bytes = account->stream.bytes;
    size_t tables = 0;
    struct slice first = account->stream.table_name;
    for (const struct account_table *at = &account->first; at != NULL && at->table != NULL;
         at = at->next) {
        if (tables++ == 0)
            first = at->table->definition.name;
        items += at->cost.examined + at->cost.written + at->failed;
        bytes += at->cost.bytes;
        for (const struct account_index *index = at->indexes; index != NULL; index = index->next)
            items += index->cost.examined;
    }
    if (slice_present(first))
        add_text(fields, "table", first);
    if (tables > 1)
        add_number(fields, "tables", (double)tables);
    add_number(fields, "items", (double)items);
    add_number(fields, "bytes", (double)bytes);
}

static void add_times(struct fields *fields, const struct slow_call *slow) {
    const struct call_times *times = slow->times;
    uint64_t now = ticks_now(), last = times->ran;
    add_between(fields, "totalMs", slow->began, now);
    add_between(fields, "decodeMs", slow->began, times->checked);
    add_between(fields, "runMs", times->checked, times->ran);
    if (times->worker != 0) {
        add_between(fields, "waitMs", times->ran, times->worker);
        add_between(fields, "workerMs", times->worker, times->worked);
        last = times->worked;
    }
    if (times->fetched != 0) {
        add_between(fields, "fetchMs", times->ran, times->fetched);
        last = times->fetched;
    }
    if (times->committed != 0) {
        add_between(fields, "commitMs", times->ran, times->committed);
        add_ms(fields, "syncMs", times->sync_ns);
        last = times->committed;
    }
    add_between(fields, "replyMs", last, now);
}

void slow_log_write(struct slow_log *log, const struct slow_call *slow) {
    unsigned long long left_out;
    struct fields fields = {.count = 0};
    if (!log_gate_pass(&log->gate, SLOW_LINES_MAX, &left_out))
        return;
    if (left_out > 0)
        log_warning("%llu more slow requests were left out", left_out);
    add_text(&fields, "requestId", slow->request_id);
    add_text(&fields, "operation",
             slow->call->op == NULL ? SLICE_LITERAL("(none)") : slice_text(slow->call->op->name));
    add_account(&fields, &slow->call->account);
    add_times(&fields, slow);
    if (slow->error != NULL)
        add_text(&fields, "error", slice_text(error_kind(slow->error->code)->type));
    log_fields(LOG_LEVEL_WARNING, "slow request", fields.list, fields.count);
}
