/* audit_follow.c - see audit_follow.h, and common/follow.h for how each change has one entry. */
#include "audit_follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_trail.h"
#include "common/follow.h"

enum {
    ENTRIES_MAX = BUNDLE_MAX - 1,      /* one may be the mark of a gap */
    BATCH_BYTES_MAX = 2 * 1024 * 1024, /* a transaction takes 4 MB */
    LENIENT_MS = 60 * 60 * 1000,       /* a stream that skips is not used for longer */
};

struct batch {
    struct audit_head head;
    struct audit_entry entries[BUNDLE_MAX];
    size_t count;
    size_t bytes;
    bool skips;        /* the stream passes over what it has lost */
    bool has_gap;      /* which is still to be told */
    int64_t opened_ms; /* when the stream was */
};

/* ---- a batch of changes ---- */

static void clear(void *context) {
    struct batch *batch = context;
    while (batch->count > 0)
        audit_entry_release(&batch->entries[--batch->count]);
    batch->bytes = 0;
    if (batch->has_gap)
        audit_entry_mark("GAP", batch->head.saved_at, &batch->entries[batch->count++]);
}

static bool has_room(const void *context) {
    const struct batch *batch = context;
    return batch->count < ENTRIES_MAX && batch->bytes < BATCH_BYTES_MAX;
}

static bool take(void *context, struct app *app, const struct ddb_record *record) {
    struct batch *batch = context;
    (void)app;
    if (strncmp(ddb_item_string(record->keys, "PK", ""), "TOTAL", 5) == 0)
        return true;
    struct audit_entry *entry = &batch->entries[batch->count++];
    audit_entry_of(record, entry);
    batch->bytes += audit_entry_size(entry);
    return true;
}

static bool is_empty(const void *context) {
    const struct batch *batch = context;
    return batch->count == 0;
}

/* By their numbers in the stream, which grow in a shard, and so for each item: what happened in
 * several shards comes in about the order in which it did. */
static int compare_sequences(const void *a, const void *b) {
    const struct audit_entry *x = a, *y = b;
    size_t x_size = strlen(x->sequence), y_size = strlen(y->sequence);
    return x_size != y_size ? (x_size > y_size) - (x_size < y_size)
                            : strcmp(x->sequence, y->sequence);
}

static enum bundle_outcome write_entries(void *context, struct app *app, const char *from,
                                         const char *to) {
    struct batch *batch = context;
    (void)from; /* which is the head's */
    if (batch->skips && timestamp_elapsed_ms() - batch->opened_ms > LENIENT_MS)
        return BUNDLE_LOST; /* more may be lost by now */
    qsort(batch->entries, batch->count, sizeof(*batch->entries), compare_sequences);
    enum bundle_outcome outcome = audit_append(app, &batch->head, batch->entries, batch->count, to);
    if (outcome == BUNDLE_DONE)
        batch->has_gap = false;
    return outcome;
}

/* ---- the stream ---- */

static struct ddb_stream *open_stream(struct app *app, const struct ddb_stream_options *options) {
    return ddb_stream_open(app_client(app), options);
}

static enum app_status explain(struct app *app) {
    const struct ddb_error *error = ddb_client_error(app_client(app));
    if (error != NULL && error->kind == DDB_ERROR_INPUT)
        return app_fail(app, "%s; an audit needs one with NEW_AND_OLD_IMAGES", error->message);
    return app_db_fail(app, "cannot read the changes of " LEDGER_TABLE);
}

/* The first entry, and the place where the stream begins. */
static enum app_status begin(struct app *app, struct batch *batch) {
    struct ddb_stream *stream =
        open_stream(app, &(struct ddb_stream_options){.table = LEDGER_TABLE, .skip_trimmed = true});
    char now[TIMESTAMP_SIZE];
    if (stream == NULL)
        return explain(app);
    char *position = ddb_stream_position(stream);
    timestamp_format_s(timestamp_now_ms(), now);
    audit_entry_mark("BEGIN", now, &batch->entries[batch->count++]);
    enum bundle_outcome outcome =
        audit_append(app, &batch->head, batch->entries, batch->count, position);
    free(position);
    ddb_stream_close(stream);
    return outcome == BUNDLE_FAILED || outcome == BUNDLE_TAKEN ? APP_FAILED : APP_OK;
}

static bool has_lost_records(struct app *app) {
    struct ddb_client *db = app_client(app);
    return ddb_client_failed_with(db, "TrimmedDataAccessException") ||
           ddb_client_failed_with(db, "ResourceNotFoundException");
}

/* The stream, with what it has kept; or, when the table has another one by now, that. */
static struct ddb_stream *open_after_gap(struct app *app, const char *position) {
    struct ddb_stream *stream =
        open_stream(app, &(struct ddb_stream_options){
                             .table = LEDGER_TABLE, .position = position, .skip_trimmed = true});
    if (stream == NULL && ddb_client_error(app_client(app))->kind == DDB_ERROR_INPUT)
        stream = open_stream(
            app, &(struct ddb_stream_options){.table = LEDGER_TABLE, .skip_trimmed = true});
    return stream;
}

/* Whether the table has the stream of that position, and no other. */
static bool is_latest(struct app *app, const char *position) {
    struct ddb_stream *stream =
        open_stream(app, &(struct ddb_stream_options){.table = LEDGER_TABLE, .position = position});
    ddb_stream_close(stream);
    return stream != NULL || ddb_client_error(app_client(app))->kind != DDB_ERROR_INPUT;
}

static enum follow_end follow(struct app *app, struct follower *follower,
                              struct ddb_stream *stream) {
    struct batch *batch = follower->context;
    int64_t saved_ms = 0;
    if (stream == NULL)
        return FOLLOW_UNREADABLE;
    timestamp_parse(batch->head.saved_at, &saved_ms);
    batch->opened_ms = timestamp_elapsed_ms();
    enum follow_end end = follow_stream(app, follower, stream, batch->head.position, saved_ms);
    ddb_stream_close(stream);
    return end;
}

static enum app_status go_on_after_gap(struct app *app, struct follower follower) {
    struct batch *batch = follower.context;
    batch->skips = batch->has_gap = true;
    follower.once = true;
    enum follow_end end = follow(app, &follower, open_after_gap(app, batch->head.position));
    return end == FOLLOW_UNREADABLE ? explain(app) : end == FOLLOW_FAILED ? APP_FAILED : APP_OK;
}

/* The place is written every hour. One that is older than what a stream keeps has lost whatever
 * was in shards that have come and gone since, which the stream does not tell. */
static bool is_late(const struct audit_head *head) {
    int64_t saved_ms = 0;
    return timestamp_parse(head->saved_at, &saved_ms) && timestamp_now_ms() - saved_ms > DAY_MS;
}

static enum app_status go_on(struct app *app, struct follower *follower, bool *ret_up) {
    struct batch *batch = follower->context;
    if (is_late(&batch->head))
        return go_on_after_gap(app, *follower);
    enum follow_end end =
        follow(app, follower,
               open_stream(app, &(struct ddb_stream_options){.position = batch->head.position}));
    *ret_up = end == FOLLOW_UP;
    if (end == FOLLOW_FAILED)
        return APP_FAILED;
    if (end == FOLLOW_UNREADABLE && !has_lost_records(app))
        return explain(app);
    if (end == FOLLOW_OFF && is_latest(app, batch->head.position))
        return app_fail(app, "the stream of table " LEDGER_TABLE
                             " is off; an audit needs one with NEW_AND_OLD_IMAGES");
    return end == FOLLOW_LOST || end == FOLLOW_UP ? APP_OK : go_on_after_gap(app, *follower);
}

static enum app_status run(struct app *app, struct follower *follower) {
    enum app_status status = APP_OK;
    bool up = false;
    struct batch *batch = calloc(1, sizeof(*batch));
    if (batch == NULL)
        abort();
    follower->context = batch;
    while (status == APP_OK && !up && !service_is_stopping()) {
        batch->skips = batch->has_gap = false;
        if (!audit_head_read(app, &batch->head))
            status = APP_FAILED;
        else if (batch->head.found)
            status = go_on(app, follower, &up);
        else
            status = begin(app, batch);
        batch->has_gap = false;
        clear(batch);
        audit_head_release(&batch->head);
    }
    free(batch);
    return status;
}

static const struct follower entries_of_changes = {.table = LEDGER_TABLE,
                                                   .clear = clear,
                                                   .has_room = has_room,
                                                   .take = take,
                                                   .is_empty = is_empty,
                                                   .write = write_entries};

enum app_status audit_follow(struct app *app, struct service_counter counters[2]) {
    struct follower follower = entries_of_changes;
    follower.changes = &counters[0];
    follower.behind = &counters[1];
    return run(app, &follower);
}

enum app_status audit_record(struct app *app) {
    struct follower follower = entries_of_changes;
    struct audit_head head;
    follower.once = true;
    enum app_status status = run(app, &follower);
    if (status == APP_OK && audit_head_read(app, &head)) {
        printf("%lld entries\n", (long long)head.number);
        audit_head_release(&head);
    }
    return status;
}
